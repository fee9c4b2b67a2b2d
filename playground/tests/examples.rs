//! Every sample and every case results in its expected verdict in the playground.

use std::fs;
use std::path::{Path, PathBuf};

use admission::{Decision, Finding, PolicyEntry};
use harness::{Case, CaseOutcome as Want};
use manifest::Step;
use playground::{
    Input, JudgeResult, Line, Operation, RequestVerdict, VerdictKind, case_input, cases, judge, sample_input,
};
use serde_json::Value;

fn policies() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../policies")
}

fn only_verdict(result: JudgeResult) -> Result<RequestVerdict, String> {
    match <[RequestVerdict; 1]>::try_from(result.verdicts) {
        Ok([verdict]) => Ok(verdict),
        Err(_) => Err(result.problems.into_iter().map(|problem| problem.message).collect()),
    }
}

fn message(verdict: &RequestVerdict) -> Vec<&str> {
    verdict.violations.iter().map(|line| line.message.as_str()).collect()
}

#[test]
fn samples_get_the_verdict_in_their_readme() {
    for policy in playground::policies().policies {
        for sample in &policy.samples {
            let input = sample_input(&policy.id, &sample.name).unwrap();
            let verdict = only_verdict(judge(&input)).unwrap();
            let words = match verdict.kind {
                VerdictKind::Admitted | VerdictKind::NotMatched => "admitted",
                VerdictKind::Mutated => "admitted, mutated",
                VerdictKind::Denied => "denied",
                VerdictKind::Fault => "fault",
            };
            assert!(sample.verdict.starts_with(words), "{}, {}: {verdict:?}", policy.id, sample.name);
        }
    }
}

/// Checks the verdict on a case. Returns the actual verdict as the error if it is not the expected
/// one.
fn check(id: &str, input: &Input, want: &Want) -> Result<(), String> {
    let result = judge(input);
    if let Some(error) = &want.settings_error {
        let messages: Vec<&str> = result.problems.iter().map(|problem| problem.message.as_str()).collect();
        return if messages.contains(&error.as_str()) { Ok(()) } else { Err(format!("{messages:?}")) };
    }
    let verdict = only_verdict(result)?;
    let same = match (&want.denied, &want.fault, &want.mutated) {
        (Some(lines), _, _) => verdict.kind == VerdictKind::Denied && message(&verdict) == *lines,
        (_, Some(fault), _) => verdict.kind == VerdictKind::Fault && message(&verdict).join("\n") == *fault,
        (_, _, Some(object)) => {
            let after = verdict.diff.as_ref().map(|diff| diff.after.as_str()).unwrap_or_default();
            verdict.kind == VerdictKind::Mutated
                && manifest::documents(after).is_ok_and(|documents| documents == [object.clone()])
        }
        _ => matches!(verdict.kind, VerdictKind::Admitted | VerdictKind::NotMatched),
    };
    let warnings: Vec<&str> = verdict.warnings.iter().map(|line| line.message.as_str()).collect();
    let annotations = verdict.audit_annotations.iter().map(|annotation| (&annotation.key, &annotation.value));
    let same = same && warnings == want.warnings && annotations.eq(&want.audit_annotations);
    if same { Ok(()) } else { Err(format!("{id}: {verdict:?}")) }
}

/// Checks that the line of a finding is marked at the last step of its path that exists in the
/// text. Returns `None` if the finding does not lie in a text.
fn is_mark_correct(input: &Input, finding: &Finding, line: &Line) -> Option<bool> {
    let [Step::Field(_), Step::Field(field), path @ ..] = finding.steps.as_slice() else { return None };
    let text = match (field.as_str(), input.operation) {
        ("object", _) | ("oldObject", Operation::Delete) => &input.manifest,
        ("oldObject", _) => &input.old_object,
        _ => return None,
    };
    let documents = manifest::documents(text).ok()?;
    let mut value = documents.first().filter(|object| object.get("metadata").is_some())?;
    let mut last = None;
    for step in path {
        let below = match step {
            Step::Field(name) => value.get(name),
            Step::Index(index) => value.get(usize::try_from(*index).ok()?),
        };
        let Some(below) = below else { break };
        last = Some((step, below));
        value = below;
    }
    let (step, value) = last?;
    let mark = line.mark?;
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
    match (entry.judge)(&payload, &*case.objects()?).decision {
        Decision::Denied(findings) => Ok(findings.listed),
        _ => Ok(Vec::new()),
    }
}

#[test]
fn cases_get_their_expected_verdict() {
    let mut marked = 0_usize;
    for entry in rules::CATALOG {
        let folder = policies().join(entry.id).join("cases");
        for file in fs::read_dir(folder).unwrap() {
            let file = file.unwrap().path();
            let text = fs::read_to_string(&file).unwrap();
            let known = harness::load(&file).unwrap();
            let names: Vec<String> = cases(&text).examples.into_iter().map(|example| example.name).collect();
            assert!(known.iter().map(|case| &case.name).eq(&names), "{}", file.display());
            for case in &known {
                let input = case_input(entry.id, &text, &case.name).unwrap();
                check(entry.id, &input, &case.want)
                    .unwrap_or_else(|actual| panic!("{}: {actual}", case.place()));
                let verdicts = judge(&input).verdicts;
                let lines = verdicts.iter().flat_map(|verdict| &verdict.violations);
                for (line, finding) in lines.zip(findings(entry, case).unwrap()) {
                    assert_eq!(line.message, finding.to_string());
                    let correct = is_mark_correct(&input, &finding, line);
                    assert_ne!(correct, Some(false), "{}: {line:?}\n{}", case.place(), input.manifest);
                    marked += usize::from(correct.is_some());
                }
            }
        }
    }
    assert!(marked > 1000, "{marked}");
}
