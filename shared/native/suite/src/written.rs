//! Wants and results as lines of a test file.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::got::{Got, Line as GotLine, Verdict};
use crate::lines::{self, Text, borrowed, pairs};
use crate::paths::value_at;
use crate::scalar::{quoted, scalar};
use crate::want::{Line, Mutation, Want, Wanted};

/// Returns what is wanted, without what `got` shows to be met by patterns.
pub(crate) fn want(want: &Want, got: &Got) -> Vec<String> {
    let mut lines = match &want.verdict {
        Wanted::Admitted => vec!["admitted: true".to_owned()],
        Wanted::Denied(wanted) => list("denied", wanted, &of_denial(&got.verdict)),
        Wanted::Monitored(wanted) => list("monitored", wanted, &of_denial(&got.verdict)),
        Wanted::Mutated(Mutation::Any) => vec!["mutated: true".to_owned()],
        Wanted::Mutated(Mutation::Object(object)) => block("mutated", object),
        Wanted::Mutated(Mutation::Values(values)) => {
            let one =
                |(path, value): &(String, Value)| format!("  - {{path: {}, equals: {value}}}", scalar(path));
            ["mutated:".to_owned()].into_iter().chain(values.iter().map(one)).collect()
        }
        Wanted::Fault(line) => vec![format!("fault: {}", met(line, fault(&got.verdict)))],
        Wanted::SettingsError(line) => {
            vec![format!("settingsError: {}", met(line, settings_error(&got.verdict)))]
        }
        Wanted::Skipped(why) => vec![format!("skipped: {}", scalar(why))],
    };
    // A list of cases does not write empty lists.
    let shown = |is_empty: bool| !(want.says_all && is_empty);
    if let Some(wanted) = want.warnings.as_ref().filter(|wanted| shown(wanted.is_empty())) {
        lines.extend(list("warnings", wanted, &lines::texts(&got.warnings)));
    }
    if let Some(wanted) = want.audit_annotations.as_ref().filter(|wanted| shown(wanted.is_empty())) {
        lines.push("auditAnnotations:".to_owned());
        let one = |(key, line): (&String, &Line)| {
            let got = got.audit_annotations.get(key).map(String::as_str);
            format!("  {}: {}", scalar(key), met(line, got))
        };
        lines.extend(wanted.iter().map(one));
    }
    if let Some(wanted) = want.asked.as_ref().filter(|wanted| shown(wanted.is_empty())) {
        lines.extend(list("asked", wanted, &lines::texts(&got.asked)));
    }
    lines
}

/// Returns what happens, with the lists that the case compares.
pub(crate) fn got(got: &Got, want: Option<&Want>) -> Vec<String> {
    let mut lines = verdict(&got.verdict, want);
    lines.extend(notes(got, want));
    lines
}

/// Returns what happens as a case wants it from now on; `None` if it is not known. `is_one` says
/// whether the case has one request.
pub(crate) fn blessed(got: &Got, want: Option<&Want>, is_one: bool) -> Option<Vec<String>> {
    let mut lines = match &got.verdict {
        Verdict::Unknown(_) => return None,
        Verdict::Mutated(_) if !is_one => vec!["mutated: true".to_owned()],
        Verdict::Mutated(object) => match want.map(|want| &want.verdict) {
            Some(Wanted::Mutated(Mutation::Values(_))) => verdict(&got.verdict, want),
            _ => vec![format!("mutated: {object}")],
        },
        known => verdict(known, want),
    };
    lines.extend(notes(got, want));
    Some(lines)
}

/// Returns the lists that the case compares.
fn notes(got: &Got, want: Option<&Want>) -> Vec<String> {
    let Some(want) = want else { return Vec::new() };
    let shown = |is_given: bool, is_empty: bool| is_given && !(want.says_all && is_empty);
    let mut lines = Vec::new();
    if shown(want.warnings.is_some(), got.warnings.is_empty()) {
        lines.extend(texts("warnings", &got.warnings));
    }
    if let Some(wanted) = &want.audit_annotations {
        // The rules of a denial are compared only where a case names them.
        let mut got = got.audit_annotations.clone();
        got.retain(|key, _| wanted.contains_key(key) || key != admission::RULES);
        if !(want.says_all && got.is_empty()) {
            lines.extend(annotations(&got));
        }
    }
    if shown(want.asked.is_some(), got.asked.is_empty()) {
        lines.extend(texts("asked", &got.asked));
    }
    lines
}

