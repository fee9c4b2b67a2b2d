//! Every sample and every case gets the verdict of the module in the matrix.

use std::fs;
use std::path::{Path, PathBuf};

use admission::{Decision, Finding, PolicyEntry};
use kubernetes::completion::{Phase, complete};
use manifest::Step;
use playground::{
    CellAnswer, CellState, Matrix, Operation, Outcome, Playground, TextMark, TextName, ViolationDetail,
    Workspace, case_workspace, sample_workspace, workspace_of,
};
use serde_json::Value;
use suite::cases::{Case, CaseOutcome as Want};

fn policies() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../policies")
}

fn only_cell(matrix: &Matrix) -> Option<&CellState> {
    matrix.cells.first()?.first()
}

/// Returns the matrix and the only answer of its only cell.
fn evaluate(workspace: &Workspace) -> (Matrix, Option<CellAnswer>) {
    let mut playground = Playground::new();
    let matrix = playground.evaluate(workspace.clone());
    let mut answers = playground.cell(0, 0).answers;
    assert!(answers.len() < 2 && matrix.objects.len() == 1, "{workspace:?}");
    let answer = answers.pop();
    // The matrix says what the detail says.
    if let (Some(answer), Some(cell)) = (&answer, only_cell(&matrix)) {
        assert_eq!(cell.outcome, Some(answer.outcome), "{matrix:?}");
        let listed: usize = answer.groups.iter().map(|group| group.violations.len()).sum();
        let more = usize::try_from(answer.more).unwrap_or(usize::MAX);
        assert_eq!(usize::try_from(cell.violations), Ok(listed + more));
        let is_decided = cell.decided_by.is_some();
        assert_eq!(answer.outcome == Outcome::NotLookedAt, is_decided, "{answer:#?}");
    }
    (matrix, answer)
}

fn violations(answer: &CellAnswer) -> impl Iterator<Item = &ViolationDetail> {
    answer.groups.iter().flat_map(|group| &group.violations)
}

#[test]
fn samples_get_the_verdict_in_their_readme() {
    let mut count = 0_usize;
    for policy in playground::policies().policies {
        for sample in &policy.samples {
            let (matrix, answer) = evaluate(&sample_workspace(&policy.id, &sample.name).unwrap());
            let answer = answer.unwrap_or_else(|| panic!("{matrix:?}"));
            let words = match answer.outcome {
                Outcome::Passed | Outcome::NotLookedAt | Outcome::Warned => "admitted",
                Outcome::Changed => "admitted, mutated",
                Outcome::Denied => "denied",
                Outcome::Fault => "fault",
                Outcome::Unknown | Outcome::Monitored => panic!("{answer:?}"),
            };
            assert!(sample.verdict.starts_with(words), "{}, {}: {answer:?}", policy.id, sample.name);
            count += 1;
        }
    }
    assert!(count > 20, "{count}");
}

/// Returns an object of a case, or a page, as a validating webhook receives it.
fn completed(mut object: Value) -> Value {
    complete(&mut object, Phase::Validating);
    object
}

/// Checks the verdict on a case. Returns the actual verdict as the error if it is not the expected
/// one.
fn check(workspace: &Workspace, want: &Want) -> Result<Option<CellAnswer>, String> {
    let (matrix, answer) = evaluate(workspace);
    if let Some(error) = &want.settings_error {
        let mut problems = matrix.policies.iter().flat_map(|policy| &policy.problems);
        let is_first = problems.next().is_some_and(|problem| problem.message == *error);
        let is_unknown = only_cell(&matrix).and_then(|cell| cell.outcome) == Some(Outcome::Unknown);
        return if is_first && is_unknown { Ok(None) } else { Err(format!("{matrix:?}")) };
    }
    let Some(answer) = answer else { return Err(format!("no answer: {matrix:?}")) };
    let response: Value = serde_json::from_str(&answer.response).map_err(|error| error.to_string())?;
    let message = response.pointer("/status/message").and_then(Value::as_str).unwrap_or_default();
    let same = match (&want.denied, &want.fault, &want.mutated) {
        (Some(lines), ..) => answer.outcome == Outcome::Denied && message == lines.join("\n"),
        (_, Some(fault), _) => answer.outcome == Outcome::Fault && message == fault,
        (.., Some(object)) => {
            let after = answer.diff.as_ref().map(|diff| diff.after.as_str()).unwrap_or_default();
            answer.outcome == Outcome::Changed
                && !answer.patch.is_empty()
                && manifest::documents(after).is_ok_and(|documents| {
                    documents.into_iter().map(completed).eq([completed(object.clone())])
                })
        }
        _ => {
            let warned = if want.warnings.is_empty() { Outcome::Passed } else { Outcome::Warned };
            answer.outcome == warned || answer.outcome == Outcome::NotLookedAt && want.warnings.is_empty()
        }
    };
    let annotations = answer
        .audit
        .iter()
        .filter(|audit| audit.annotation.key != admission::RULES)
        .map(|audit| (&audit.annotation.key, &audit.annotation.value));
    let same = same && answer.warnings == want.warnings && annotations.eq(&want.audit_annotations);
    let same = same && answer.look_ups == want.asked;
    if same { Ok(Some(answer)) } else { Err(format!("{answer:?}")) }
}

