//! Pods that share claims. A volume has one label on a node, so that pods with different ones take it from each other.

use admission::{Cluster, Fault, List};

use super::level::Level;
use super::options::{Site, filled};
use crate::view::Pod;

/// How the kubelet changes labels where a pod does not say it.
pub(super) const DEFAULT_CHANGE_POLICY: &str = "MountOption";

/// For each claim another running pod that uses it with another label: another level, one that the runtime chooses, or
/// another change policy.
///
/// # Errors
/// When the pods of the Namespace cannot be looked up or read.
pub(super) fn conflicts(
    cluster: &dyn Cluster,
    namespace: &str,
    own_name: Option<&str>,
    claims: &[&str],
    label: &(Option<Level>, &str),
) -> Result<Vec<Option<String>>, Fault> {
    let list = List {
        api_version: "v1",
        kind: "Pod",
        namespace: Some(namespace),
        shape: Pod::FIELDS_FOR_SHARED_VOLUMES,
    };
    let answer = list.ask(cluster)?;
    let document = answer.document()?;
    let mut conflicts: Vec<Option<String>> = vec![None; claims.len()];
    for item in document.root().at("items").required_items()? {
        let other = Pod::of(item);
        let name = other.metadata().name().text()?.unwrap_or_default();
        let phase = item.at("status").at("phase").text()?;
        if matches!(phase, Some("Succeeded" | "Failed")) || own_name == Some(name) {
            continue;
        }
        let (level, policy) = (level(other)?, change_policy(other)?.unwrap_or(DEFAULT_CHANGE_POLICY));
        if level.is_some() && level == label.0 && policy == label.1 {
            continue;
        }
        for volume in other.volumes()? {
            let Some(claim) = volume.entry("persistentVolumeClaim")? else { continue };
            let theirs = claim.at("claimName").text()?;
            for (ours, conflict) in claims.iter().zip(&mut conflicts) {
                // Of several the least, as the cluster lists in any order.
                if theirs == Some(*ours) && conflict.as_deref().is_none_or(|known| name < known) {
                    *conflict = Some(name.to_owned());
                }
            }
        }
    }
    Ok(conflicts)
}

/// The level that a pod's volumes get: that of its first container that has one, or its own.
fn level(pod: Pod<'_>) -> Result<Option<Level>, Fault> {
    let of_pod = Site::of_pod(pod)?.own.and_then(|own| own.level);
    for container in pod.all_containers()? {
        let own = Site::of_container(container)?.own;
        if let Some(text) = own.map_or(of_pod, |own| own.level) {
            return Ok(Level::parse(text).ok());
        }
    }
    Ok(None)
}

/// The change policy that a pod sets.
///
/// # Errors
/// When it cannot be read.
pub(super) fn change_policy(pod: Pod<'_>) -> Result<Option<&str>, Fault> {
    let Some(context) = pod.spec().entry("securityContext")? else { return Ok(None) };
    filled(context.entry("seLinuxChangePolicy")?)
}
