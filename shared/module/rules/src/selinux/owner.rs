//! Who owns the level of a pod.

use admission::{Fault, Node, Quoted, Request};

use super::allocation::{Allocation, OwnerScope, Source};
use super::level::Level;
use super::options::filled;
use crate::namespace_lookup::NamespaceLookup;
use crate::view::{Namespace, OwnerReference, Pod};

/// Who owns a level, and which.
#[derive(Clone, Debug)]
pub(super) struct Owner {
    /// `None` where the runtime chooses it, or where it cannot be known.
    pub(super) level: Option<Level>,
    /// What the level is hashed from, such as `namespace:shop`, or what else the owner is.
    key: String,
    /// Whether pods of the owner are refused, as it has no level and has to have one.
    pub(super) is_refused: bool,
    /// Whether it is a pod that owns no level, so that it may set none.
    pub(super) is_nobody: bool,
}

impl Owner {
    /// One that is no name.
    pub(super) fn of(level: Option<Level>, what: &str) -> Self {
        Self { level, key: what.to_owned(), is_refused: false, is_nobody: false }
    }

    /// What messages call it: `namespace "shop"`.
    pub(super) fn text(&self) -> String {
        match self.key.split_once(':') {
            Some((kind, name)) => [kind, " ", &Quoted(name).to_string()].concat(),
            None => self.key.clone(),
        }
    }
}

/// What a pod or a template is asked for.
pub(super) struct Asked<'a, 'd> {
    pub(super) request: &'a Request<'d>,
    /// The object of the request; of a pod to which containers are added the stored one.
    pub(super) object: Node<'d>,
    /// The pod in it.
    pub(super) pod: Pod<'d>,
    pub(super) namespace: &'d str,
}

/// The owner of a pod, as the settings have it.
///
/// # Errors
/// What cannot be read or looked up, and a Namespace whose annotation is no level.
pub(super) fn find(
    allocation: &Allocation,
    asked: &Asked<'_, '_>,
    lookup: &mut NamespaceLookup<'_>,
) -> Result<Owner, Fault> {
    let key = match allocation.source {
        Source::Runtime => return Ok(Owner::of(None, "the runtime")),
        Source::Fixed => return Ok(Owner::of(allocation.fixed.level.clone(), "every pod")),
        Source::NamespaceAnnotation => return of_annotation(allocation, asked.namespace, lookup),
        Source::Hash => match allocation.scope {
            OwnerScope::Namespace => of_namespace(allocation, asked.namespace),
            OwnerScope::NamespaceLabel => of_label(allocation, asked.namespace, lookup)?,
            OwnerScope::ServiceAccount => {
                ["serviceaccount:", asked.namespace, "/", asked.pod.account()?].concat()
            }
            OwnerScope::Workload => workload(asked)?,
            OwnerScope::StatefulPod => stateful_pod(asked)?,
        },
    };
    if key.is_empty() {
        let is_nobody = asked.request.kind == "Pod";
        return Ok(Owner { is_nobody, ..Owner::of(None, "a pod without a lasting name") });
    }
    Ok(Owner::of(Some(allocation.pool.level(&key)), &key))
}

/// The level of a Namespace without an annotation.
pub(super) fn implicit(allocation: &Allocation, namespace: &str) -> Level {
    allocation.pool.level(&of_namespace(allocation, namespace))
}

/// What the level of a Namespace is hashed from.
pub(super) fn of_namespace(allocation: &Allocation, namespace: &str) -> String {
    match allocation.group(namespace) {
        Some(group) => ["group:", group].concat(),
        None => ["namespace:", namespace].concat(),
    }
}

fn of_label(allocation: &Allocation, name: &str, lookup: &mut NamespaceLookup<'_>) -> Result<String, Fault> {
    lookup.namespace(&|namespace| labelled(allocation, name, namespace))
}

