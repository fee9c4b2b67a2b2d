//! Evaluates every case natively, with the rules, as `portcullis test` does. `BLESS=1` writes the
//! outcomes into the cases. The examples of the documentation and of `artifacthub/deploy` are
//! tests, too.

use std::path::Path;

use libtest_mimic::{Arguments, Failed, Trial};
use suite::{Difference, FileResult, Native, Options, Status};

fn main() {
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    for entry in rules::CATALOG {
        let dir = tests::root().join("policies").join(entry.id).join("cases");
        trials.extend(run(entry.id, &dir, Some(entry.id)));
    }
    // The documentation of the format consists of cases for one policy.
    let readme = tests::root().join("shared/native/suite/cases.yaml");
    trials.extend(run("readme", &readme, Some("external-ips")));
    for dir in ["docs/examples/test", "docs/examples/deploy"] {
        trials.extend(run(dir, &tests::root().join(dir), None));
    }
    libtest_mimic::run(&arguments, trials).exit();
}

/// Runs the test files of a directory, and returns a test for each case.
fn run(title: &'static str, path: &Path, policy: Option<&str>) -> Vec<Trial> {
    let options = Options {
        policies: policy.into_iter().map(str::to_owned).collect(),
        blesses: tests::blesses(),
        ..Options::default()
    };
    let results = suite::run(&[path.display().to_string()], &options, &Native).results;
    let mistakes = results.mistakes.iter().map(|mistake| broken(title, mistake.to_string()));
    mistakes.chain(results.files.iter().flat_map(|file| of_file(title, file))).collect()
}

fn of_file(title: &'static str, file: &FileResult) -> Vec<Trial> {
    let mistakes = file.mistakes.iter().map(|mistake| broken(title, mistake.to_string()));
    let not_reached = file.not_reached.iter();
    let not_reached =
        not_reached.map(|policy| broken(title, format!("{}: no case reaches {policy}", file.name)));
    let cases = file.cases.iter().map(|case| {
        let line = case.line.unwrap_or_default();
        let failed = match &case.status {
            Status::Passed => Ok(()),
            Status::Broken(mistake) => Err(mistake.to_string()),
            Status::Failed(differences) => {
                let shown: Vec<String> = differences.iter().map(shown).collect();
                Err(format!("{}:{line}\n{}", file.name, shown.join("\n")))
            }
        };
        Trial::test(format!("{title}: {}", case.name), move || failed.map_err(Failed::from))
    });
    mistakes.chain(not_reached).chain(cases).collect()
}

fn shown(Difference { policy, want, got, remark, .. }: &Difference) -> String {
    let of = |sign: char, lines: &[String]| {
        lines.iter().map(|line| format!("{sign} {line}")).collect::<Vec<_>>().join("\n")
    };
    let policy = policy.as_deref().unwrap_or_default();
    format!("{policy}\n{}\n{}\n{}", of('-', want), of('+', got), remark.as_deref().unwrap_or_default())
}

fn broken(title: &str, problem: String) -> Trial {
    Trial::test(format!("{title}: can be read"), move || Err(Failed::from(problem)))
}
