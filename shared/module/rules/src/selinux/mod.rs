//! SELinux contexts of pods: the right one for every pod, and nobody else's.
//!
//! # Why
//! What separates containers of one node from each other are the categories of their level, and any pod may set any
//! level: the Pod Security Standards do not look at it. Runtimes give pods a random level that is lost at every restart,
//! and nobody binds levels to tenants.
//!
//! # Two roles, one decision table
//! `mode: Mutate` gives pods what they lack, `mode: Validate` denies what lacks something; both refuse the same. What the
//! first writes, the second admits.
//!
//! # Denied
//! Levels of others, levels that reach those of others, types, users and roles that are not allowed, unconfined types
//! without need, containers of a pod at different levels; local PersistentVolumes of the system; levels of Namespaces
//! that somebody chooses or changes who may not.
//!
//! # Sources
//! - SELinux enhancements, a design document of Kubernetes, as far as admission can deliver it
//! - KEP-1710, volumes mounted with a label
//! - go-selinux and OpenShift's `pkg/security/mcs`, for levels

mod allocation;
mod check;
mod claims;
mod complete;
mod exempt;
mod findings;
mod host_namespaces;
pub mod level;
mod lists;
mod local_volume;
mod namespace;
mod options;
mod owner;
mod ownership;
mod pod;
pub mod pool;
mod profiles;
mod settings;
mod types;
mod volumes;

use admission::{
    Cluster, Fault, How, Node, Operation, Policy, Read, Reads, Request, Scope, ScopeRule, Setting,
    SettingsError, Shape, Verdict,
};

use crate::namespace_lookup::NamespaceLookup;
use crate::view::{Namespace, Pod};
use allocation::Allocation;
pub use allocation::{OnMissingAnnotation, OwnerScope, Source};
use exempt::Exempt;
use findings::Findings;
use host_namespaces::HostNamespaces;
pub use host_namespaces::{HostNamespace, HostNamespaceAction, HostNamespaceLevel};
use owner::Asked;
pub use ownership::{Origin, Owned, Ownership, levels_set_by};
use pod::{Review, ReviewKind};
use settings::Levels;
pub use settings::{IntraPod, LevelMatch, Mode, OnLookupFailure};
use types::Types;
use volumes::Volumes;
pub use volumes::{Caution, ChangePolicy, LocalVolumes, SharedClaims};

/// The policy: its settings, understood.
#[derive(Debug, Default)]
pub struct Selinux {
    mode: Mode,
    allocation: Allocation,
    levels: Levels,
    types: Types,
    users: Vec<String>,
    roles: Vec<String>,
    host_namespaces: HostNamespaces,
    intra_pod: IntraPod,
    volumes: Volumes,
    exempt: Exempt,
    on_lookup_failure: OnLookupFailure,
}

const fn rule(
    group: &'static str,
    kind: &'static str,
    resource: &'static str,
    operations: &'static [Operation],
) -> ScopeRule {
    ScopeRule { group, versions: &["v1"], kind, resource, operations, registered: true }
}

const CREATED: &[Operation] = &[Operation::Create];
const UPDATED: &[Operation] = &[Operation::Update];
const WRITTEN: &[Operation] = &[Operation::Create, Operation::Update];

/// What pods are for the kubelet that mirror its static ones.
const MIRROR: &str = "kubernetes.io/config.mirror";

impl Policy for Selinux {
    const ID: &'static str = "selinux";

    const SCOPE: Scope = Scope(&[
        rule("", "Namespace", "namespaces", WRITTEN),
        // Through these the annotations of a Namespace can be written, too.
        rule("", "Namespace", "namespaces/finalize", UPDATED),
        rule("", "Namespace", "namespaces/status", UPDATED),
        rule("", "PersistentVolume", "persistentvolumes", CREATED),
        rule("", "Pod", "pods", CREATED),
        rule("", "Pod", "pods/ephemeralcontainers", UPDATED),
        rule("", "PodTemplate", "podtemplates", WRITTEN),
        rule("", "ReplicationController", "replicationcontrollers", WRITTEN),
        rule("apps", "DaemonSet", "daemonsets", WRITTEN),
        rule("apps", "Deployment", "deployments", WRITTEN),
        rule("apps", "ReplicaSet", "replicasets", WRITTEN),
        rule("apps", "StatefulSet", "statefulsets", WRITTEN),
        rule("batch", "CronJob", "cronjobs", WRITTEN),
        rule("batch", "Job", "jobs", WRITTEN),
    ]);

