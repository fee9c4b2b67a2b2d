//! Evictions of pods by nodes.

use admission::{Cluster, Fault, Get, Request, Violations};

use super::policy::OTHER_CREDENTIALS;
use crate::view::Pod;

/// Returns a violation if a node evicts a pod that does not run on it. The request has only the
/// name of the pod, so the pod is looked up.
///
/// Source: `admitPodEviction` of `NodeRestriction`.
pub(super) fn review<'d>(
    caller: &str,
    request: &Request<'d>,
    cluster: &dyn Cluster,
) -> Result<Violations<'d>, Fault> {
    let of_request = request.name();
    let at = match of_request.filled_text()? {
        Some(_) => of_request,
        None => Pod::of(request.object()?).metadata().name(),
    };
    let Some(name) = at.filled_text()? else {
        return Err(of_request.fault("expected a string, found nothing"));
    };
    let namespace = request.namespace()?;
    if namespace.is_none() {
        return Err(Fault::in_payload(&["request", "namespace"], "expected a string, found nothing"));
    }
    let get = Get { api_version: "v1", kind: "Pod", namespace, name, shape: Pod::BOUND };
    let mut violations = Violations::default();
    let Some(answer) = get.ask(cluster)? else {
        violations.refuse(at, "the cluster has no such pod", "check the name and the namespace");
        return Ok(violations);
    };
    let document = answer.document()?;
    if Pod::of(document.root()).node_name().filled_text()? != Some(caller) {
        violations.refuse(at, "a node may evict only its own pods", OTHER_CREDENTIALS);
    }
    Ok(violations)
}
