//! The Pod Security Standards as data: every check with all its revisions, one file each.
//!
//! Source: <https://kubernetes.io/docs/concepts/security/pod-security-standards/> and the checks of
//! k8s.io/pod-security-admission/policy.

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
mod windows_host_process;

use crate::view::{ContainerKind, ContainerPart as Part};

use super::Level;

/// All checks, in the order in which they are reported: baseline, then restricted, each by id.
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

/// A check: one control of the standard at one level.
#[derive(Clone, Copy, Debug)]
pub struct Check {
    /// Its id, as in-tree: `capabilities_restricted`.
    pub id: &'static str,
    /// The name of the control in the standard: `Capabilities`.
    pub control: &'static str,
    /// The level that demands it.
    pub level: Level,
    /// The check that demands more of the same fields: where it runs, it is reported and this one is not.
    pub replaced_by: Option<&'static Check>,
    /// What it demands since which version, the oldest first.
    pub revisions: &'static [Revision],
}

/// What a check demands since a version.
#[derive(Clone, Copy, Debug)]
pub struct Revision {
    /// The minor version of Kubernetes.
    pub since: u8,
    /// The pods that it says nothing of.
    pub unless: Option<Exception>,
    /// What it demands.
    pub rules: &'static [FieldRule],
}

/// Pods that a revision says nothing of.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Exception {
    /// `spec.os.name` is `windows`.
    Windows,
    /// `spec.hostUsers` is `false`: the pod has a user namespace.
    UserNamespace,
}

/// What may be in a field.
#[derive(Clone, Copy, Debug)]
pub struct FieldRule {
    /// The field.
    pub field: Field,
    /// Its type.
    pub takes: Takes,
    /// The values.
    pub allows: Allows,
    /// What it means that it is not set.
    pub unset: Unset,
    /// What to do about another value.
    pub remedy: &'static str,
}

/// A field of a pod; `*` among the steps is every element of a list.
#[derive(Clone, Copy, Debug)]
pub enum Field {
    /// From the pod's `spec`.
    Pod(&'static [&'static str]),
    /// From the pod's `spec.securityContext`.
    PodSecurityContext(&'static [&'static str]),
    /// From a part of every container of every list.
    Container(Part, &'static [&'static str]),
    /// From every volume.
    Volume(&'static [&'static str]),
    /// What a volume is made of: its one field besides the name. Those that are named are refused, and so is
    /// every one that nobody knows.
    VolumeSource(&'static [&'static str]),
    /// The annotation of the pod with this key.
    Annotation(&'static str),
    /// Annotations of the pod whose key begins so.
    Annotations(&'static str),
    /// Annotations of the pod whose key is this and the name of one of its containers.
    ContainerAnnotations(&'static str),
}

/// The type of a field.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Takes {
    /// A boolean.
    Flag,
    /// An integer.
    Integer,
    /// A string.
    Text,
    /// A string without which its object means nothing: an object without it has the empty one.
    Required,
    /// A list of strings.
    Texts,
    /// An object: that it is there is what counts, its path what it is called by.
    HostPath,
}

/// The values that a field may have.
#[derive(Clone, Copy, Debug)]
pub enum Allows {
    /// These; a `*` at the end stands for anything.
    Only(&'static [&'static str]),
    /// All but this one.
    Not(&'static str),
    /// A list that has this one, whatever else.
    With(&'static str),
}

/// What it means that a field is not set.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Unset {
    /// It is fine.
    Allowed,
    /// It is refused.
    Refused,
    /// It is fine in a container if the pod's own field has an allowed value.
    LeftToPod,
}

impl Check {
    /// The check with an id.
    #[must_use]
    pub fn find(id: &str) -> Option<&'static Self> {
        CHECKS.iter().find(|check| check.id == id)
    }

    /// What it demands at a minor version; `None` before its first.
    #[must_use]
    pub fn at(&self, minor: u8) -> Option<&'static Revision> {
        self.revisions.iter().rev().find(|revision| revision.since <= minor)
    }

    /// The check that is reported in its place at a level, and what that one demands.
    #[must_use]
    pub fn replaced_at(&self, level: Level, minor: u8) -> Option<(&'static Check, &'static Revision)> {
        let stricter = self.replaced_by.filter(|stricter| stricter.level <= level)?;
        Some((stricter, stricter.at(minor)?))
    }

    /// All fields that any revision reads, as [`Field::written`] writes them, each once.
    #[must_use]
    pub fn fields(&self) -> Vec<String> {
        let mut fields: Vec<String> = Vec::new();
        for rule in self.revisions.iter().flat_map(|revision| revision.rules) {
            for field in rule.field.written() {
                if !fields.contains(&field) {
                    fields.push(field);
                }
            }
        }
        fields
    }
}

impl FieldRule {
    /// A field that may be unset.
    const fn of(field: Field, takes: Takes, allows: Allows, remedy: &'static str) -> Self {
        Self { field, takes, allows, unset: Unset::Allowed, remedy }
    }

    /// The same with another meaning of unset.
    const fn unset(mut self, unset: Unset) -> Self {
        self.unset = unset;
        self
    }
}

/// What is under no name that the standard has.
pub(super) const UNKNOWN: &str = "unknown";