fn verdict(verdict: &Verdict, want: Option<&Want>) -> Vec<String> {
    match verdict {
        Verdict::Skipped(why, _) => vec![format!("skipped: {}", scalar(why))],
        Verdict::Admitted => vec!["admitted: true".to_owned()],
        Verdict::Mutated(object) => match want.map(|want| &want.verdict) {
            Some(Wanted::Mutated(Mutation::Values(values))) => {
                let value = |path: &str| value_at(object, path).unwrap_or(&Value::Null);
                let one = |(path, _): &(String, Value)| {
                    format!("  - {{path: {}, equals: {}}}", scalar(path), value(path))
                };
                ["mutated:".to_owned()].into_iter().chain(values.iter().map(one)).collect()
            }
            _ => block("mutated", object),
        },
        Verdict::Monitored(lines) => denial("monitored", lines),
        Verdict::Denied(lines) => denial("denied", lines),
        Verdict::Fault(message) => vec![format!("fault: {}", quoted(message))],
        Verdict::SettingsError(message) => vec![format!("settingsError: {}", quoted(message))],
        Verdict::Unknown(reason) => vec![format!("# unknown: {}", report::one_line(reason))],
    }
}

fn denial(key: &str, lines: &[GotLine]) -> Vec<String> {
    let lines = lines.iter().map(|line| format!("  - {}", quoted(&line.text)));
    [format!("{key}:")].into_iter().chain(lines).collect()
}

fn texts(key: &str, texts: &[String]) -> Vec<String> {
    if texts.is_empty() {
        return vec![format!("{key}: []")];
    }
    let lines = texts.iter().map(|text| format!("  - {}", quoted(text)));
    [format!("{key}:")].into_iter().chain(lines).collect()
}

fn annotations(annotations: &BTreeMap<String, String>) -> Vec<String> {
    if annotations.is_empty() {
        return vec!["auditAnnotations: {}".to_owned()];
    }
    let lines = annotations.iter().map(|(key, text)| format!("  {}: {}", scalar(key), quoted(text)));
    ["auditAnnotations:".to_owned()].into_iter().chain(lines).collect()
}

/// Returns the lines of a wanted list. A pattern that a line meets is shown as that line, so that a
/// comparison shows only what differs.
fn list(key: &str, wanted: &[Line], got: &[Text<'_>]) -> Vec<String> {
    if wanted.is_empty() {
        return vec![format!("{key}: []")];
    }
    let lines = wanted.iter().zip(pairs(wanted, got)).map(|(line, pair)| match pair {
        Some(at) => format!("  - {}", quoted(got[at].1)),
        None => format!("  - {}", line.written()),
    });
    [format!("{key}:")].into_iter().chain(lines).collect()
}

fn of_denial(verdict: &Verdict) -> Vec<Text<'_>> {
    match verdict {
        Verdict::Denied(lines) | Verdict::Monitored(lines) => borrowed(lines),
        _ => Vec::new(),
    }
}

fn met(line: &Line, got: Option<&str>) -> String {
    got.filter(|got| line.is(None, got)).map_or_else(|| line.written(), quoted)
}

fn fault(verdict: &Verdict) -> Option<&str> {
    if let Verdict::Fault(message) = verdict { Some(message) } else { None }
}

fn settings_error(verdict: &Verdict) -> Option<&str> {
    if let Verdict::SettingsError(message) = verdict { Some(message) } else { None }
}

/// Returns a value as a block of YAML below a key.
fn block(key: &str, value: &Value) -> Vec<String> {
    match manifest::write(value) {
        Some(text) => {
            let lines = text.lines().map(|line| format!("  {line}"));
            [format!("{key}:")].into_iter().chain(lines).collect()
        }
        None => vec![format!("{key}: {value}")],
    }
}
