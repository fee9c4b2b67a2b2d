//! Pods may use only volumes that are created for them or claimed by them.
//!
//! **Control:** `Volume Types`, level `restricted`
//!
//! **Since v1.0**
//!
//! Restricted fields:
//! - `spec.volumes[*].*`
//!
//! Allowed values: `configMap`, `csi`, `downwardAPI`, `emptyDir`, `ephemeral`, `image`,
//! `persistentVolumeClaim`, `projected`, `secret`
//!
//! Source: `policy/check_restrictedVolumes.go` in k8s.io/pod-security-admission,
//! <https://kubernetes.io/docs/concepts/security/pod-security-standards/>

use super::{Allowed, Check, Field, FieldRule, Level, Remedy, Revision, ValueType};

pub(super) const CHECK: Check = Check {
    id: "restrictedVolumes",
    control: "Volume Types",
    level: Level::Restricted,
    superseded_by: None,
    revisions: &[Revision::since(
        0,
        &[FieldRule::of(
            Field::VolumeSource(&[
                "hostPath",
                "gcePersistentDisk",
                "awsElasticBlockStore",
                "gitRepo",
                "nfs",
                "iscsi",
                "glusterfs",
                "rbd",
                "flexVolume",
                "cinder",
                "cephfs",
                "flocker",
                "fc",
                "azureFile",
                "vsphereVolume",
                "quobyte",
                "azureDisk",
                "photonPersistentDisk",
                "portworxVolume",
                "scaleIO",
                "storageos",
            ]),
            ValueType::HostPath,
            Allowed::Only(&[
                "configMap",
                "csi",
                "downwardAPI",
                "emptyDir",
                "ephemeral",
                "image",
                "persistentVolumeClaim",
                "projected",
                "secret",
            ]),
            Remedy::in_words("use one of these, such as a persistentVolumeClaim for a volume of this type"),
        )],
    )],
};
