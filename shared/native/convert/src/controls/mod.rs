//! Policies for single controls, as one policy by the Pod Security Standards.
//!
//! Gatekeeper's library and Kubewarden's official policies have a policy for each control. A
//! [`Requirement`] is the part of such a policy that a check of the standards makes as well: the
//! check, those of its fields that the policy restricts, and entries for what the policy allows.
//! [`settings`] joins requirements: the checks and fields that no requirement names are excluded.
//! [`join`] makes one manifest of the policies that evaluate the same requests.

mod part;
mod ports;
mod volumes;

use std::collections::BTreeSet;

use rules::pod_security::Level;
use rules::pod_security::standard::{CHECKS, Check, Field, FieldRule};
use serde_json::{Map, Value, json};

pub(crate) use part::{Converted, MONITORS, Otherwise, Outcome, Part, for_audits, join};
pub(crate) use ports::{port_patterns, port_range};
pub(crate) use volumes::{HOST_PATHS, forbid_type, patterns_below, require_types};

/// The newest minor version whose checks apply to all pods: v1.25 excepts Windows pods from some,
/// and v1.35 pods in user namespaces. Policies for single controls except neither.
pub(crate) const MINOR: u8 = 24;

/// The first minor version with the check of probes and lifecycle hooks.
pub(crate) const MINOR_WITH_PROBES: u8 = 34;

/// A check that a policy makes, in whole or in part.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Requirement {
    check: &'static str,
    /// The restricted fields, as [`keys`] names them; `None` for all fields of the check.
    fields: Option<BTreeSet<String>>,
    /// The entries of `exclude` for what the policy allows.
    entries: Vec<Value>,
}

impl Requirement {
    pub(crate) fn of(check: &'static str) -> Self {
        Self { check, fields: None, entries: Vec::new() }
    }

    /// Restricts only these fields. A field of containers is named as one of `spec.containers[*]`.
    pub(crate) fn only(mut self, fields: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.fields = Some(fields.into_iter().map(Into::into).collect());
        self
    }

    /// Allows everything in containers with images that match a pattern.
    pub(crate) fn allow_images(mut self, images: &[String]) -> Self {
        if !images.is_empty() {
            self.entries.push(json!({ "controlName": self.check, "images": images }));
        }
        self
    }

    pub(crate) fn allow_containers(mut self, kind: &str) -> Self {
        self.entries.push(json!({ "controlName": self.check, "containerKinds": [kind] }));
        self
    }

    pub(crate) fn allow(mut self, field: &str, values: &[String]) -> Self {
        if !values.is_empty() {
            self.entries.extend(entries_for_field(self.check, field, values));
        }
        self
    }

    /// Allows hostPath volumes with paths that match a pattern, if all mounts are read-only.
    pub(crate) fn allow_read_only(mut self, field: &str, values: &[String]) -> Self {
        if !values.is_empty() {
            self.entries.push(json!({
                "controlName": self.check,
                "restrictedField": field,
                "values": values,
                "readOnly": true,
            }));
        }
        self
    }

    /// Whether both can be parts of one policy: each value that one of them restricts is restricted
    /// by the other in the same way, or not at all.
    fn fits(&self, other: &Self, minor: u8) -> bool {
        if self.check != other.check || self.entries == other.entries {
            return true;
        }
        let covers_all = |requirement: &Self| {
            requirement.entries.iter().any(|entry| entry.get("restrictedField").is_none())
        };
        let fields = |requirement: &Self| {
            requirement.fields.clone().unwrap_or_else(|| all_keys(requirement.check, minor).collect())
        };
        fields(self).is_disjoint(&fields(other)) && !covers_all(self) && !covers_all(other)
    }
}

/// Returns settings that make the requirements and no others.
pub(crate) fn settings(requirements: &[&Requirement], minor: u8) -> Map<String, Value> {
    let required = |check: &Check| requirements.iter().any(|requirement| requirement.check == check.id);
    let is_restricted = CHECKS.iter().any(|check| check.level == Level::Restricted && required(check));
    let level = if is_restricted { Level::Restricted } else { Level::Baseline };
    let mut exclude: Vec<Value> = Vec::new();
    for check in CHECKS.iter().filter(|check| check.level <= level && check.at(minor).is_some()) {
        let wanted: Vec<&&Requirement> =
            requirements.iter().filter(|requirement| requirement.check == check.id).collect();
        if wanted.is_empty() {
            exclude.extend(entries_for_check(check.id, minor));
            continue;
        }
        for entry in wanted.iter().flat_map(|requirement| &requirement.entries) {
            if !exclude.contains(entry) {
                exclude.push(entry.clone());
            }
        }
        let is_restricted = |key: &String| {
            wanted
                .iter()
                .any(|requirement| requirement.fields.as_ref().is_none_or(|fields| fields.contains(key)))
        };
        for key in all_keys(check.id, minor).filter(|key| !is_restricted(key)) {
            exclude.extend(entries_for_field(check.id, &key, &["*".to_owned()]));
        }
    }
    let mut settings = Map::new();
    settings.insert("level".to_owned(), level.name().into());
    settings.insert("version".to_owned(), format!("v1.{minor}").into());
    if !exclude.is_empty() {
        settings.insert("exclude".to_owned(), exclude.into());
    }
    settings
}

/// Returns the values that a field may have by a check, without those that end in `*`.
pub(crate) fn allowed_values(check: &str, minor: u8) -> &'static [&'static str] {
    use rules::pod_security::standard::Allowed;
    match rules_of(check, minor).first().map(|rule| rule.allowed) {
        Some(Allowed::Only(values)) => values,
        _ => &[],
    }
}

/// The fields of a check, as [`Requirement::only`] names them.
pub(crate) fn all_keys(check: &str, minor: u8) -> impl Iterator<Item = String> {
    rules_of(check, minor).iter().flat_map(|rule| keys(rule.field))
}

fn rules_of(check: &str, minor: u8) -> &'static [FieldRule] {
    let revision = Check::find(check).and_then(|check| check.at(minor));
    revision.map_or(&[], |revision| revision.rules)
}

/// The names of a field: its paths, and for a field of containers only that in `spec.containers`.
fn keys(field: Field) -> Vec<String> {
    let mut paths = field.paths();
    if field.is_of_containers() {
        paths.retain(|path| path.starts_with(CONTAINERS));
    }
    paths
}

const CONTAINERS: &str = "spec.containers[*]";

/// The entries that allow everything that a check refuses.
fn entries_for_check(check: &str, minor: u8) -> Vec<Value> {
    let fields = || rules_of(check, minor).iter().map(|rule| rule.field);
    let mut entries = Vec::new();
    if fields().any(|field| !field.is_of_containers()) {
        entries.push(json!({ "controlName": check }));
    }
    if fields().any(Field::is_of_containers) {
        entries.push(json!({ "controlName": check, "images": ["*"] }));
    }
    entries
}

fn entries_for_field(check: &str, field: &str, values: &[String]) -> Vec<Value> {
    match field.strip_prefix(CONTAINERS) {
        None => vec![json!({ "controlName": check, "restrictedField": field, "values": values })],
        Some(rest) => ["initContainers", "containers", "ephemeralContainers"]
            .into_iter()
            .map(|list| {
                json!({
                    "controlName": check,
                    "images": ["*"],
                    "restrictedField": format!("spec.{list}[*]{rest}"),
                    "values": values,
                })
            })
            .collect(),
    }
}
