//! The condition on the workload that an object is or belongs to.
//!
//! Anyone who may create a pod may write any owner reference into it, so a reference counts only in
//! requests of the controller that sets it. The API server gives these identities to no one else.
//!
//! Source: the service accounts in `bootstrappolicy/controller_policy.go` of Kubernetes, which are
//! in `kube-system`. Without `--use-service-account-credentials`, all controllers are
//! `system:kube-controller-manager`.

use admission::{Fault, Request};

use crate::pattern::Patterns;
use crate::view::{Metadata, Pod};

/// The kinds of owners, with the service account of the controller that creates their dependents.
const CONTROLLERS: [(&str, &str); 7] = [
    ("CronJob", "cronjob-controller"),
    ("DaemonSet", "daemon-set-controller"),
    ("Deployment", "deployment-controller"),
    ("Job", "job-controller"),
    ("ReplicaSet", "replicaset-controller"),
    ("ReplicationController", "replication-controller"),
    ("StatefulSet", "statefulset-controller"),
];

/// Returns whether a text is the kind of a workload.
pub(super) fn is_kind(kind: &str) -> bool {
    kind == "Pod" || kind == "PodTemplate" || CONTROLLERS.iter().any(|(known, _)| *known == kind)
}

/// Returns whether the object of a request is one of some workloads, or whether its controller
/// creates it for one of them. `pod` is the pod or the pod template of the object.
///
/// # Errors
/// Returns a fault if a name, a label, an owner reference or the requesting user cannot be read.
pub(super) fn is_of(workloads: &Patterns, request: &Request<'_>, pod: Pod<'_>) -> Result<bool, Fault> {
    let metadata = Pod::of(request.object()?).metadata();
    let own = metadata.name().text()?.unwrap_or_default();
    if workloads.match_text(&joined(request.kind, own)) {
        return Ok(true);
    }
    let Some((kind, name)) = owner(metadata, request)? else { return Ok(false) };
    if workloads.match_text(&joined(kind, name)) {
        return Ok(true);
    }
    Ok(match owner_of_owner(kind, name, pod)? {
        Some((kind, name)) => workloads.match_text(&joined(kind, name)),
        None => false,
    })
}

/// Returns the kind and the name of the owner for which its controller sends the request. The audit
/// scanner submits stored objects without a user; their owner references are taken as they are.
fn owner<'d>(metadata: Metadata<'d>, request: &Request<'d>) -> Result<Option<(&'d str, &'d str)>, Fault> {
    let Some(owner) = metadata.controller()? else { return Ok(None) };
    let (Some(kind), Some(name)) = (owner.kind.text()?, owner.name.text()?) else { return Ok(None) };
    let user = request.username()?;
    let account = user.strip_prefix("system:serviceaccount:kube-system:");
    let is_controller = CONTROLLERS.iter().any(|(known, controller)| {
        *known == kind
            && (user.is_empty() || user == "system:kube-controller-manager" || account == Some(controller))
    });
    Ok(is_controller.then_some((kind, name)))
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
