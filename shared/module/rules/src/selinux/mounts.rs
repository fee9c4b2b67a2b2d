//! The labels with which the containers of a pod mount its volumes.
//!
//! Source: `GetPodVolumeNames` in `pkg/volume/util/util.go` of Kubernetes 1.37.

use std::collections::BTreeMap;

use admission::Fault;

use super::pod::{Options, Site, change_policy};
use crate::view::Pod;

/// How a pod mounts its volumes.
#[derive(Clone, Debug, Default)]
pub struct Mounts<'d> {
    /// Whether the pod has `seLinuxChangePolicy: Recursive`, so that volumes are relabelled and not
    /// mounted with a label.
    pub is_recursive: bool,
    /// The volumes that containers mount, each with the options of the container of each mount:
    /// user, role, type and level, empty where they are not set. A container without options, in a
    /// pod without options, adds none.
    pub labels: BTreeMap<&'d str, Vec<[&'d str; 4]>>,
}

impl<'d> Mounts<'d> {
    /// Reads a pod.
    ///
    /// # Errors
    /// Options, containers or mounts that cannot be read.
    pub fn of(pod: Pod<'d>) -> Result<Self, Fault> {
        let mut mounts =
            Self { is_recursive: change_policy(pod)? == Some("Recursive"), labels: BTreeMap::new() };
        let pod_options = Site::of_pod(pod)?.options;
        for container in pod.all_containers()? {
            let options = Site::of_container(container)?.options.or(pod_options);
            let Some(mounted) = container.place().entry("volumeMounts")? else { continue };
            for mount in mounted.items()? {
                let Some(name) = mount.entry("name")? else { continue };
                let labels = mounts.labels.entry(name.text()?.unwrap_or_default()).or_default();
                labels.extend(options.map(Options::texts));
            }
        }
        Ok(mounts)
    }
}
