//! Pods and templates that are admitted without a review.

use admission::{Fault, Node};

use crate::view::Pod;

/// The annotation of mirror pods, through which a kubelet reports its static pods.
const MIRROR: &str = "kubernetes.io/config.mirror";

/// Whether SELinux options of a pod have no effect: the API server rejects them on Windows pods,
/// and a mirror pod does not change the static pod that runs.
pub(super) fn is_unaffected(pod: Pod<'_>) -> Result<bool, Fault> {
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

/// The fields of a pod that decide about contexts.
const FIELDS: [&str; 8] = [
    "hostIPC",
    "hostNetwork",
    "hostPID",
    "nodeSelector",
    "os",
    "securityContext",
    "serviceAccountName",
    "volumes",
];

/// Whether an update of a template keeps all fields that decide about contexts. Other fields, such
/// as images and labels, are evaluated when the pods of the template are created.
pub(super) fn is_unchanged(old: Pod<'_>, new: Pod<'_>) -> Result<bool, Fault> {
    let (before, now) = (old.spec(), new.spec());
    for field in FIELDS {
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