    const READS: Reads = Reads(&[
        Read { api_version: "v1", kind: "Namespace", how: How::Get },
        Read { api_version: "v1", kind: "Namespace", how: How::ListAll },
        Read { api_version: "v1", kind: "Pod", how: How::ListIn },
        Read { api_version: profiles::API_VERSION, kind: profiles::KIND, how: How::ListAll },
    ]);

    const MUTATES: bool = true;

    const EMITS_WARNINGS: bool = true;

    const CHECK_KIND_FIRST: bool = true;

    const OBJECT: Shape<'static> = Pod::FIELDS_FOR_SELINUX_IN_ANY_KIND;

    const SETTINGS: &'static [Setting] = settings::SETTINGS;

    const DOCS: &'static [(&'static str, &'static str)] = settings::DOCS;

    fn configure(settings: Node<'_>) -> Result<Self, SettingsError> {
        settings::configure(settings)
    }

    fn review<'d>(&self, request: &Request<'d>, cluster: &dyn Cluster) -> Result<Verdict<'d>, Fault> {
        if self.exempt.covers(request)? {
            return Ok(Verdict::admit());
        }
        match request.kind {
            "PersistentVolume" => local_volume::review(request.object()?, self.volumes.local),
            "Namespace" => namespace::review(self, request, cluster),
            kind => self.review_pod(request, kind, cluster),
        }
    }
}

impl Selinux {
    /// Whether every pod has to have a level.
    fn demands_levels(&self) -> bool {
        self.levels.matching == LevelMatch::Exact || self.allocation.source == Source::Fixed
    }

    fn review_pod<'d>(
        &self,
        request: &Request<'d>,
        kind: &str,
        cluster: &dyn Cluster,
    ) -> Result<Verdict<'d>, Fault> {
        let written = request.object()?;
        let (object, what) = match (kind, request.operation) {
            ("Pod", Operation::Update) => (request.stored_object()?, ReviewKind::Ephemeral(Pod::of(written))),
            ("Pod", _) => (written, ReviewKind::Pod),
            _ => (written, ReviewKind::Template),
        };
        let pod = Pod::in_object(object, kind);
        if is_left_alone(pod)? {
            return Ok(Verdict::admit());
        }
        if matches!(what, ReviewKind::Template)
            && request.operation == Operation::Update
            && is_untouched(Pod::in_object(request.stored_object()?, kind), pod)?
        {
            return Ok(Verdict::admit());
        }
        let Some(namespace) = request.namespace()? else {
            return Err(Fault::in_payload(&["request", "namespace"], "expected a string, found nothing"));
        };
        let review = Review {
            policy: self,
            asked: Asked { request, object, pod, namespace },
            what,
            lookup: NamespaceLookup::new(Some(namespace), cluster, Namespace::DESCRIBED),
            cluster,
            found: Findings::default(),
            profiles: None,
        };
        review.judge()?.verdict(self.mode)
    }
}

/// Whether SELinux has no say in a pod: one for Windows, for which the API server refuses options, and one that a
/// kubelet mirrors, which changes nothing about the pod that runs.
fn is_left_alone(pod: Pod<'_>) -> Result<bool, Fault> {
    let spec = pod.spec();
    for (holder, name) in [("os", "name"), ("nodeSelector", "kubernetes.io/os")] {
        if let Some(holder) = spec.entry(holder)?
            && let Some(system) = holder.entry(name)?
            && system.text()? == Some("windows")
        {
            return Ok(true);
        }
    }
    Ok(pod.metadata().annotations().entry(MIRROR)?.is_some())
}

/// Whether an update leaves all of a template as it was that decides about contexts. Images and the like do not: their
/// pods are judged when they are created.
fn is_untouched(old: Pod<'_>, new: Pod<'_>) -> Result<bool, Fault> {
    let (before, now) = (old.spec(), new.spec());
    for field in ["hostIPC", "hostNetwork", "hostPID", "nodeSelector", "os", "securityContext", "volumes"] {
        if !is_same(before.entry(field)?, now.entry(field)?) {
            return Ok(false);
        }
    }
    let (old, new) = (old.all_containers()?, new.all_containers()?);
    if old.len() != new.len() {
        return Ok(false);
    }
    for (old, new) in old.iter().zip(&new) {
        for field in ["securityContext", "volumeMounts"] {
            if !is_same(old.place().entry(field)?, new.place().entry(field)?) {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

fn is_same(one: Option<Node<'_>>, other: Option<Node<'_>>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => one.is_same(&other),
        (one, other) => one.is_none() && other.is_none(),
    }
}
