//! The settings for a `podSecurity` check.

use std::collections::BTreeSet;

use rules::pod_security::standard::{CHECKS, Check, Revision};
use rules::pod_security::{Level, Version};
use serde_json::{Map, Value, json};

use super::violation_action::ViolationAction;
use crate::conversion::{Effect, FieldProblem};
use crate::fields::Fields;

/// Why a rule that only warns has another mode and level than its policy.
pub(super) const WARNS: &str = "The module does not warn about requests that it denies, and mode monitor discards denials. \
                     Therefore this policy runs in mode protect at level privileged, which denies nothing, and warns \
                     and audits at the level of the rule.";

#[derive(Debug)]
pub(super) struct Standard {
    /// `level`, or `profile` as in the rule.
    key: &'static str,
    level: Value,
    version: Value,
    /// Whether the version is in the place of a later one, which Kyverno does not know.
    is_pinned: bool,
}

/// The newest version of the standards in Kyverno 1.19: `kyverno/pod-security-admission` at
/// 46f2077, which the `go.mod` of kyverno/kyverno at 111e07b names.
const NEWEST: (u8, &str) = (34, "v1.34");

impl Standard {
    /// Reads a check without its `exclude` entries.
    pub(super) fn read(check: &Fields<'_>, problems: &mut Vec<FieldProblem>) -> Self {
        problems.extend(check.unknown(&["level", "profile", "version", "exclude"]));
        let field = |key: &str| check.get(key).filter(|value| value.as_str() != Some("")).cloned();
        let (key, level) = match (field("level"), field("profile")) {
            (None, Some(profile)) => ("profile", profile),
            (level, _) => ("level", level.unwrap_or_else(|| "restricted".into())),
        };
        if level == "privileged" {
            let problem = "Kyverno runs all checks at the level privileged, and the module runs none; set another level";
            problems.push(FieldProblem::new(check.path(key), problem).with(Effect::Admits));
        }
        let version = field("version").unwrap_or_else(|| "latest".into());
        let parsed = version.as_str().and_then(Version::parse);
        let is_pinned = parsed.is_some_and(|version| version.minor() > NEWEST.0);
        let version = if is_pinned { NEWEST.1.into() } else { version };
        let standard = Self { key, level, version, is_pinned };
        let later = standard
            .later_checks()
            .map(|problem| FieldProblem::new(check.path("version"), problem).with(Effect::Admits));
        problems.extend(later);
        standard
    }

    /// The level of a check of the library. [`Coverage`](super::library::Coverage) writes the
    /// settings in full.
    pub(super) fn of_library() -> Self {
        Self { key: "level", level: "restricted".into(), version: "latest".into(), is_pinned: false }
    }

    /// A note on a version that is not that of the rule.
    pub(super) fn note(&self) -> Option<String> {
        let version = NEWEST.1;
        self.is_pinned.then(|| {
            format!(
                "Kyverno 1.19 knows the standards up to {version}, those of the library that it is built with, and so \
                 does the manifest; later ones admit more of pods with hostUsers: false."
            )
        })
    }

    /// The settings that evaluate the check alone, as background audits do.
    pub(super) fn settings(&self) -> Map<String, Value> {
        let mut settings = Map::new();
        settings.insert(self.key.to_owned(), self.level.clone());
        settings.insert("version".to_owned(), self.version.clone());
        settings
    }

    /// The settings that evaluate requests.
    pub(super) fn settings_for(&self, action: ViolationAction, tolerates: bool) -> Map<String, Value> {
        let mut settings = self.settings();
        match action {
            ViolationAction::Deny => {
                let value = if tolerates { "Tolerate" } else { "Recheck" };
                settings.insert("existingViolations".to_owned(), value.into());
            }
            ViolationAction::Report => {}
            ViolationAction::Warn => {
                let standard = json!({ "level": self.level, "version": self.version });
                settings.remove("version");
                settings.insert(self.key.to_owned(), "privileged".into());
                settings.insert("audit".to_owned(), standard.clone());
                settings.insert("warn".to_owned(), standard);
            }
        }
        settings
    }

    /// Names the controls that Kyverno checks at the level although the version of the standards
    /// does not include them; `None` if no control differs.
    ///
    /// For versions before the first revision of a check, Kyverno applies that first revision.
    fn later_checks(&self) -> Option<String> {
        let (level, version) = (self.level.as_str()?, self.version.as_str()?);
        let (level, minor) = (Level::named(level)?, Version::parse(version)?.minor());
        let checks = CHECKS.iter().filter(|check| check.level <= level);
        let (current, later): (Vec<&Check>, Vec<&Check>) =
            checks.partition(|check| check.at(minor).is_some());
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
        let names =
            if others.is_empty() { last.clone() } else { format!("{} and {last}", others.join(", ")) };
        Some(format!(
            "Kyverno also checks {names}, which {version} does not include; to check it, raise the version"
        ))
    }
}
