//! `JUnit` XML, in the form that Jenkins and GitLab read.

use std::io::{self, Write};

use crate::markup;

/// A suite of tests.
#[derive(Clone, Debug)]
pub struct Suite {
    /// The name.
    pub name: String,
    /// The tests.
    pub tests: Vec<Test>,
}

/// A test. No message changes its name, so that it keeps its history.
#[derive(Clone, Debug, Default)]
pub struct Test {
    /// The name.
    pub name: String,
    /// The result and its message; `None` if the test passed.
    pub result: Option<(TestResult, String)>,
    /// The lines of the result.
    pub lines: Vec<String>,
    /// The lines of the output.
    pub output: Vec<String>,
}

/// The result of a test that did not pass.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum TestResult {
    /// The test found a problem.
    Failure,
    /// The test could not be run.
    Error,
    /// The test was not run.
    Skipped,
}

impl TestResult {
    fn element(self) -> &'static str {
        match self {
            Self::Failure => "failure",
            Self::Error => "error",
            Self::Skipped => "skipped",
        }
    }
}

/// Writes suites under a name.
///
/// # Errors
/// Returns an error if `out` cannot be written.
pub fn write(out: &mut dyn Write, name: &str, suites: &[Suite]) -> io::Result<()> {
    writeln!(out, r#"<?xml version="1.0" encoding="UTF-8"?>"#)?;
    let all: Vec<&Test> = suites.iter().flat_map(|suite| &suite.tests).collect();
    writeln!(out, r#"<testsuites name="{}" {}>"#, markup(name), tally(&all))?;
    for Suite { name, tests } in suites {
        let suite = markup(name);
        writeln!(out, r#"  <testsuite name="{suite}" {}>"#, tally(&tests.iter().collect::<Vec<_>>()))?;
        for test in tests {
            write_test(out, &suite, test)?;
        }
        writeln!(out, "  </testsuite>")?;
    }
    writeln!(out, "</testsuites>")
}

fn tally(tests: &[&Test]) -> String {
    let number = |wanted| {
        let results = tests.iter().filter_map(|test| test.result.as_ref());
        results.filter(|(result, _)| *result == wanted).count()
    };
    format!(
        r#"tests="{}" failures="{}" errors="{}" skipped="{}""#,
        tests.len(),
        number(TestResult::Failure),
        number(TestResult::Error),
        number(TestResult::Skipped),
    )
}

fn write_test(out: &mut dyn Write, suite: &str, test: &Test) -> io::Result<()> {
    let Test { name, result, lines, output } = test;
    let name = markup(name);
    if result.is_none() && output.is_empty() {
        return writeln!(out, r#"    <testcase classname="{suite}" name="{name}"/>"#);
    }
    let joined = |lines: &[String]| lines.iter().map(|line| markup(line)).collect::<Vec<_>>().join("\n");
    writeln!(out, r#"    <testcase classname="{suite}" name="{name}">"#)?;
    if let Some((result, message)) = result {
        let (element, message, lines) = (result.element(), markup(message), joined(lines));
        let kind = if element == "skipped" { String::new() } else { format!(r#" type="{element}""#) };
        writeln!(out, r#"      <{element} message="{message}"{kind}>{lines}</{element}>"#)?;
    }
    if !output.is_empty() {
        writeln!(out, "      <system-out>{}</system-out>", joined(output))?;
    }
    writeln!(out, "    </testcase>")
}
