//! Pods that share claims. A volume has one label on a node, so that pods with different labels
//! take it from each other.
//!
//! Source: KEP-1710, speed up recursive SELinux label change.

use admission::{Cluster, Fault, List, Lookup};

use super::site::Site;
use crate::selinux::level::Level;
use crate::selinux::text::filled;
use crate::view::Pod;

pub(super) const DEFAULT_CHANGE_POLICY: &str = "MountOption";

/// Finds, for each claim, another running pod that uses it with another label: another level, a
/// level that the runtime chooses, or another change policy.
pub(super) fn conflicts(
    cluster: &dyn Cluster,
    namespace: &str,
    pod_name: Option<&str>,
    claims: &[&str],
    label: &(Option<Level>, &str),
) -> Result<Vec<Option<String>>, Fault> {
    let list = List {
        api_version: "v1",
        kind: "Pod",
        namespace: Some(namespace),
        shape: Pod::FIELDS_FOR_SHARED_VOLUMES,
    };
    let names = Lookup::of(claims.to_vec());
    let mut conflicts: Vec<Option<String>> = vec![None; names.len()];
    list.each(cluster, &mut |item| {
        let other = Pod::of(item);
        let name = other.metadata().name().text()?.unwrap_or_default();
        let phase = item.at("status").at("phase").text()?;
        if matches!(phase, Some("Succeeded" | "Failed")) || pod_name == Some(name) {
            return Ok(());
        }
        let (level, policy) = (level(other)?, change_policy(other)?.unwrap_or(DEFAULT_CHANGE_POLICY));
        if level.is_some() && level == label.0 && policy == label.1 {
            return Ok(());
        }
        for volume in other.volumes()? {
            let Some(claim) = volume.entry("persistentVolumeClaim")? else { continue };
            let Some(theirs) = claim.at("claimName").text()? else { continue };
            // The first by name, because the cluster lists pods in any order.
            if let Some(at) = names.position(&theirs)
                && let Some(conflict) = conflicts.get_mut(at)
                && conflict.as_deref().is_none_or(|known| name < known)
            {
                *conflict = Some(name.to_owned());
            }
        }
        Ok(())
    })?;
    let of_claim = |claim| names.position(claim).and_then(|at| conflicts.get(at)?.clone());
    Ok(claims.iter().map(of_claim).collect())
}

/// The level of a pod's volumes: the level of its first container that has one.
fn level(pod: Pod<'_>) -> Result<Option<Level>, Fault> {
    let pod_level = Site::of_pod(pod)?.level();
    for container in pod.all_containers()? {
        let options = Site::of_container(container)?.options;
        if let Some(text) = options.map_or(pod_level, |options| options.level) {
            return Ok(Level::parse(text).ok());
        }
    }
    Ok(None)
}

pub(in crate::selinux) fn change_policy(pod: Pod<'_>) -> Result<Option<&str>, Fault> {
    let Some(context) = pod.spec().entry("securityContext")? else { return Ok(None) };
    filled(context.entry("seLinuxChangePolicy")?)
}