impl Field {
    /// Whether it is a field of containers, and not of the pod.
    #[must_use]
    pub fn is_of_containers(self) -> bool {
        matches!(self, Field::Container(..))
    }

    /// The fields as `restrictedField` names them, `*` for indexes, below a pod.
    #[must_use]
    pub fn written(self) -> Vec<String> {
        match self {
            Field::Pod(steps) => vec![written(SPEC, steps)],
            Field::PodSecurityContext(steps) => vec![written("spec.securityContext", steps)],
            Field::Container(..) => ContainerKind::ALL.iter().map(|kind| self.written_of(*kind)).collect(),
            Field::Volume(steps) => vec![written(VOLUME, steps)],
            Field::VolumeSource(refused) => {
                let sources = refused.iter().chain([&UNKNOWN]);
                sources.map(|source| written(VOLUME, &[*source])).collect()
            }
            Field::Annotation(key) => vec![annotation(key, "")],
            Field::Annotations(prefix) | Field::ContainerAnnotations(prefix) => vec![annotation(prefix, "*")],
        }
    }

    /// The field of a container of a list.
    #[must_use]
    pub fn written_of(self, kind: ContainerKind) -> String {
        let mut list = written(SPEC, &[kind.field(), "*"]);
        let Field::Container(part, steps) = self else { return list };
        list.push('.');
        list.push_str(part.field());
        written(&list, steps)
    }

    /// The field of a volume with a source.
    #[must_use]
    pub fn written_of_source(source: &str) -> String {
        written(VOLUME, &[source])
    }
}

const SPEC: &str = "spec";
const VOLUME: &str = "spec.volumes[*]";

/// An annotation as `restrictedField` names it.
pub(super) fn annotation(key: &str, rest: &str) -> String {
    let mut text = "metadata.annotations[".to_owned();
    text.push_str(key);
    text.push_str(rest);
    text.push(']');
    text
}

fn written(prefix: &str, steps: &[&str]) -> String {
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn checks_stand_in_the_order_of_the_reports() {
        let order: Vec<(Level, &str)> = CHECKS.iter().map(|check| (check.level, check.id)).collect();
        assert!(order.is_sorted() && BTreeSet::from_iter(&order).len() == 19, "{order:?}");
        assert!(CHECKS.iter().all(|check| check.level > Level::Privileged));
    }

    #[test]
    fn revisions_rise_and_say_something() {
        for Check { id, revisions, .. } in CHECKS {
            assert!(!revisions.is_empty() && revisions.is_sorted_by(|a, b| a.since < b.since), "{id}");
            assert!(revisions.iter().all(|revision| !revision.rules.is_empty()), "{id}");
            assert!(revisions.iter().all(|revision| revision.since <= super::super::level::NEWEST), "{id}");
        }
        let newest = CHECKS.iter().flat_map(|check| check.revisions).map(|revision| revision.since).max();
        assert_eq!(newest, Some(super::super::level::NEWEST));
    }

    #[test]
    fn what_is_replaced_is_a_check_of_baseline_with_the_same_fields() {
        for check in CHECKS {
            let Some(stricter) = check.replaced_by else { continue };
            assert_eq!((stricter.level, check.level), (Level::Restricted, Level::Baseline), "{}", check.id);
            // Where the stricter one runs, it reads every field of the other.
            for minor in 0..=super::super::level::NEWEST {
                let (Some(stricter), Some(other)) = (stricter.at(minor), check.at(minor)) else { continue };
                let fields = |revision: &Revision| -> BTreeSet<String> {
                    revision.rules.iter().flat_map(|rule| rule.field.written()).collect()
                };
                assert!(fields(stricter).is_superset(&fields(other)), "{} at v1.{minor}", check.id);
            }
        }
        assert_eq!(CHECKS.iter().filter(|check| check.replaced_by.is_some()).count(), 4);
    }

    #[test]
    fn a_control_is_of_the_pod_or_of_containers_or_both_at_every_version() {
        for check in CHECKS {
            let of_containers = |revision: &Revision| -> BTreeSet<bool> {
                revision.rules.iter().map(|rule| rule.field.is_of_containers()).collect()
            };
            let last = check.revisions.last().map(of_containers);
            // Only seccomp changed from annotations of the pod to fields of both.
            let same = check.revisions.iter().all(|revision| Some(of_containers(revision)) == last);
            assert!(same || check.id == "seccompProfile_baseline", "{}", check.id);
        }
    }

    #[test]
    fn the_fields_are_those_of_the_table() {
        let fields = |id: &str| Check::find(id).unwrap().fields();
        assert_eq!(fields("hostNamespaces"), ["spec.hostNetwork", "spec.hostPID", "spec.hostIPC"]);
        assert_eq!(
            fields("hostPorts"),
            [
                "spec.initContainers[*].ports[*].hostPort",
                "spec.containers[*].ports[*].hostPort",
                "spec.ephemeralContainers[*].ports[*].hostPort",
            ],
        );
        assert_eq!(fields("restrictedVolumes").len(), 22);
        assert_eq!(
            fields("appArmorProfile").last().unwrap(),
            "metadata.annotations[container.apparmor.security.beta.kubernetes.io/*]",
        );
    }
}
