//! Reading of reports.

use std::fmt;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{Report, Totals};

/// The version of the format of reports in JSON, lines of JSON and YAML.
pub const VERSION: u64 = 1;

/// Reads a report that was written as JSON or as lines of JSON.
///
/// # Errors
/// The text is not such a report, it has another version, or a finding names a policy that the
/// report does not have.
pub fn read(text: &str) -> Result<Report, ReadError> {
    let first = text.lines().next().and_then(|line| serde_json::from_str::<Value>(line).ok());
    let is_lines = first.is_some_and(|value| value.get("type").is_some());
    let report = if is_lines { lines(text)? } else { document(text)? };
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

fn document(text: &str) -> Result<Report, ReadError> {
    let header: Header = serde_json::from_str(text).map_err(not_a_report)?;
    header.check()?;
    serde_json::from_str(text).map_err(not_a_report)
}

fn not_a_report(problem: impl fmt::Display) -> ReadError {
    ReadError(format!("not a report of portcullis: {problem}; scan with -o json or -o jsonl writes one"))
}

fn lines(text: &str) -> Result<Report, ReadError> {
    let mut report = Report::default();
    let mut totals = None;
    let mut has_header = false;
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        let value: Value = parse(number, serde_json::from_str(line))?;
        let kind = value.get("type").and_then(Value::as_str).unwrap_or_default();
        if !has_header && kind != "report" {
            return Err(not_a_report("it does not begin with the line of its version"));
        }
        match kind {
            "report" if !has_header => {
                part::<Header>(number, value.clone())?.check()?;
                has_header = true;
                report.shard = value.get("shard").map(|shard| part(number, shard.clone())).transpose()?;
                let namespace = value.get("namespace");
                report.namespace = namespace.map(|name| part(number, name.clone())).transpose()?;
            }
            "policy" => report.policies.push(part(number, value)?),
            "finding" => report.findings.push(part(number, value)?),
            "mutation" => report.mutations.push(part(number, value)?),
            "notice" => report.notices.push(part(number, value)?),
            "totals" => {
                report.is_partial = value.get("isPartial").and_then(Value::as_bool).unwrap_or(true);
                if totals.replace(part::<Totals>(number, value)?).is_some() {
                    return Err(ReadError(format!("line {number}: totals are given twice")));
                }
            }
            "report" => return Err(ReadError(format!("line {number}: a second report; read one at a time"))),
            other => {
                let other = text::Quoted(other);
                return Err(ReadError(format!(
                    "line {number}: the type {other} is not known; it is policy, finding, mutation, notice or totals"
                )));
            }
        }
    }
    match totals {
        Some(totals) => Ok(Report { totals, ..report }),
        // Nothing may take a truncated report for a whole one.
        None => Err(ReadError("the line with the totals is missing: the report was truncated".to_owned())),
    }
}

fn part<T: DeserializeOwned>(number: u64, value: Value) -> Result<T, ReadError> {
    parse(number, serde_json::from_value(value))
}

fn parse<T>(number: u64, result: serde_json::Result<T>) -> Result<T, ReadError> {
    result.map_err(|error| ReadError(format!("line {number}: {error}")))
}

/// The reason why a text is not a report.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ReadError(String);

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
    use crate::{Finding, Format, Mutation, Shard, sample};

    #[test]
    fn written_reports_are_read_back() {
        let shard = Shard { share: "1/3".parse().unwrap(), scan: "a".to_owned() };
        let shard = Report { shard: Some(shard), ..sample::clean() };
        let mutated = Report { mutations: vec![sample::mutation()], ..sample::report() };
        let limited = Report { namespace: Some("shop".to_owned()), ..sample::clean() };
        for report in [mutated, sample::report(), sample::clean(), shard, limited, Report::default()] {
            for format in [Format::Json, Format::Jsonl] {
                assert_eq!(read(&written(&report, format)), Ok(report.clone()), "{format:?}");
            }
        }
    }

    #[test]
    fn what_is_not_a_report_is_refused() {
        let json = written(&sample::report(), Format::Json);
        let lines = written(&sample::report(), Format::Jsonl);
        let truncated = lines.split_inclusive('\n').take(6).collect::<String>();
        let foreign =
            Report { findings: vec![Finding { policy: 7, ..sample::finding() }], ..sample::clean() };
        let fewer = Report { totals: Totals::default(), ..sample::clean() };
        let changed =
            Report { mutations: vec![Mutation { policy: 7, ..sample::mutation() }], ..sample::clean() };
        let cases = [
            (
                "{}".to_owned(),
                "not a report of portcullis: it has no version; scan with -o json or -o jsonl writes one",
            ),
            ("kind: Pod".to_owned(), "not a report of portcullis: expected value at line 1 column 1; "),
            (String::new(), "not a report of portcullis: EOF"),
            ("{\"version\": 1}".to_owned(), "not a report of portcullis: missing field `policies`"),
            (written(&sample::report(), Format::Sarif), "not a report of portcullis: invalid type: string"),
            (
                json.replacen("\"version\": 1", "\"version\": 2", 1),
                "the report has version 2, this program reads version 1; scan again",
            ),
            (
                lines.replacen("\"version\":1", "\"version\":2", 1),
                "the report has version 2, this program reads version 1; scan again",
            ),
            (
                lines.split_inclusive('\n').skip(1).collect(),
                "not a report of portcullis: it does not begin with the line of its version",
            ),
            (truncated, "the line with the totals is missing: the report was truncated"),
            (written(&changed, Format::Jsonl), "a mutation names policy 7, but the report has 1"),
            (format!("{lines}{lines}"), "line 21: a second report; read one at a time"),
            (format!("{lines}{{\"type\":\"x\"}}"), "line 21: the type \"x\" is not known"),
            (lines.replacen('{', "{{", 2), "not a report"),
            (lines.replace("\"message\"", "\"massage\""), "line 6: missing field `message`"),
            (written(&foreign, Format::Json), "a finding names policy 7, but the report has 1"),
            (written(&fewer, Format::Json), "the report has 1 policies, but the totals of 0"),
            (format!("{lines}{}", lines.lines().last().unwrap()), "line 21: totals are given twice"),
        ];
        for (text, wanted) in cases {
            let error = read(&text).unwrap_err().to_string();
            assert!(error.contains(wanted), "{error}");
        }
    }
}
