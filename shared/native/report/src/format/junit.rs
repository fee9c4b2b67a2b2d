//! Reports as `JUnit` XML.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::Options;
use super::text::count;
use crate::junit::{self, Suite, Test, TestResult};
use crate::names::View;
use crate::{FailOn, Finding, Level, Report, Status};

/// A test case: what a policy found in an object, or what is wrong with a file.
#[derive(Default)]
struct Case {
    failures: Vec<String>,
    errors: Vec<String>,
    /// Why findings do not fail the scan.
    skipped: Vec<String>,
    /// Findings that do not fail the scan.
    output: Vec<String>,
}

/// Writes a suite for each policy, and one for the input. A suite has a case for each object with
/// findings, and one for all other objects. Names are those of policies, objects and files, so that
/// a case keeps its history when a message changes.
pub(super) fn write(out: &mut dyn Write, report: &Report, options: &Options<'_>) -> io::Result<()> {
    let view = View::new(report);
    let mut suites: Vec<(String, BTreeMap<String, Case>)> =
        view.labels().iter().map(|label| (label.clone(), BTreeMap::new())).collect();
    for ((_, cases), totals) in suites.iter_mut().zip(&report.totals.policies) {
        let case = cases.entry("all other objects".to_owned()).or_default();
        if totals.admitted == 0 {
            case.skipped.push("the policy admitted no object".to_owned());
        } else {
            case.output.push(format!("{} admitted", count(totals.admitted, "object", "objects")));
        }
    }
    for finding in &report.findings {
        if let Some((_, cases)) = suites.get_mut(finding.policy) {
            let rule = view.rule_id(finding);
            cases.entry(name(finding)).or_default().add(&rule, finding, options.fail_on);
        }
    }
    suites.push(("input".to_owned(), input(report)));
    let suites: Vec<Suite> = suites
        .into_iter()
        .map(|(name, cases)| Suite {
            name,
            tests: cases.into_iter().map(|(name, case)| case.test(name)).collect(),
        })
        .collect();
    junit::write(out, "portcullis scan", &suites)
}

fn name(finding: &Finding) -> String {
    match &finding.place {
        Some(place) => format!("{} in {}", finding.object, place.file),
        None => finding.object.to_string(),
    }
}

fn input(report: &Report) -> BTreeMap<String, Case> {
    let mut cases: BTreeMap<String, Case> = BTreeMap::new();
    let scan = cases.entry("the scan".to_owned()).or_default();
    if report.is_partial {
        scan.errors.push("the scan was interrupted: the report is not complete".to_owned());
    }
    if report.totals.evaluations == 0 {
        scan.errors.push("nothing was evaluated".to_owned());
    }
    for notice in &report.notices {
        let file = notice.place.as_ref().map_or("the scan", |place| place.file.as_str());
        let place = notice.place.as_ref().map(|place| format!("{place}: ")).unwrap_or_default();
        let case = cases.entry(file.to_owned()).or_default();
        let messages = if notice.level == Level::Error { &mut case.errors } else { &mut case.output };
        messages.push(format!("{place}{}", notice.message));
    }
    cases
}

impl Case {
    fn add(&mut self, rule: &str, finding: &Finding, fail_on: FailOn) {
        let place = finding.place.as_ref().map(|place| format!("{place}: ")).unwrap_or_default();
        let mut message = format!("{rule}: {place}{}", finding.message);
        for remark in finding.remarks() {
            message.push_str("; ");
            message.push_str(&remark);
        }
        if finding.is_known {
            self.skipped.push(format!("known: {message}"));
        } else if finding.excepted.is_some() {
            self.skipped.push(message);
        } else if !fail_on.fails(finding) {
            self.output.push(format!("{}: {message}", finding.status.name()));
        } else if finding.status == Status::Unknown {
            self.errors.push(message);
        } else {
            self.failures.push(message);
        }
    }

    /// Returns the case as a test. It has one result: readers take the first.
    fn test(self, name: String) -> Test {
        let Self { failures, errors, mut skipped, mut output } = self;
        let (result, lines) = if !errors.is_empty() {
            (TestResult::Error, [errors, failures].concat())
        } else if !failures.is_empty() {
            (TestResult::Failure, failures)
        } else if output.is_empty() {
            // Nothing else is known of it.
            (TestResult::Skipped, std::mem::take(&mut skipped))
        } else {
            (TestResult::Skipped, Vec::new())
        };
        output.extend(skipped);
        let more = if lines.len() > 1 { format!(" (and {} more)", lines.len() - 1) } else { String::new() };
        let result = lines.first().map(|first| (result, format!("{first}{more}")));
        Test { name, result, lines, output }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::tests::written;
    use crate::{Format, sample};

    #[test]
    fn names_do_not_depend_on_messages() {
        let mut report = sample::report();
        let names = |report: &Report| {
            let text = written(report, Format::Junit);
            let lines = text.lines().filter(|line| line.contains("<testcase "));
            lines.map(str::to_owned).collect::<Vec<_>>()
        };
        let before = names(&report);
        for finding in &mut report.findings {
            finding.message.push_str(" (new)");
            finding.reason.clear();
        }
        assert_eq!(names(&report), before);
    }

    #[test]
    fn a_clean_report_has_a_test_that_passes() {
        let text = written(&sample::clean(), Format::Junit);
        assert!(text.contains(r#"tests="2" failures="0" errors="0" skipped="0""#), "{text}");
        assert!(text.contains("1 object admitted"), "{text}");
        assert!(
            written(&Report::default(), Format::Junit).contains(r#"<error message="nothing was evaluated""#)
        );
    }

    #[test]
    fn what_does_not_fail_the_scan_passes_or_is_skipped() {
        let case = |finding: &Finding, fail_on| {
            let mut case = Case::default();
            case.add("pod-security/privileged", finding, fail_on);
            (case.failures.len(), case.errors.len(), case.skipped.len(), case.output.len())
        };
        let denied = sample::finding();
        let unknown = Finding { status: Status::Unknown, ..denied.clone() };
        let warned = Finding { status: Status::Warned, ..denied.clone() };
        assert_eq!(case(&denied, FailOn::Deny), (1, 0, 0, 0));
        assert_eq!(case(&denied, FailOn::Unknown), (0, 0, 0, 1));
        assert_eq!(case(&unknown, FailOn::Unknown), (0, 1, 0, 0));
        assert_eq!(case(&unknown, FailOn::Never), (0, 0, 0, 1));
        assert_eq!(case(&warned, FailOn::Deny), (0, 0, 0, 1));
        assert_eq!(case(&warned, FailOn::Warn), (1, 0, 0, 0));
        assert_eq!(case(&Finding { is_known: true, ..warned }, FailOn::Warn), (0, 0, 1, 0));
        assert_eq!(case(&Finding { excepted: Some(String::new()), ..denied }, FailOn::Warn), (0, 0, 1, 0));
    }
}
