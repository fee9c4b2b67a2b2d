//! Reading of reports.

use std::fmt;

use serde::Deserialize;

use crate::Report;

/// The version of the format of reports in JSON.
pub const VERSION: u64 = 3;

/// Reads a report that was written as JSON.
///
/// # Errors
/// The text is not such a report, it has another version, or a finding names a policy that the
/// report does not have.
pub fn read(text: &str) -> Result<Report, ReadError> {
    let header: Header = serde_json::from_str(text).map_err(not_a_report)?;
    header.check()?;
    let report: Report = serde_json::from_str(text).map_err(not_a_report)?;
    let policies = report.policies.len();
    if report.totals.policies.len() != policies {
        let totals = report.totals.policies.len();
        return Err(ReadError(format!("the report has {policies} policies, but the totals of {totals}")));
    }
    let named = report.findings.iter().map(|finding| ("finding", finding.policy));
    let mut named = named.chain(report.mutations.iter().map(|mutation| ("mutation", mutation.policy)));
    match named.find(|(_, policy)| *policy >= policies) {
        Some((what, policy)) => {
            Err(ReadError(format!("a {what} names policy {policy}, but the report has {policies}")))
        }
        None => Ok(report),
    }
}

/// The field that distinguishes reports of all versions from other texts.
#[derive(Deserialize)]
struct Header {
    version: Option<u64>,
}

impl Header {
    fn check(&self) -> Result<(), ReadError> {
        match self.version {
            Some(VERSION) => Ok(()),
            Some(version) => Err(ReadError(format!(
                "the report has version {version}, this program reads version {VERSION}; scan again"
            ))),
            None => Err(not_a_report("it has no version")),
        }
    }
}

fn not_a_report(problem: impl fmt::Display) -> ReadError {
    ReadError(format!("not a report of portcullis: {problem}; scan with -o json writes one"))
}

/// The reason why a text is not a report.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ReadError(String);

impl ReadError {
    pub(crate) fn empty() -> Self {
        Self("the file is empty; look for an error of the program that wrote it".to_owned())
    }

    pub(crate) fn of_policy_reports(problem: impl fmt::Display) -> Self {
        Self(format!("not policy reports: {problem}"))
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ReadError {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::tests::written;
    use crate::{Finding, Format, Mutation, Totals, sample};

    #[test]
    fn written_reports_are_read_back() {
        let mutated = Report { mutations: vec![sample::mutation()], ..sample::report() };
        let limited = Report { namespace: Some("shop".to_owned()), ..sample::clean() };
        for report in [mutated, sample::report(), sample::clean(), limited, Report::default()] {
            assert_eq!(read(&written(&report, Format::Json)), Ok(report));
        }
    }

    #[test]
    fn what_is_not_a_report_is_refused() {
        let json = written(&sample::report(), Format::Json);
        let truncated = json.split_inclusive('\n').take(6).collect::<String>();
        let foreign =
            Report { findings: vec![Finding { policy: 7, ..sample::finding() }], ..sample::clean() };
        let fewer = Report { totals: Totals::default(), ..sample::clean() };
        let changed =
            Report { mutations: vec![Mutation { policy: 7, ..sample::mutation() }], ..sample::clean() };
        let cases = [
            ("{}".to_owned(), "not a report of portcullis: it has no version; scan with -o json writes one"),
            ("kind: Pod".to_owned(), "not a report of portcullis: expected value at line 1 column 1; "),
            (String::new(), "not a report of portcullis: EOF"),
            ("{\"version\": 3}".to_owned(), "not a report of portcullis: missing field `policies`"),
            (written(&sample::report(), Format::Sarif), "not a report of portcullis: invalid type: string"),
            (
                json.replacen("\"version\": 3", "\"version\": 1", 1),
                "the report has version 1, this program reads version 3; scan again",
            ),
            (truncated, "not a report of portcullis: EOF while parsing"),
            (
                json.replace("\"message\"", "\"massage\""),
                "not a report of portcullis: missing field `message`",
            ),
            (format!("{json}{json}"), "not a report of portcullis: trailing characters"),
            (written(&changed, Format::Json), "a mutation names policy 7, but the report has 1"),
            (written(&foreign, Format::Json), "a finding names policy 7, but the report has 1"),
            (written(&fewer, Format::Json), "the report has 1 policies, but the totals of 0"),
        ];
        for (text, wanted) in cases {
            let error = read(&text).unwrap_err().to_string();
            assert!(error.contains(wanted), "{error}");
        }
    }
}
