//! The condition on the workload that an object is or belongs to.
//!
//! Anyone who may create a pod may write any owner reference into it, so a reference counts only in
//! requests of the controller that sets it. The API server gives these identities to no one else.
//!
//! Source: the service accounts in `bootstrappolicy/controller_policy.go` of Kubernetes, which are
//! in `kube-system`. Without `--use-service-account-credentials`, all controllers are
//! `system:kube-controller-manager`.

use admission::Fault;

use crate::pattern::Patterns;
use crate::view::{Metadata, Pod};

/// A kind of owner, and the service account of the controller that creates its dependents.
#[derive(Debug)]
struct Controller {
    api_version: &'static str,
    kind: &'static str,
    account: &'static str,
}

const fn controller(api_version: &'static str, kind: &'static str, account: &'static str) -> Controller {
    Controller { api_version, kind, account }
}

const CONTROLLERS: [Controller; 7] = [
    controller("batch/v1", "CronJob", "cronjob-controller"),
    controller("apps/v1", "DaemonSet", "daemon-set-controller"),
    controller("apps/v1", "Deployment", "deployment-controller"),
    controller("batch/v1", "Job", "job-controller"),
    controller("apps/v1", "ReplicaSet", "replicaset-controller"),
    controller("v1", "ReplicationController", "replication-controller"),
    controller("apps/v1", "StatefulSet", "statefulset-controller"),
];

/// The owner for which its controller sends a request.
#[derive(Debug)]
pub(crate) struct Creator<'d> {
    pub(crate) api_version: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) name: &'d str,
    /// The UID; empty if the reference has none.
    pub(crate) uid: &'d str,
}

pub(super) fn is_kind(kind: &str) -> bool {
    kind == "Pod" || kind == "PodTemplate" || CONTROLLERS.iter().any(|known| known.kind == kind)
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Subject<'a, 'd> {
    pub(super) kind: &'a str,
    /// The metadata of the object itself.
    pub(super) metadata: Metadata<'d>,
    /// The pod or the pod template of the object.
    pub(super) pod: Pod<'d>,
    /// The requesting user. It is empty for a stored object that the audit scanner submits or that
    /// was looked up; the owner references of those are taken as they are.
    pub(super) user: &'a str,
}

/// Returns whether an object is one of some workloads, or whether its controller creates it for one
/// of them.
pub(super) fn is_of(workloads: &Patterns, subject: &Subject<'_, '_>) -> Result<bool, Fault> {
    let Subject { kind, metadata, pod, user } = *subject;
    let own = metadata.name().text()?.unwrap_or_default();
    if workloads.match_text(&joined(kind, own)) {
        return Ok(true);
    }
    let Some(Creator { kind, name, .. }) = creator(metadata, user, true)? else { return Ok(false) };
    if workloads.match_text(&joined(kind, name)) {
        return Ok(true);
    }
    Ok(match owner_of_owner(kind, name, pod)? {
        Some((kind, name)) => workloads.match_text(&joined(kind, name)),
        None => false,
    })
}

/// Returns the owner for which its controller, the requesting user, creates an object, from the
/// metadata of the object. Stored objects have no requesting user; their owner references are taken
/// as they are if they are trusted.
pub(crate) fn creator<'d>(
    metadata: Metadata<'d>,
    user: &str,
    trusts_stored: bool,
) -> Result<Option<Creator<'d>>, Fault> {
    let Some(owner) = metadata.controller()? else { return Ok(None) };
    let (found, kind) = (owner.api_version.text()?, owner.kind.text()?);
    let account = user.strip_prefix("system:serviceaccount:kube-system:");
    let is_known = |known: &&Controller| {
        Some(known.kind) == kind
            && Some(known.api_version) == found
            && (account == Some(known.account)
                || user == "system:kube-controller-manager"
                || user.is_empty() && trusts_stored)
    };
    let Some(Controller { api_version, kind, .. }) = CONTROLLERS.iter().find(is_known) else {
        return Ok(None);
    };
    let (name, uid) = (owner.name.text()?, owner.uid.text()?);
    Ok(name.map(|name| Creator { api_version, kind, name, uid: uid.unwrap_or_default() }))
}

/// Returns the owner of an owner: the Deployment of a `ReplicaSet` or the `CronJob` of a Job, whose
/// name starts with that of its owner. The rest is the value of a label, or the scheduled time in
/// minutes.
///
/// Source: `getNewReplicaSet` in `pkg/controller/deployment/sync.go` and `getJobName` in
/// `pkg/controller/cronjob/cronjob_controllerv2.go` of Kubernetes.
fn owner_of_owner<'d>(
    kind: &str,
    name: &'d str,
    pod: Pod<'d>,
) -> Result<Option<(&'static str, &'d str)>, Fault> {
    let Some((stem, rest)) = name.rsplit_once('-') else { return Ok(None) };
    Ok(match kind {
        "ReplicaSet" => match pod.metadata().labels().entry("pod-template-hash")? {
            Some(hash) => hash.text()?.filter(|hash| *hash == rest).map(|_| ("Deployment", stem)),
            None => None,
        },
        "Job" => {
            let is_time = rest.len() >= 8 && rest.bytes().all(|byte| byte.is_ascii_digit());
            is_time.then_some(("CronJob", stem))
        }
        _ => None,
    })
}

fn joined(kind: &str, name: &str) -> String {
    [kind, "/", name].concat()
}