/// Checks that a finding is marked at the last step of its path that exists in the text. Returns
/// `None` if the finding does not lie in a text.
fn is_mark_correct(workspace: &Workspace, finding: &Finding, mark: Option<TextMark>) -> Option<bool> {
    let [Step::Field(_), Step::Field(field), path @ ..] = finding.steps.as_slice() else { return None };
    let (text, name) = match (field.as_str(), workspace.request.operation) {
        ("object", _) | ("oldObject", Operation::Delete) => (&workspace.objects, TextName::Objects),
        ("oldObject", _) => (&workspace.old_objects, TextName::OldObjects),
        _ => return None,
    };
    let documents = manifest::documents(text).ok()?;
    let mut value = documents.first().filter(|object| object.get("metadata").is_some())?;
    let mut last = None;
    let mut is_exact = true;
    for step in path {
        let below = match step {
            Step::Field(name) => value.get(name),
            Step::Index(index) => value.get(usize::try_from(*index).ok()?),
        };
        let Some(below) = below else {
            is_exact = false;
            break;
        };
        last = Some((step, below));
        value = below;
    }
    let (step, value) = last?;
    let Some(mark) = mark else { return Some(false) };
    if (mark.text, mark.is_exact) != (name, is_exact) {
        return Some(false);
    }
    let marked = text.lines().nth(usize::try_from(mark.line).ok()?.checked_sub(1)?)?;
    let marked: String = marked.chars().skip(usize::try_from(mark.column).ok()?.checked_sub(1)?).collect();
    Some(match (step, value) {
        (Step::Field(name), _) => marked.trim_start_matches('"').starts_with(name.as_str()),
        // Compares only up to the first character that can be escaped.
        (Step::Index(_), Value::String(text)) => {
            let plain = text.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
            marked.trim_start_matches('"').starts_with(plain)
        }
        (Step::Index(_), Value::Object(fields)) => {
            fields.keys().next().is_none_or(|first| marked.trim_start_matches('"').starts_with(first))
        }
        _ => true,
    })
}

/// The findings of a case; none if the case is not denied.
fn findings(entry: &PolicyEntry, case: &Case) -> Result<Vec<Finding>, String> {
    let payload = case.admission_request()?.payload(&case.settings);
    match (entry.evaluate)(&payload, &*case.objects()?).decision {
        Decision::Denied(findings) => Ok(findings.listed),
        _ => Ok(Vec::new()),
    }
}

#[test]
fn cases_get_their_expected_verdict() {
    let (mut count, mut marked, mut split) = (0_usize, 0_usize, 0_usize);
    for entry in rules::CATALOG {
        for file in fs::read_dir(policies().join(entry.id).join("cases")).unwrap() {
            let file = file.unwrap().path();
            let text = fs::read_to_string(&file).unwrap();
            let cases = suite::cases::load(&file).unwrap();
            // The page knows a case by its name. Each time, the whole file is read again.
            let last = cases.last().unwrap();
            assert_eq!(case_workspace(entry.id, &text, &last.name), Some(workspace_of(entry.id, last)));
            for case in &cases {
                let workspace = workspace_of(entry.id, case);
                let answer = check(&workspace, &case.want)
                    .unwrap_or_else(|actual| panic!("{}: {actual}\n{:?}", case.place(), case.want));
                count += 1;
                split += usize::from(!workspace.objects.contains("\nuserInfo:"));
                let Some(answer) = answer else { continue };
                let mut found = findings(entry, case).unwrap();
                // Violations are grouped by control.
                for violation in violations(&answer) {
                    let at = found.iter().position(|finding| finding.to_string() == violation.message);
                    let finding = found.remove(at.unwrap_or_else(|| panic!("{violation:?}")));
                    let correct = is_mark_correct(&workspace, &finding, violation.mark);
                    assert_ne!(
                        correct,
                        Some(false),
                        "{}: {violation:?}\n{}",
                        case.place(),
                        workspace.objects
                    );
                    marked += usize::from(correct.is_some());
                }
                assert!(found.is_empty(), "{found:?}");
            }
        }
    }
    assert!(count > 2000 && marked > 1000 && split > 1500, "{count} {marked} {split}");
}
