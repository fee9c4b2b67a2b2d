//! SELinux levels: Namespaces that share one, pods that use the level of another Namespace, volumes
//! that pods mount with different labels, and the objects that the policy would deny or change.

mod allocate;
mod changes;
mod evaluate;
mod findings;
mod foreign;
mod namespace_level;
mod namespace_levels;
mod settings;
mod shared;
mod storage;
mod volumes;

use std::collections::{BTreeMap, BTreeSet};

use admission::{Decision, Fault, Node, Operation, Policy, ScopeRule};
use rules::selinux::{Origin, Owned, PROFILE_KINDS, Selinux, levels_set_by};
use rules::view::{Namespace, Pod};
use text::Path;

use crate::Kind;
use crate::audit::remembered::Remembered;
use crate::audit::{AuditError, Dump, DumpObject, abbreviated};
pub use allocate::{AllocateError, AllocationProblem, LevelAllocation, NewAnnotation, TakenLevel, allocate};
pub use findings::{
    ChangedObject, DeniedObject, ForeignLevel, ObjectReference, SelinuxFindings, SharedLevel,
};
use foreign::SetLevel;
pub use namespace_level::{LevelOrigin, NamespaceLevel};
pub use namespace_levels::{LevelError, namespace_levels};
pub use settings::SelinuxSettings;
pub(super) use volumes::FIELDS as VOLUME_FIELDS;
use volumes::Volumes;
pub use volumes::{ConflictingVolume, Label, MixedVolume, UnknownVolume, VolumeUse};

/// The command that creates a suitable dump.
const COMMAND: &str = "kubectl get namespaces,pods,deployments,statefulsets,daemonsets,replicasets,\
                       replicationcontrollers,jobs,cronjobs,podtemplates,persistentvolumes,persistentvolumeclaims,\
                       csidrivers --all-namespaces";

/// The kinds in the scope of the policy that are cluster-wide.
const CLUSTER_WIDE: [&str; 2] = ["Namespace", "PersistentVolume"];

/// The levels of Namespaces, by name.
type NamespaceOwners = BTreeMap<String, Owned>;

/// Returns the kinds of the objects that the audit reads with these settings.
#[must_use]
pub fn kinds(settings: &SelinuxSettings) -> BTreeSet<Kind> {
    let evaluated = Selinux::SCOPE.0.iter().map(|rule| (api_version(rule.group), rule.kind));
    let looked_up = Selinux::READS
        .0
        .iter()
        .filter(|read| settings.reads_profiles() || !PROFILE_KINDS.contains(&read.kind));
    let looked_up = looked_up.map(|read| (read.api_version.to_owned(), read.kind));
    let storage = storage::KINDS.map(|(version, kind)| (version.to_owned(), kind));
    let kinds = evaluated.chain(looked_up).chain(storage);
    kinds.map(|(version, kind)| (version, kind.to_owned())).collect()
}

fn api_version(group: &str) -> String {
    let version = ScopeRule::VERSION;
    if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") }
}

/// Evaluates the objects of a dump as if they were being created, and compares their levels. Pods
/// that have finished are left out: they run no more, and their controllers create others. Each
/// object is one call of `evaluated`.
///
/// # Errors
/// A dump without Namespaces, and an object that cannot be read.
pub fn find(
    dump: &Dump,
    settings: &SelinuxSettings,
    evaluated: &mut dyn FnMut(),
) -> Result<SelinuxFindings, AuditError> {
    let mut owners = NamespaceOwners::new();
    let mut known = BTreeSet::new();
    dump.visit_some("Namespace", COMMAND, |namespace, root| {
        known.insert(namespace.name.clone());
        // A Namespace whose annotation is not a level owns none. It is denied below.
        if let Ok(owned) = settings.ownership.of(&namespace.name, Some(Namespace::of(root))) {
            owners.insert(namespace.name.clone(), owned);
        }
        Ok(())
    })?;
    let cluster = Remembered::new(dump.objects());
    let mut findings = SelinuxFindings::default();
    let mut levels = Vec::new();
    let mut volumes = Volumes::of(dump)?;
    let mut unknown = BTreeSet::new();
    for rule in Selinux::SCOPE.0 {
        if !rule.subresource().is_empty() || !rule.operations.contains(&Operation::Create) {
            continue;
        }
        let is_cluster_wide = CLUSTER_WIDE.contains(&rule.kind);
        for object in dump.objects_of_kind(&api_version(rule.group), rule.kind)? {
            evaluated();
            if rule.kind == "Pod" && has_finished(&object)? {
                continue;
            }
            let lacks_namespace = !is_cluster_wide && !known.contains(&object.namespace);
            if lacks_namespace && let Ok(owned) = settings.ownership.of(&object.namespace, None) {
                owners.insert(object.namespace.clone(), owned);
            }
            if !is_cluster_wide {
                object.visit(|root| {
                    levels.extend(levels_of(&object, root)?);
                    let owned = owners.get(&object.namespace);
                    volumes.add(&object, root, &settings.added_level(owned))
                })?;
            }
            let decision = evaluate::evaluate(rule, &object, settings, &cluster).decision;
            let is_fault = matches!(decision, Decision::Fault(_));
            if lacks_namespace && (settings.ownership.reads_namespaces() || is_fault) {
                unknown.insert(object.namespace.clone());
            }
            if !(lacks_namespace && is_fault) {
                findings.add(&object, decision);
            }
        }
    }
    findings.collisions = shared::find(&owners);
    findings.foreign = foreign::find(levels, &owners);
    let volumes = volumes.findings();
    findings.notes = notes(&unknown, &owners, lacks_profiles(dump, settings)?);
    findings.volumes = volumes.conflicting;
    findings.mixed_volumes = volumes.mixed;
    findings.unknown_volumes = volumes.unknown;
    Ok(findings)
}

