//! The Pod Security Standards as data: one file for each check, with all its revisions.
//!
//! The header of each file lists the control, its level, the restricted fields and the allowed
//! values by version, and the source. A test holds the header against the data. In a header,
//! `container` stands for every container of `spec.initContainers`, `spec.containers` and
//! `spec.ephemeralContainers`.
//!
//! To find the check behind a message, search for the name of its control, which is in these files
//! as it is in the message.
//!
//! Sources: <https://kubernetes.io/docs/concepts/security/pod-security-standards/> and the folder
//! `policy` of k8s.io/pod-security-admission (KEP-2579).

mod allow_privilege_escalation;
mod app_armor_profile;
mod capabilities_baseline;
mod capabilities_restricted;
mod host_namespaces;
mod host_path_volumes;
mod host_ports;
mod host_probes_and_host_lifecycle;
mod privileged;
mod proc_mount;
mod proc_mount_restricted;
mod restricted_volumes;
mod run_as_non_root;
mod run_as_user;
mod se_linux_options;
mod seccomp_profile_baseline;
mod seccomp_profile_restricted;
mod sysctls;
#[cfg(test)]
mod tests;
mod windows_host_process;

use admission::{Change, Remedy};

use crate::view::{ContainerKind, ContainerPart as Part};

use super::Level;

/// All checks, in the order of reports: baseline, then restricted, each by id.
pub const CHECKS: &[Check] = &[
    app_armor_profile::CHECK,
    capabilities_baseline::CHECK,
    host_namespaces::CHECK,
    host_path_volumes::CHECK,
    host_ports::CHECK,
    host_probes_and_host_lifecycle::CHECK,
    privileged::CHECK,
    proc_mount::CHECK,
    se_linux_options::CHECK,
    seccomp_profile_baseline::CHECK,
    sysctls::CHECK,
    windows_host_process::CHECK,
    allow_privilege_escalation::CHECK,
    capabilities_restricted::CHECK,
    proc_mount_restricted::CHECK,
    restricted_volumes::CHECK,
    run_as_non_root::CHECK,
    run_as_user::CHECK,
    seccomp_profile_restricted::CHECK,
];

/// The id of every check with the control that it belongs to.
pub(super) const CONTROLS: [(&str, &str); CHECKS.len()] = {
    let mut controls = [("", ""); CHECKS.len()];
    let (mut rest, mut free) = (CHECKS, controls.as_mut_slice());
    while let ([check, checks @ ..], [control, others @ ..]) = (rest, free) {
        *control = (check.id, check.control);
        (rest, free) = (checks, others);
    }
    controls
};

/// One control of the standards at one level.
#[derive(Clone, Copy, Debug)]
pub struct Check {
    /// The id that k8s.io/pod-security-admission gives the check, such as
    /// `capabilities_restricted`.
    pub id: &'static str,
    /// The name of the control in the standards, such as `Capabilities`.
    pub control: &'static str,
    /// The lowest level that includes the check.
    pub level: Level,
    /// The stricter check of the same fields. Where that one runs, it is reported instead of this
    /// one.
    pub superseded_by: Option<&'static Check>,
    /// The revisions, oldest first. The check does not run before the first one.
    pub revisions: &'static [Revision],
}

/// The rules of a check from one minor version on.
#[derive(Clone, Copy, Debug)]
pub struct Revision {
    /// The minor version of Kubernetes in which the revision took effect.
    pub since: u8,
    /// The pods to which the revision does not apply.
    pub unless: Option<Exception>,
    /// The rules, one for each restricted field.
    pub rules: &'static [FieldRule],
}

/// Pods to which a revision does not apply.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Exception {
    /// Pods with `spec.os.name: windows`.
    Windows,
    /// Pods with `spec.hostUsers: false`, which run in a user namespace.
    UserNamespace,
}

/// The rule for one restricted field.
#[derive(Clone, Copy, Debug)]
pub struct FieldRule {
    /// The field.
    pub field: Field,
    /// The type of the field.
    pub value_type: ValueType,
    /// The allowed values.
    pub allowed: Allowed,
    /// The meaning of an unset field.
    pub unset: Unset,
    /// The remedy for a refused value.
    pub remedy: Remedy<&'static str>,
    /// The remedy for an unset field.
    pub remedy_if_unset: Remedy<&'static str>,
}

