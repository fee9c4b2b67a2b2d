//! One input, one answer: the commands and the page read the same objects in a text, or refuse it.

use std::collections::BTreeSet;

use playground::{ObjectState, Outcome, Playground, PolicyInput, Workspace};
use serde::Deserialize;
use serde_json::Value;

use crate::folder::Folder;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Input {
    name: String,
    status: i32,
    /// The status of `test`, and of `scan --strict`, if they refuse what others warn of.
    strict: Option<i32>,
    text: String,
}

/// An exit status, and the paths and messages of denials.
type Answer = (i32, BTreeSet<String>);

/// A pod that the policy evaluates, without which a test file tests nothing.
const POD: &str =
    "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: c, image: i}]}}";

const SETTINGS: &str = "level: baseline\n";

fn run(folder: &Folder) -> Answer {
    let (status, stdout, _) =
        folder.run(&["run", "pod-security", "input.yaml", "--settings", "settings.yaml"], "");
    let lines = stdout.lines().filter_map(|line| line.strip_prefix("  "));
    (status, lines.filter(|line| line.starts_with("spec.")).map(str::to_owned).collect())
}

fn scan(folder: &Folder, arguments: &[&str]) -> Answer {
    let scan = ["scan", "input.yaml", "-p", "pod-security", "--settings", "settings.yaml", "-o", "json"];
    let (status, stdout, _) = folder.run(&[&scan, arguments].concat(), "");
    let report: Value = serde_json::from_str(&stdout).unwrap();
    let findings = report["findings"].as_array().unwrap().iter();
    (status, findings.map(|finding| finding["message"].as_str().unwrap().to_owned()).collect())
}

/// The status of `test`, for a case that wants the objects to be admitted; 2 if the policy is not
/// asked about them.
fn test(folder: &Folder) -> i32 {
    let case = |want: &str| {
        let text = format!(
            "policies: [pod-security]\ndefaults: {{settings: {{level: baseline}}}}\ncases:\n\
             - {{name: a, objects: {{files: [input.yaml]}}, want: {want}}}\n\
             - {{name: b, object: {POD}, want: {{admitted: true}}}}\n"
        );
        folder.file("a.test.yaml", text);
        folder.run(&["test", "a.test.yaml"], "").0
    };
    match case("{admitted: true}") {
        1 if case("{skipped: rules}") == 0 => 2,
        status => status,
    }
}

fn page(text: &str) -> i32 {
    let policy = PolicyInput {
        id: "pod-security".to_owned(),
        enabled: true,
        settings: SETTINGS.to_owned(),
        ..PolicyInput::default()
    };
    let workspace = Workspace { objects: text.to_owned(), policies: vec![policy], ..Workspace::default() };
    let matrix = Playground::new().evaluate(workspace);
    let outcomes: Vec<Outcome> = matrix.cells.iter().flatten().filter_map(|cell| cell.outcome).collect();
    let is = |outcome: Outcome| outcomes.contains(&outcome);
    // The page has a row for what others skip with a warning.
    let has_problem = |object: &ObjectState| object.problem.is_some() && object.title != "Not an object";
    let has_problems = matrix.objects.iter().any(has_problem);
    if has_problems || is(Outcome::Fault) || is(Outcome::Unknown) {
        2
    } else if is(Outcome::Denied) {
        1
    } else if is(Outcome::Passed) {
        0
    } else {
        2
    }
}

#[test]
fn every_command_and_the_page_give_one_answer() {
    let inputs: Vec<Input> = serde_saphyr::from_str(include_str!("inputs.yaml")).unwrap();
    let mut differences = Vec::new();
    for Input { name, status, strict, text } in &inputs {
        let folder = Folder::new();
        folder.file("input.yaml", text);
        folder.file("settings.yaml", SETTINGS);
        let (ran, scanned, page) = (run(&folder), scan(&folder, &[]), page(text));
        let (strictly, test) = (scan(&folder, &["--strict"]).0, test(&folder));
        let strict = strict.unwrap_or(*status);
        if [ran.0, scanned.0, page] != [*status; 3] || [strictly, test] != [strict; 2] {
            differences.push(format!(
                "{name}: run {}, scan {}, page {page}; scan --strict {strictly}, test {test}",
                ran.0, scanned.0
            ));
        } else if *status == 1 && ran.1 != scanned.1 {
            differences.push(format!("{name}: {:?} and {:?}", ran.1, scanned.1));
        }
    }
    assert!(inputs.len() >= 30 && differences.is_empty(), "{}", differences.join("\n"));
}
