//! The laws of the data.

use std::collections::BTreeSet;

use admission::Shape;

use super::*;
use crate::pod_security::NEWEST;
use crate::view::Pod;

#[test]
fn checks_are_in_report_order() {
    let order: Vec<(Level, &str)> = CHECKS.iter().map(|check| (check.level, check.id)).collect();
    assert!(order.is_sorted() && BTreeSet::from_iter(&order).len() == 19, "{order:?}");
    assert!(CHECKS.iter().all(|check| check.level > Level::Privileged));
}

#[test]
fn revisions_are_in_order_and_have_rules() {
    for Check { id, revisions, .. } in CHECKS {
        assert!(!revisions.is_empty() && revisions.is_sorted_by(|a, b| a.since < b.since), "{id}");
        assert!(revisions.iter().all(|revision| !revision.rules.is_empty()), "{id}");
        assert!(revisions.iter().all(|revision| revision.since <= NEWEST), "{id}");
    }
    let newest = CHECKS.iter().flat_map(|check| check.revisions).map(|revision| revision.since).max();
    assert_eq!(newest, Some(NEWEST));
}

#[test]
fn a_superseded_check_is_a_baseline_check_of_the_same_fields() {
    for check in CHECKS {
        let Some(stricter) = check.superseded_by else { continue };
        assert_eq!((stricter.level, check.level), (Level::Restricted, Level::Baseline), "{}", check.id);
        // Where the stricter check runs, it restricts every field of the other one.
        for minor in 0..=NEWEST {
            let (Some(stricter), Some(other)) = (stricter.at(minor), check.at(minor)) else { continue };
            let fields = |revision: &Revision| -> BTreeSet<String> {
                revision.rules.iter().flat_map(|rule| rule.field.paths()).collect()
            };
            assert!(fields(stricter).is_superset(&fields(other)), "{} at v1.{minor}", check.id);
        }
    }
    assert_eq!(CHECKS.iter().filter(|check| check.superseded_by.is_some()).count(), 4);
}

#[test]
fn every_field_has_one_rule_in_a_revision() {
    for Check { id, revisions, .. } in CHECKS {
        for Revision { since, rules, .. } in *revisions {
            let paths: Vec<String> = rules.iter().flat_map(|rule| rule.field.paths()).collect();
            let distinct: BTreeSet<&String> = paths.iter().collect();
            assert_eq!(distinct.len(), paths.len(), "{id} at v1.{since}");
        }
    }
}

#[test]
fn every_revision_of_a_check_restricts_the_same_kinds_of_fields() {
    for check in CHECKS {
        let of_containers = |revision: &Revision| -> BTreeSet<bool> {
            revision.rules.iter().map(|rule| rule.field.is_of_containers()).collect()
        };
        let last = check.revisions.last().map(of_containers);
        // Only Seccomp changed: from annotations of the pod to fields of the pod and of containers.
        let same = check.revisions.iter().all(|revision| Some(of_containers(revision)) == last);
        assert!(same || check.id == "seccompProfile_baseline", "{}", check.id);
    }
}

#[test]
fn fields_have_the_paths_of_the_standards() {
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

fn keeps(shape: Shape<'_>, steps: &[&str]) -> bool {
    match (shape, steps) {
        (Shape::Each(None), _) => true,
        (Shape::Each(Some(inner)), [_, rest @ ..]) => keeps(*inner, rest),
        (Shape::Fields(fields), [step, rest @ ..]) => {
            fields.iter().any(|(name, inner)| name == step && keeps(*inner, rest))
        }
        (Shape::Each(Some(_)) | Shape::Fields(_), []) => false,
    }
}

/// Whether the shapes of the policy keep the value at a path below a pod: those of a Pod, and of
/// every kind with a pod template.
fn is_kept(path: &str) -> bool {
    // Arrays are transparent to shapes, and annotations are kept as a whole.
    let path = path.split_once('[').filter(|(_, key)| !key.starts_with('*')).map_or(path, |(map, _)| map);
    let path = path.replace("[*]", "");
    let steps: Vec<&str> = path.split('.').collect();
    let in_kind = |kind: &str| {
        let steps: Vec<&str> = Pod::template(kind).iter().copied().chain(steps.iter().copied()).collect();
        keeps(Pod::FIELDS_FOR_POD_SECURITY_IN_ANY_KIND, &steps)
    };
    keeps(Pod::FIELDS_FOR_POD_SECURITY, &steps)
        && ["Pod", "PodTemplate", "Deployment", "CronJob"].into_iter().all(in_kind)
}

#[test]
fn the_shape_of_the_policy_keeps_every_restricted_field() {
    for Check { id, revisions, .. } in CHECKS {
        for FieldRule { field, value_type, .. } in revisions.iter().flat_map(|revision| revision.rules) {
            for path in field.paths() {
                // A volume source is checked by its name only, and a `hostPath` also by its path.
                let value = match value_type {
                    ValueType::HostPath => format!("{path}.path"),
                    _ => path,
                };
                assert!(is_kept(&value), "{id}: {value} is not in the shape");
            }
        }
    }
    for exception in ["spec.os.name", "spec.hostUsers"] {
        assert!(is_kept(exception), "{exception} is not in the shape");
    }
    assert!(!is_kept("spec.containers[*].securityContext.notInvented"));
    assert!(!is_kept("spec.containers[*].securityContext"));
}

#[test]
fn a_remedy_is_a_change_unless_people_have_to_choose() {
    let rules = CHECKS.iter().flat_map(|check| check.revisions).flat_map(|revision| revision.rules);
    let remedies = rules.flat_map(|rule| [rule.remedy, rule.remedy_if_unset]);
    let decisions = remedies.filter(|remedy| remedy.change.is_none()).map(|remedy| remedy.words);
    let volumes = "use one of these, such as a persistentVolumeClaim for a volume of this type";
    assert_eq!(decisions.collect::<BTreeSet<_>>(), BTreeSet::from(["use another volume type", volumes]));
}