/// What the level of a Namespace is hashed from where a label decides; an empty one is none.
///
/// # Errors
/// A label that cannot be read.
pub(super) fn labelled(
    allocation: &Allocation,
    name: &str,
    namespace: Namespace<'_>,
) -> Result<String, Fault> {
    let label = allocation.namespace_label.as_deref().unwrap_or_default();
    Ok(match filled(namespace.metadata().labels().entry(label)?)? {
        Some(value) => ["label:", label, "=", value].concat(),
        None => of_namespace(allocation, name),
    })
}

fn of_annotation(
    allocation: &Allocation,
    namespace: &str,
    lookup: &mut NamespaceLookup<'_>,
) -> Result<Owner, Fault> {
    let written = lookup.namespace(&|namespace| annotated(allocation, namespace))?;
    let level = match written {
        Some((_, level)) => Some(level),
        None => allocation.hashes(namespace).then(|| implicit(allocation, namespace)),
    };
    let is_refused = level.is_none();
    Ok(Owner { is_refused, ..Owner::of(level, &["namespace:", namespace].concat()) })
}

/// The level that a Namespace is annotated with, and the key of the annotation.
///
/// # Errors
/// An annotation that is no level.
pub(super) fn annotated<'a>(
    allocation: &'a Allocation,
    namespace: Namespace<'_>,
) -> Result<Option<(&'a str, Level)>, Fault> {
    let annotations = namespace.metadata().annotations();
    for key in &allocation.annotations {
        if let Some(at) = annotations.entry(key)?
            && let Some(text) = at.filled_text()?
        {
            let level = Level::parse(text).and_then(|level| allocation.pool.own(level));
            return level.map(|level| Some((key.as_str(), level))).map_err(|problem| at.fault(problem));
        }
    }
    Ok(None)
}

/// The key of what makes a pod: the controller of its pod, a Deployment in place of its ReplicaSets; the pod itself if it has none and
/// a name of its own.
fn workload(asked: &Asked<'_, '_>) -> Result<String, Fault> {
    let (kind, name) = match asked.request.kind {
        "Pod" => match controller(asked.pod.metadata().owner_references())? {
            Some(controller) => controller,
            None => ("Pod", own_name(asked.pod)?),
        },
        // Their pods are made by others, whose names are not known yet.
        "CronJob" | "PodTemplate" => return Ok(String::new()),
        kind => (kind, own_name(Pod::of(asked.object))?),
    };
    if name.is_empty() {
        return Ok(String::new());
    }
    let hash = asked.pod.metadata().labels().entry("pod-template-hash")?;
    let hash = match hash {
        Some(hash) if kind == "ReplicaSet" => hash.text()?,
        _ => None,
    };
    let deployment = hash
        .filter(|hash| !hash.is_empty())
        .and_then(|hash| name.strip_suffix(hash))
        .and_then(|rest| rest.strip_suffix('-'));
    let (kind, name) = deployment.map_or((kind, name), |name| ("Deployment", name));
    Ok(["workload:", asked.namespace, "/", kind, "/", name].concat())
}

/// The key of a pod whose name lasts: of a StatefulSet, or one that nobody made; empty for others.
fn stateful_pod(asked: &Asked<'_, '_>) -> Result<String, Fault> {
    if asked.request.kind != "Pod" {
        return Ok(String::new());
    }
    let metadata = asked.pod.metadata();
    let name = match controller(metadata.owner_references())? {
        Some(("StatefulSet", _)) => metadata.name().text()?.unwrap_or_default(),
        Some(_) => "",
        None => own_name(asked.pod)?,
    };
    if name.is_empty() {
        return Ok(String::new());
    }
    Ok(["pod:", asked.namespace, "/", name].concat())
}

/// The name of an object, if it is not one that the API server makes up.
fn own_name(object: Pod<'_>) -> Result<&str, Fault> {
    let metadata = object.metadata();
    if metadata.generate_name().filled_text()?.is_some() {
        return Ok("");
    }
    Ok(metadata.name().text()?.unwrap_or_default())
}

/// Kind and name of the controller.
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
