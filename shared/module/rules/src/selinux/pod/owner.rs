//! The owner of a pod's level.

use admission::{Fault, Node, Quoted};

use super::subject::Subject;
use crate::namespace_lookup::NamespaceLookup;
use crate::selinux::level::Level;
use crate::selinux::namespace_level::{annotated, hash_key, hashed, label_key};
use crate::selinux::settings::{Allocation, OwnerScope, Source};
use crate::view::{OwnerReference, Pod};

/// The owner of a level.
#[derive(Clone, Debug)]
pub(super) struct Owner {
    /// The level; `None` if the runtime chooses it or if it is not known.
    pub(super) level: Option<Level>,
    /// The key that the level is hashed from, such as `namespace:shop`, or a noun phrase.
    key: String,
    /// Whether pods of this owner are denied because it has no level and must have one.
    pub(super) is_refused: bool,
    /// The rule against any level, if the runtime chooses the levels of this owner's pods.
    pub(super) forbids_levels: Option<&'static str>,
}

impl Owner {
    /// An owner with a key or, in messages, a noun phrase.
    pub(super) fn of(level: Option<Level>, key: &str) -> Self {
        Self { level, key: key.to_owned(), is_refused: false, forbids_levels: None }
    }

    /// The owner as messages write it: `namespace "shop"`.
    pub(super) fn text(&self) -> String {
        match self.key.split_once(':') {
            Some((kind, name)) => [kind, " ", &Quoted(name).to_string()].concat(),
            None => self.key.clone(),
        }
    }
}

/// Finds the owner of a pod's level.
///
/// # Errors
/// Fields that cannot be read, a failed look-up, and a Namespace whose annotation is not a level.
pub(super) fn find(
    allocation: &Allocation,
    subject: &Subject<'_, '_>,
    lookup: &mut NamespaceLookup<'_>,
) -> Result<Owner, Fault> {
    let namespace = subject.namespace;
    let key = match allocation.source {
        Source::Runtime => {
            let forbids_levels = Some("is set, but the runtime chooses the level of every pod");
            return Ok(Owner { forbids_levels, ..Owner::of(None, "the runtime") });
        }
        Source::Fixed => return Ok(Owner::of(allocation.fixed.level.clone(), "every pod")),
        Source::NamespaceAnnotation => return by_annotation(allocation, namespace, lookup),
        Source::Hash => match allocation.scope {
            OwnerScope::Namespace => hash_key(allocation, namespace),
            OwnerScope::NamespaceLabel => {
                lookup.namespace(&|object| label_key(allocation, namespace, object))?
            }
            OwnerScope::ServiceAccount => {
                ["serviceaccount:", namespace, "/", subject.pod.account()?].concat()
            }
            OwnerScope::Workload => workload_key(subject)?,
            OwnerScope::StatefulPod => pod_key(subject)?,
        },
    };
    if key.is_empty() {
        let is_pod = subject.request.kind == "Pod";
        let rule = "is set for a pod without a stable name, whose level the runtime chooses";
        let forbids_levels = is_pod.then_some(rule);
        return Ok(Owner { forbids_levels, ..Owner::of(None, "a pod without a stable name") });
    }
    Ok(Owner::of(Some(allocation.pool.level(&key)), &key))
}

fn by_annotation(
    allocation: &Allocation,
    namespace: &str,
    lookup: &mut NamespaceLookup<'_>,
) -> Result<Owner, Fault> {
    let written = lookup.namespace(&|namespace| annotated(allocation, namespace))?;
    let level = match written {
        Some((_, level)) => Some(level),
        None => allocation.hashes(namespace).then(|| hashed(allocation, namespace)),
    };
    let is_refused = level.is_none();
    Ok(Owner { is_refused, ..Owner::of(level, &["namespace:", namespace].concat()) })
}

/// The key of the workload: the controller of a pod, with a Deployment instead of its ReplicaSets,
/// or the pod itself if it has no controller. Empty if the name is generated.
fn workload_key(subject: &Subject<'_, '_>) -> Result<String, Fault> {
    let pod = subject.pod;
    let (kind, name) = match subject.request.kind {
        "Pod" => match controller(pod.metadata().owner_references())? {
            Some(controller) => controller,
            None => ("Pod", stable_name(pod)?),
        },
        // Other objects create their pods, and the names of those are not known yet.
        "CronJob" | "PodTemplate" => return Ok(String::new()),
        kind => (kind, stable_name(Pod::of(subject.object))?),
    };
    if name.is_empty() {
        return Ok(String::new());
    }
    let hash = pod.metadata().labels().entry("pod-template-hash")?;
    let hash = match hash {
        Some(hash) if kind == "ReplicaSet" => hash.text()?,
        _ => None,
    };
    let deployment = hash
        .filter(|hash| !hash.is_empty())
        .and_then(|hash| name.strip_suffix(hash))
        .and_then(|rest| rest.strip_suffix('-'));
    let (kind, name) = deployment.map_or((kind, name), |name| ("Deployment", name));
    Ok(["workload:", subject.namespace, "/", kind, "/", name].concat())
}

/// The key of a pod with a stable name: one of a StatefulSet, or one without a controller. Empty
/// for other pods.
fn pod_key(subject: &Subject<'_, '_>) -> Result<String, Fault> {
    if subject.request.kind != "Pod" {
        return Ok(String::new());
    }
    let metadata = subject.pod.metadata();
    let name = match controller(metadata.owner_references())? {
        Some(("StatefulSet", _)) => metadata.name().text()?.unwrap_or_default(),
        Some(_) => "",
        None => stable_name(subject.pod)?,
    };
    if name.is_empty() {
        return Ok(String::new());
    }
    Ok(["pod:", subject.namespace, "/", name].concat())
}

/// The name of an object; empty if the API server generates it.
fn stable_name(object: Pod<'_>) -> Result<&str, Fault> {
    let metadata = object.metadata();
    if metadata.generate_name().filled_text()?.is_some() {
        return Ok("");
    }
    Ok(metadata.name().text()?.unwrap_or_default())
}

/// The kind and the name of the controller.
fn controller(owners: Node<'_>) -> Result<Option<(&str, &str)>, Fault> {
    for item in owners.items()? {
        let owner = OwnerReference::of(item)?;
        if owner.controller.boolean()? == Some(true) {
            let (kind, name) = (owner.kind.text()?, owner.name.text()?);
            return Ok(kind.zip(name));
        }
    }
    Ok(None)
}
