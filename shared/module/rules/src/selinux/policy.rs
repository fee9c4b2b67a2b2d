//! The policy: its scope, its look-ups, and the review that each kind of object gets.

use admission::{
    Cluster, Fault, How, Node, Operation, Policy, Read, Reads, Request, Scope, ScopeRule, Setting,
    SettingsError, Shape, Verdict,
};

use super::pod::{PROFILE_API_VERSION, PROFILE_KINDS};
use super::settings::{self, Settings};
use super::{local_volume, namespace, pod};
use crate::view::Pod;

/// The policy `selinux`.
#[derive(Debug, Default)]
pub struct Selinux(pub(super) Settings);

const CREATED: &[Operation] = &[Operation::Create];
const UPDATED: &[Operation] = &[Operation::Update];
const WRITTEN: &[Operation] = &[Operation::Create, Operation::Update];

impl Policy for Selinux {
    const ID: &'static str = "selinux";

    const SCOPE: Scope = Scope(&[
        ScopeRule::new("", "Namespace", "namespaces", WRITTEN),
        // These subresources can also change the annotations of a Namespace.
        ScopeRule::new("", "Namespace", "namespaces/finalize", UPDATED),
        ScopeRule::new("", "Namespace", "namespaces/status", UPDATED),
        ScopeRule::new("", "PersistentVolume", "persistentvolumes", CREATED),
        // Exemptions can depend on images, which an update can change.
        ScopeRule::new("", "Pod", "pods", WRITTEN),
        ScopeRule::new("", "Pod", "pods/ephemeralcontainers", UPDATED),
        ScopeRule::new("", "PodTemplate", "podtemplates", WRITTEN),
        ScopeRule::new("", "ReplicationController", "replicationcontrollers", WRITTEN),
        ScopeRule::new("apps", "DaemonSet", "daemonsets", WRITTEN),
        ScopeRule::new("apps", "Deployment", "deployments", WRITTEN),
        ScopeRule::new("apps", "ReplicaSet", "replicasets", WRITTEN),
        ScopeRule::new("apps", "StatefulSet", "statefulsets", WRITTEN),
        ScopeRule::new("batch", "CronJob", "cronjobs", WRITTEN),
        ScopeRule::new("batch", "Job", "jobs", WRITTEN),
    ]);

    const READS: Reads = Reads(&[
        Read { api_version: "v1", kind: "Namespace", how: How::Get },
        Read { api_version: "v1", kind: "Namespace", how: How::ListAll },
        Read { api_version: "v1", kind: "Pod", how: How::ListIn },
        Read { api_version: "batch/v1", kind: "Job", how: How::Get },
        Read { api_version: PROFILE_API_VERSION, kind: PROFILE_KINDS[0], how: How::ListAll },
        Read { api_version: PROFILE_API_VERSION, kind: PROFILE_KINDS[1], how: How::ListAll },
    ]);

    const MUTATES: bool = true;

    const CHECK_KIND_FIRST: bool = true;

    const OBJECT: Shape<'static> = Pod::FIELDS_FOR_SELINUX_IN_ANY_KIND;

    const RULES: &'static [(&'static str, &'static str)] = super::rule::ALL;

    const SETTINGS: &'static [Setting] = settings::SETTINGS;

    const DOCS: &'static [(&'static str, &'static str)] = settings::DOCS;

    fn configure(settings: Node<'_>) -> Result<Self, SettingsError> {
        Settings::read(settings).map(Self)
    }

    fn review<'d>(&self, request: &Request<'d>, cluster: &dyn Cluster) -> Result<Verdict<'d>, Fault> {
        let Self(settings) = self;
        if settings.exempt.covers(request)? {
            return Ok(Verdict::admit());
        }
        match request.kind {
            "PersistentVolume" => local_volume::review(request.object()?, settings.volumes.local),
            "Namespace" => namespace::review(settings, request, cluster),
            kind => pod::review(settings, request, kind, cluster),
        }
    }
}