/// Whether a pod has run to its end.
///
/// Source: `PodPhase` of the Kubernetes API; a pod in one of these phases is never started again.
fn has_finished(pod: &DumpObject) -> Result<bool, AuditError> {
    let has_finished = pod.visit(|root| {
        let phase = root.at("status").at("phase").text()?;
        Ok(matches!(phase, Some("Succeeded" | "Failed")))
    })?;
    Ok(has_finished)
}

fn levels_of(object: &DumpObject, root: Node<'_>) -> Result<Vec<SetLevel>, Fault> {
    if object.namespace.is_empty() {
        return Err(Pod::of(root).metadata().namespace().fault("expected a string, found nothing"));
    }
    let set = levels_set_by(Pod::in_object(root, &object.kind))?;
    let level = |(node, level): (Node<'_>, &str)| SetLevel {
        object: ObjectReference::of(object),
        // The path of the node begins with the name of the object; its steps do not.
        path: Path(&node.steps()).to_string(),
        level: level.to_owned(),
    };
    Ok(set.into_iter().map(level).collect())
}

/// Whether a level belongs to a Namespace, and not to every pod.
fn is_of_namespace(owned: &Owned) -> bool {
    owned.origin != Origin::Fixed
}

/// Whether the settings read profiles, and the dump has none.
fn lacks_profiles(dump: &Dump, settings: &SelinuxSettings) -> Result<bool, AuditError> {
    for read in Selinux::READS.0.iter().filter(|read| PROFILE_KINDS.contains(&read.kind)) {
        if dump.objects_of_kind(read.api_version, read.kind)?.next().is_some() {
            return Ok(false);
        }
    }
    Ok(settings.reads_profiles())
}

fn notes(unknown: &BTreeSet<String>, owners: &NamespaceOwners, lacks_profiles: bool) -> Vec<String> {
    let mut notes = Vec::new();
    if lacks_profiles {
        notes.push(format!(
            "Types of SelinuxProfiles are refused because the dump has none; create the dump with {COMMAND} -o json, and \
             add selinuxprofiles,rawselinuxprofiles if they are installed"
        ));
    }
    if !unknown.is_empty() {
        notes.push(format!(
            "Some objects were not evaluated because the dump lacks Namespaces ({}); create the dump with {COMMAND} \
             -o json",
            abbreviated(unknown.iter().map(String::as_str))
        ));
    }
    let without = owners
        .values()
        .find(|owned| matches!(owned.origin, Origin::Below(_) | Origin::Fixed | Origin::Runtime));
    if let Some(Owned { origin, .. }) = without {
        notes.push(format!("Namespaces have no levels of their own, so they were not compared: {origin}"));
    }
    notes
}

#[cfg(test)]
mod tests {
    use kubernetes::objects::Objects;
    use serde_json::{Value, json};

    use super::*;

    fn pod(name: &str, phase: &Value) -> Value {
        json!({
            "apiVersion": "v1", "kind": "Pod", "metadata": { "name": name, "namespace": "shop" },
            "spec": {
                "securityContext": { "seLinuxOptions": { "level": "s0:c78,c138" } },
                "containers": [{ "name": "app" }],
            },
            "status": { "phase": phase },
        })
    }

    fn findings(pods: Vec<Value>) -> Result<SelinuxFindings, AuditError> {
        let namespace =
            |name| json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": name } });
        let mut objects = vec![namespace("shop"), namespace("team-a")];
        objects.extend(pods);
        let settings = SelinuxSettings::configure(&json!({})).unwrap();
        find(&Dump::new(Objects::from_values(objects).unwrap()), &settings, &mut || ())
    }

    // X12
    #[test]
    fn leaves_out_pods_that_have_finished() {
        let phases = ["Failed", "Pending", "Running", "Succeeded", "Unknown"];
        let pods: Vec<_> = phases.iter().map(|phase| pod(&phase.to_lowercase(), &json!(phase))).collect();
        let found = findings(pods).unwrap();
        let names = |objects: Vec<&ObjectReference>| {
            objects.into_iter().map(|object| object.name.clone()).collect::<Vec<_>>()
        };
        let listed = ["pending", "running", "unknown"];
        assert_eq!(names(found.denied.iter().map(|denied| &denied.object).collect()), listed);
        assert_eq!(names(found.foreign.iter().map(|foreign| &foreign.object).collect()), listed);
    }

    #[test]
    fn a_pod_without_a_phase_has_not_finished() {
        assert_eq!(findings(vec![pod("new", &Value::Null)]).unwrap().denied.len(), 1);
    }

    #[test]
    fn a_phase_that_is_not_a_string_is_an_error() {
        assert!(findings(vec![pod("odd", &json!(7))]).is_err());
    }
}
