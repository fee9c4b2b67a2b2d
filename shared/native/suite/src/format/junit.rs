//! `JUnit` XML: a suite for each file, with the names of its cases, which no message changes.

use std::io::{self, Write};

use report::markup;

use crate::{Difference, FileResult, Mistake, Results, Status};

/// The result of a test: the element of a test that did not pass, and its message.
type Outcome = Option<(&'static str, String, Vec<String>)>;

pub(super) fn write(out: &mut dyn Write, results: &Results) -> io::Result<()> {
    let mut suites: Vec<(String, Vec<(String, Outcome)>)> = Vec::new();
    if !results.mistakes.is_empty() {
        suites.push(("the arguments".to_owned(), results.mistakes.iter().map(broken).collect()));
    }
    suites.extend(results.files.iter().map(|file| (file.name.clone(), tests(file))));
    if results.totals().cases == 0 {
        let problem = Some(("error", "nothing was tested".to_owned(), Vec::new()));
        suites.push(("the run".to_owned(), vec![("has cases".to_owned(), problem)]));
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
        let test = ("is high enough".to_owned(), Some(("failure", message, missing.collect())));
        suites.push(("the coverage".to_owned(), vec![test]));
    }
    writeln!(out, r#"<?xml version="1.0" encoding="UTF-8"?>"#)?;
    let all: Vec<&Outcome> = suites.iter().flat_map(|(_, tests)| tests.iter().map(|(_, one)| one)).collect();
    writeln!(out, r#"<testsuites name="portcullis test" {}>"#, tally(&all))?;
    for (suite, tests) in &suites {
        let suite = markup(suite);
        let outcomes: Vec<&Outcome> = tests.iter().map(|(_, outcome)| outcome).collect();
        writeln!(out, r#"  <testsuite name="{suite}" {}>"#, tally(&outcomes))?;
        for (name, outcome) in tests {
            write_test(out, &suite, &markup(name), outcome)?;
        }
        writeln!(out, "  </testsuite>")?;
    }
    writeln!(out, "</testsuites>")
}

fn tests(file: &FileResult) -> Vec<(String, Outcome)> {
    let cases = file.cases.iter().map(|case| {
        let outcome = match &case.status {
            Status::Passed => None,
            Status::Failed(differences) => {
                let first = differences.first().map(summary).unwrap_or_default();
                Some(("failure", first, differences.iter().flat_map(lines).collect()))
            }
            Status::Broken(mistake) => Some(("error", mistake.to_string(), Vec::new())),
        };
        (case.name.clone(), outcome)
    });
    let not_reached = file.not_reached.iter().map(|policy| {
        let problem = format!("no case reaches the policy {policy}; add one");
        (format!("policy {policy} is reached"), Some(("failure", problem, Vec::new())))
    });
    file.mistakes.iter().map(broken).chain(cases).chain(not_reached).collect()
}

fn broken(mistake: &Mistake) -> (String, Outcome) {
    ("the file can be read".to_owned(), Some(("error", mistake.to_string(), Vec::new())))
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

fn tally(outcomes: &[&Outcome]) -> String {
    let number = |element: &str| {
        outcomes.iter().filter(|outcome| outcome.as_ref().is_some_and(|(of, ..)| *of == element)).count()
    };
    format!(
        r#"tests="{}" failures="{}" errors="{}" skipped="0""#,
        outcomes.len(),
        number("failure"),
        number("error")
    )
}

fn write_test(out: &mut dyn Write, suite: &str, name: &str, outcome: &Outcome) -> io::Result<()> {
    let Some((element, message, lines)) = outcome else {
        return writeln!(out, r#"    <testcase classname="{suite}" name="{name}"/>"#);
    };
    let text: Vec<String> = lines.iter().map(|line| markup(line)).collect();
    writeln!(out, r#"    <testcase classname="{suite}" name="{name}">"#)?;
    let message = markup(message);
    writeln!(
        out,
        r#"      <{element} message="{message}" type="{element}">{}</{element}>"#,
        text.join("\n")
    )?;
    writeln!(out, "    </testcase>")
}