/// A field of a pod. Among the steps of a path, `*` stands for every element of a list.
#[derive(Clone, Copy, Debug)]
pub enum Field {
    /// A path below `spec`.
    Pod(&'static [&'static str]),
    /// A path below `spec.securityContext`.
    PodSecurityContext(&'static [&'static str]),
    /// A path below one part of every container of every list.
    Container(Part, &'static [&'static str]),
    /// A path below every volume.
    Volume(&'static [&'static str]),
    /// The source of every volume: its one field other than `name`. Lists the sources that the
    /// standards refuse by name; a source that they do not know is refused as `unknown`.
    VolumeSource(&'static [&'static str]),
    /// The annotation of the pod with this key.
    Annotation(&'static str),
    /// The annotations of the pod whose keys start with this prefix.
    Annotations(&'static str),
    /// The annotations of the pod whose keys are this prefix and the name of one of its containers.
    ContainerAnnotations(&'static str),
}

/// The type of a restricted field.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ValueType {
    /// A boolean.
    Flag,
    /// An integer.
    Integer,
    /// A string.
    Text,
    /// A string that its object requires. An object without it is refused, as in-tree.
    RequiredText,
    /// A list of strings.
    Texts,
    /// An object whose presence is restricted. Its value is its `path`.
    HostPath,
}

/// The values that a field may have.
#[derive(Clone, Copy, Debug)]
pub enum Allowed {
    /// Only these values. A final `*` matches any text.
    Only(&'static [&'static str]),
    /// Any value except this one.
    Except(&'static str),
    /// A list of what is dropped that contains this value.
    Dropping(&'static str),
}

/// The meaning of an unset field.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Unset {
    /// The field may be unset.
    Allowed,
    /// The field must be set.
    Refused,
    /// A container may leave the field unset if the pod sets the same field to an allowed value.
    /// A container that inherits a refused value violates the rule as well.
    LeftToPod,
    /// The same, but a container that inherits a refused value does not violate the rule.
    Inherited,
}

impl Unset {
    pub(crate) fn is_left_to_pod(self) -> bool {
        matches!(self, Unset::LeftToPod | Unset::Inherited)
    }
}

impl Check {
    /// Returns the check with an id.
    #[must_use]
    pub fn find(id: &str) -> Option<&'static Self> {
        CHECKS.iter().find(|check| check.id == id)
    }

    /// Returns the revision in effect at a minor version, or `None` if the check is newer.
    #[must_use]
    pub fn at(&self, minor: u8) -> Option<&'static Revision> {
        self.revisions.iter().rev().find(|revision| revision.since <= minor)
    }

    /// Returns the check that supersedes this one at a level and a minor version, and its revision.
    #[must_use]
    pub fn superseded_at(&self, level: Level, minor: u8) -> Option<(&'static Check, &'static Revision)> {
        let stricter = self.superseded_by.filter(|stricter| stricter.level <= level)?;
        Some((stricter, stricter.at(minor)?))
    }

    /// Returns the [paths](Field::paths) of all fields that any revision restricts, each once.
    #[must_use]
    pub fn fields(&self) -> Vec<String> {
        let mut fields: Vec<String> = Vec::new();
        for rule in self.revisions.iter().flat_map(|revision| revision.rules) {
            for field in rule.field.paths() {
                if !fields.contains(&field) {
                    fields.push(field);
                }
            }
        }
        fields
    }
}

impl Revision {
    /// A revision that applies to every pod.
    const fn since(minor: u8, rules: &'static [FieldRule]) -> Self {
        Self { since: minor, unless: None, rules }
    }

    const fn unless(mut self, exception: Exception) -> Self {
        self.unless = Some(exception);
        self
    }
}

impl FieldRule {
    /// A rule for a field that may be unset.
    const fn of(field: Field, value_type: ValueType, allowed: Allowed, remedy: Remedy<&'static str>) -> Self {
        Self { field, value_type, allowed, unset: Unset::Allowed, remedy, remedy_if_unset: remedy }
    }

    const fn required(mut self) -> Self {
        self.unset = Unset::Refused;
        self
    }

    const fn required_here_or_in_pod(mut self, unset: Unset) -> Self {
        self.unset = unset;
        self.remedy_if_unset = self.remedy.and(", here or for the pod");
        self
    }
}

/// Appends the values that a version adds to the older ones. The lengths must add up to `N`, or the
/// constant does not compile.
const fn extended<const N: usize>(older: &[&'static str], added: &[&'static str]) -> [&'static str; N] {
    let mut all = [""; N];
    let (first, last) = all.split_at_mut(older.len());
    first.copy_from_slice(older);
    last.copy_from_slice(added);
    all
}

/// The name of a volume source that the standards do not know.
pub(super) const UNKNOWN: &str = "unknown";

impl Field {
    /// Whether containers have the field, and not the pod.
    #[must_use]
    pub fn is_of_containers(self) -> bool {
        matches!(self, Field::Container(..))
    }

    /// Returns the paths of the field below a pod as `restrictedField` writes them, `[*]` for
    /// every index: one for each list of containers, and one for each refused volume source.
    #[must_use]
    pub fn paths(self) -> Vec<String> {
        match self {
            Field::Pod(steps) => vec![joined(SPEC, steps)],
            Field::PodSecurityContext(steps) => vec![joined("spec.securityContext", steps)],
            Field::Container(..) => ContainerKind::ALL.iter().map(|kind| self.path_in(*kind)).collect(),
            Field::Volume(steps) => vec![joined(VOLUME, steps)],
            Field::VolumeSource(refused) => {
                let sources = refused.iter().chain([&UNKNOWN]);
                sources.map(|source| Self::path_of_source(source)).collect()
            }
            Field::Annotation(key) => vec![annotation(key, "")],
            Field::Annotations(prefix) | Field::ContainerAnnotations(prefix) => vec![annotation(prefix, "*")],
        }
    }

    pub(crate) fn path_in(self, kind: ContainerKind) -> String {
        let mut list = joined(SPEC, &[kind.field(), "*"]);
        let Field::Container(part, steps) = self else { return list };
        list.push('.');
        list.push_str(part.field());
        joined(&list, steps)
    }

    pub(crate) fn path_of_source(source: &str) -> String {
        joined(VOLUME, &[source])
    }
}

const SPEC: &str = "spec";
const VOLUME: &str = "spec.volumes[*]";

/// Returns the path of an annotation, `metadata.annotations[KEY]`, whose key is in two parts.
pub(super) fn annotation(key: &str, rest: &str) -> String {
    let mut text = "metadata.annotations[".to_owned();
    text.push_str(key);
    text.push_str(rest);
    text.push(']');
    text
}

fn joined(prefix: &str, steps: &[&str]) -> String {
    let mut text = prefix.to_owned();
    for step in steps {
        if *step == "*" {
            text.push_str("[*]");
        } else {
            text.push('.');
            text.push_str(step);
        }
    }
    text
}
