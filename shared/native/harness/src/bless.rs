//! Blessing: writing the actual outcome of a case into its file, for review.

use std::fmt::Write as _;

use serde_json::Value;

use crate::{Case, CaseOutcome};

/// Returns whether expectations are to be rewritten: `BLESS=1`.
#[must_use]
pub fn is_wanted() -> bool {
    std::env::var_os("BLESS").is_some_and(|value| value == "1")
}

/// Returns the text of a case file in which a case expects an outcome. The rest of the text is
/// unchanged, including comments: `want` is the last key of a case, and its lines are replaced.
///
/// # Errors
/// Returns an error if the layout of the file is not that of `cases/readme.yaml`.
pub fn bless(text: &str, case: &Case, outcome: &CaseOutcome) -> Result<String, String> {
    let unfit = || format!("{}: to bless it, write `- name: …` first and `  want:` last", case.place());
    let mut lines: Vec<&str> = text.lines().collect();
    let is_name = |line: &str| {
        let name = line.strip_prefix("- name:").map(str::trim);
        name.is_some_and(|name| serde_saphyr::from_str::<String>(name).is_ok_and(|name| name == case.name))
    };
    let start = lines.iter().position(|line| is_name(line)).ok_or_else(unfit)?;
    let next = |from: usize, stop: &dyn Fn(&str) -> bool| {
        lines.iter().enumerate().skip(from.saturating_add(1)).find(|(_, line)| stop(line)).map(|(at, _)| at)
    };
    let mut end = next(start, &|line| line.starts_with("- ") || line.starts_with('#')).unwrap_or(lines.len());
    let want = next(start, &|line| line.starts_with("  want:")).filter(|at| *at < end).ok_or_else(unfit)?;
    while end > want && lines.get(end.saturating_sub(1)).is_some_and(|line| line.trim().is_empty()) {
        end = end.saturating_sub(1);
    }
    let new = written(outcome);
    lines.splice(want..end, new.lines());
    let mut text = lines.join("\n");
    text.push('\n');
    Ok(text)
}

/// Returns an outcome as case files show it. Strings are written as JSON, which is also YAML.
fn written(outcome: &CaseOutcome) -> String {
    let CaseOutcome {
        admitted: _,
        denied,
        mutated,
        fault,
        settings_error,
        warnings,
        audit_annotations,
        asked,
    } = outcome;
    let mut text = String::from("  want:\n");
    let quoted = |text: &str| Value::from(text).to_string();
    let mut line = |indent: usize, rest: String| {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{:indent$}{rest}", "");
    };
    if let Some(lines) = denied {
        line(4, "denied:".to_owned());
        for violation in lines {
            line(6, format!("- {}", quoted(violation)));
        }
    } else if let Some(object) = mutated {
        line(4, format!("mutated: {object}"));
    } else if let Some(message) = fault {
        line(4, format!("fault: {}", quoted(message)));
    } else if let Some(message) = settings_error {
        line(4, format!("settingsError: {}", quoted(message)));
    } else {
        line(4, "admitted: true".to_owned());
    }
    if !warnings.is_empty() {
        line(4, "warnings:".to_owned());
        for warning in warnings {
            line(6, format!("- {}", quoted(warning)));
        }
    }
    if !audit_annotations.is_empty() {
        line(4, "auditAnnotations:".to_owned());
        for (key, value) in audit_annotations {
            line(6, format!("{key}: {}", quoted(value)));
        }
    }
    if !asked.is_empty() {
        line(4, format!("asked: {}", Value::from(asked.clone())));
    }
    text
}
