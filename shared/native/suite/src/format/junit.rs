//! Results as `JUnit` XML: a suite for each file, with the names of its cases, which no message
//! changes.

use std::io::{self, Write};

use report::junit::{self, Suite, Test, TestResult};

use crate::{Difference, FileResult, Mistake, Results, Status};

pub(super) fn write(out: &mut dyn Write, results: &Results) -> io::Result<()> {
    let suite = |name: &str, tests| Suite { name: name.to_owned(), tests };
    let mut suites = Vec::new();
    if !results.mistakes.is_empty() {
        suites.push(suite("the arguments", results.mistakes.iter().map(broken).collect()));
    }
    suites.extend(results.files.iter().map(|file| suite(&file.name, tests(file))));
    if results.totals().cases == 0 {
        suites.push(suite("the run", vec![error("has cases", "nothing was tested".to_owned())]));
    }
    if let Some(coverage) = results.coverage.as_ref().filter(|coverage| coverage.is_too_low()) {
        let missing = coverage.policies.iter().flat_map(|policy| {
            policy
                .missing()
                .into_iter()
                .map(|missing| format!("{}: {missing}", policy.name))
                .collect::<Vec<_>>()
        });
        let message = format!("the cases cover {} %", coverage.percent());
        let test = failure("is high enough".to_owned(), message, missing.collect());
        suites.push(suite("the coverage", vec![test]));
    }
    junit::write(out, "portcullis test", &suites)
}

fn failure(name: String, message: String, lines: Vec<String>) -> Test {
    Test { name, result: Some((TestResult::Failure, message)), lines, ..Test::default() }
}

fn error(name: &str, message: String) -> Test {
    let result = Some((TestResult::Error, message));
    Test { name: name.to_owned(), result, ..Test::default() }
}

fn tests(file: &FileResult) -> Vec<Test> {
    let cases = file.cases.iter().map(|case| match &case.status {
        Status::Passed => Test { name: case.name.clone(), ..Test::default() },
        Status::Failed(differences) => {
            let first = differences.first().map(summary).unwrap_or_default();
            failure(case.name.clone(), first, differences.iter().flat_map(lines).collect())
        }
        Status::Broken(mistake) => error(&case.name, mistake.to_string()),
    });
    let not_reached = file.not_reached.iter().map(|policy| {
        let problem = format!("no case reaches the policy {policy}; add one");
        failure(format!("policy {policy} is reached"), problem, Vec::new())
    });
    file.mistakes.iter().map(broken).chain(cases).chain(not_reached).collect()
}

fn broken(mistake: &Mistake) -> Test {
    error("the file can be read", mistake.to_string())
}

/// Returns a difference on one line.
pub(super) fn summary(difference: &Difference) -> String {
    let Difference { policy, want, got, remark, .. } = difference;
    let policy = policy.as_ref().map(|policy| format!("{policy}: ")).unwrap_or_default();
    let first = |lines: &[String]| lines.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ");
    let remark = remark.as_ref().map(|remark| format!(" ({remark})")).unwrap_or_default();
    format!("{policy}wanted {}, got {}{remark}", first(want), first(got))
}

fn lines(difference: &Difference) -> Vec<String> {
    let Difference { policy, want, got, remark, .. } = difference;
    let want = want.iter().map(|line| format!("- {line}"));
    let got = got.iter().map(|line| format!("+ {line}"));
    policy.iter().cloned().chain(want).chain(got).chain(remark.clone()).collect()
}
