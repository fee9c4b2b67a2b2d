//! Types of volumes that are neither made for the pod nor claimed for it.

use super::{Allows, Check, Field, FieldRule, Level, Revision, Takes};

pub(super) const CHECK: Check = Check {
    id: "restrictedVolumes",
    control: "Volume Types",
    level: Level::Restricted,
    replaced_by: None,
    revisions: &[Revision {
        since: 0,
        unless: None,
        rules: &[FieldRule::of(
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
            Takes::HostPath,
            Allows::Only(&[
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
            "use one of these, such as a claim for a volume of this type",
        )],
    }],
};
