//! The settings for a `podSecurity` check.

use std::collections::BTreeSet;

use rules::pod_security::standard::{CHECKS, Check, Revision};
use rules::pod_security::{Level, Version};
use serde_json::{Map, Value, json};

use crate::InputError;
use crate::conversion::FieldProblem;
use crate::fields::Fields;

/// Why a rule that only warns has another mode and level than its policy.
const WARNS: &str = "The module does not warn about requests that it denies, and mode monitor discards denials. \
                     Therefore this policy runs in mode protect at level privileged, which denies nothing, and warns \
                     and audits at the level of the rule. For reports on violations, add a second policy in mode \
                     monitor.";

/// How a rule handles violations.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum ViolationAction {
    /// Denies the request.
    Deny,
    /// Admits the request and reports the violation.
    Report,
    /// Admits the request, reports the violation and warns the requesting user.
    Warn,
}

impl ViolationAction {
    /// Reads the action of a rule from `validate`, or from the `spec` of its policy.
    ///
    /// # Errors
    /// An action that Kyverno does not define.
    pub(super) fn read(spec: &Fields<'_>, validate: &Fields<'_>) -> Result<Self, InputError> {
        let (fields, key) = match validate.get("failureAction") {
            Some(_) => (validate, "failureAction"),
            None => (spec, "validationFailureAction"),
        };
        let warns = spec.boolean("emitWarning")? == Some(true);
        match fields.text(key)? {
            Some(action) if action.eq_ignore_ascii_case("enforce") => Ok(Self::Deny),
            Some(action) if !action.eq_ignore_ascii_case("audit") => {
                Err(fields.error(key, "expected Enforce or Audit"))
            }
            _ if warns => Ok(Self::Warn),
            _ => Ok(Self::Report),
        }
    }
}

/// Converts a `podSecurity` check without its `exclude` entries.
///
/// # Errors
/// A value of `allowExistingViolations` that is not a boolean.
pub(super) fn convert(
    validate: &Fields<'_>,
    check: &Fields<'_>,
    action: ViolationAction,
    problems: &mut Vec<FieldProblem>,
    notes: &mut Vec<String>,
) -> Result<Map<String, Value>, InputError> {
    let mut settings = Map::new();
    for key in ["level", "profile", "version"] {
        if let Some(value) = check.get(key).filter(|value| value.as_str() != Some("")) {
            settings.insert(key.to_owned(), value.clone());
        }
    }
    problems.extend(check.unknown(&["level", "profile", "version", "exclude"]));
    let level = settings.get("level").or_else(|| settings.get("profile")).cloned();
    let level = level.unwrap_or_else(|| "restricted".into());
    let key = if settings.contains_key("profile") { "profile" } else { "level" };
    settings.entry(key).or_insert_with(|| level.clone());
    if level == "privileged" {
        let problem = "the level privileged allows everything, so nothing is checked";
        problems.push(FieldProblem::new(check.path(key), problem));
    }
    let version = settings.entry("version").or_insert_with(|| "latest".into()).clone();
    if let (Some(level), Some(version)) = (level.as_str(), version.as_str()) {
        notes.extend(note_on_later_checks(level, version));
    }
    let tolerates = validate.boolean("allowExistingViolations")?.unwrap_or(true);
    match action {
        ViolationAction::Deny => {
            let value = if tolerates { "Tolerate" } else { "Recheck" };
            settings.insert("existingViolations".to_owned(), value.into());
        }
        ViolationAction::Report => {}
        ViolationAction::Warn => {
            let standard = json!({ "level": level, "version": version });
            settings.remove("version");
            settings.insert(key.to_owned(), "privileged".into());
            settings.insert("audit".to_owned(), standard.clone());
            settings.insert("warn".to_owned(), standard);
            notes.push(WARNS.to_owned());
        }
    }
    Ok(settings)
}

/// Names the controls that Kyverno checks at a level although the version of the standards does not
/// include them; `None` if no control differs.
///
/// For versions before the first revision of a check, Kyverno applies that first revision.
fn note_on_later_checks(level: &str, version: &str) -> Option<String> {
    let (level, minor) = (Level::named(level)?, Version::parse(version)?.minor());
    let checks = CHECKS.iter().filter(|check| check.level <= level);
    let (current, later): (Vec<&Check>, Vec<&Check>) = checks.partition(|check| check.at(minor).is_some());
    let fields = |revision: Option<&Revision>| -> BTreeSet<String> {
        revision.iter().flat_map(|revision| revision.rules).flat_map(|rule| rule.field.paths()).collect()
    };
    let name = |check: &&Check| match current.iter().find(|other| other.control == check.control) {
        None => Some(check.control.to_owned()),
        // The control is checked at another level, which restricts the same fields.
        Some(other) if fields(other.at(minor)).is_superset(&fields(check.revisions.first())) => None,
        Some(_) => Some(format!("{} at {}", check.control, check.level.name())),
    };
    let names: Vec<String> = later.iter().filter_map(name).collect();
    let (last, others) = names.split_last()?;
    let names = if others.is_empty() { last.clone() } else { format!("{} and {last}", others.join(", ")) };
    Some(format!("Kyverno also checks {names}, which {version} does not include."))
}
