use admission::{Cluster, Fault, Get, Quoted};

use super::findings::Findings;
use super::lookups::Lookups;
use super::subject::Subject;
use crate::namespace_lookup::NamespaceLookup;
use crate::selinux::level::Level;
use crate::selinux::namespace_level::{annotated, hash_key, hashed, label_key};
use crate::selinux::settings::{Allocation, OwnerScope, Source};
use crate::view::{Metadata, Pod};

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

    pub(super) fn unknown() -> Self {
        Self::of(None, "an unknown owner")
    }

    /// The owner as messages write it: `namespace "shop"`.
    pub(super) fn text(&self) -> String {
        match self.key.split_once(':') {
            Some((kind, name)) => [kind, " ", &Quoted(name).to_string()].concat(),
            None => self.key.clone(),
        }
    }
}

pub(super) fn find(
    allocation: &Allocation,
    subject: &Subject<'_, '_>,
    lookups: &mut Lookups<'_>,
    findings: &mut Findings<'_>,
) -> Result<Owner, Fault> {
    let lookup = &mut lookups.namespace;
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
            OwnerScope::Workload => match workload_key(subject, lookups.cluster) {
                Err(Unknown::Lookup(fault)) => {
                    findings.tolerate(fault)?;
                    return Ok(Owner::unknown());
                }
                Err(Unknown::Field(fault)) => return Err(fault),
                Ok(key) => key,
            },
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

/// The reason why the key of a workload is not known.
enum Unknown {
    Field(Fault),
    Lookup(Fault),
}

impl From<Fault> for Unknown {
    fn from(fault: Fault) -> Self {
        Self::Field(fault)
    }
}

/// The key of the workload: the controller of a pod, with a Deployment instead of its ReplicaSets
/// and a `CronJob` instead of its Jobs, or the pod itself if it has no controller. Empty if the
/// name is generated.
///
/// The name of a Job of a `CronJob` has the time of the run as a suffix, but other Jobs may have
/// such names, too. The Job itself names its `CronJob`.
fn workload_key(subject: &Subject<'_, '_>, cluster: &dyn Cluster) -> Result<String, Unknown> {
    let pod = subject.pod;
    let namespace = subject.namespace;
    let object = Pod::of(subject.object);
    let (kind, name) = match subject.request.kind {
        "Pod" => match controller(pod.metadata())? {
            Some(Controller { kind: "Job", name, is_batch: true }) => {
                return job_key(namespace, name, cluster).map_err(Unknown::Lookup);
            }
            Some(controller) => (controller.kind, controller.name),
            None => ("Pod", stable_name(pod)?),
        },
        "Job" => match controller(object.metadata())? {
            Some(Controller { kind: "CronJob", name, is_batch: true }) => ("CronJob", name),
            _ => ("Job", stable_name(object)?),
        },
        // Any object may use it.
        "PodTemplate" => return Ok(String::new()),
        kind => (kind, stable_name(object)?),
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
    Ok(key(namespace, kind, name))
}

fn key(namespace: &str, kind: &str, name: &str) -> String {
    ["workload:", namespace, "/", kind, "/", name].concat()
}

/// The key of a Job: its `CronJob` if it has one.
fn job_key(namespace: &str, name: &str, cluster: &dyn Cluster) -> Result<String, Fault> {
    let shape = Metadata::OWNED;
    let get = Get { api_version: "batch/v1", kind: "Job", namespace: Some(namespace), name, shape };
    let Some(answer) = get.ask(cluster)? else {
        return Err(Fault::in_lookup(get.to_string(), "not found"));
    };
    let document = answer.document()?;
    Ok(match controller(Pod::of(document.root()).metadata())? {
        Some(Controller { kind: "CronJob", name, is_batch: true }) => key(namespace, "CronJob", name),
        _ => key(namespace, "Job", name),
    })
}

/// The key of a pod with a stable name: one of a StatefulSet, or one without a controller. Empty
/// for other pods.
fn pod_key(subject: &Subject<'_, '_>) -> Result<String, Fault> {
    if subject.request.kind != "Pod" {
        return Ok(String::new());
    }
    let metadata = subject.pod.metadata();
    let name = match controller(metadata)? {
        Some(Controller { kind: "StatefulSet", .. }) => metadata.name().text()?.unwrap_or_default(),
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

struct Controller<'d> {
    kind: &'d str,
    name: &'d str,
    /// Whether it is of the API group `batch`. Other groups also have a kind Job.
    is_batch: bool,
}

fn controller(metadata: Metadata<'_>) -> Result<Option<Controller<'_>>, Fault> {
    let Some(owner) = metadata.controller()? else { return Ok(None) };
    let api_version = owner.api_version.text()?.unwrap_or_default();
    let is_batch = api_version.starts_with("batch/");
    let named = owner.kind.text()?.zip(owner.name.text()?);
    Ok(named.map(|(kind, name)| Controller { kind, name, is_batch }))
}
