//! Volumes that pods mount with different labels, so that on one node not all of the pods start.
//!
//! Since Kubernetes 1.37, kubelets mount volumes with the label of the pod if the volume plugin
//! permits it, whatever the access modes, and a volume has one label on a node.
//!
//! Source: `pkg/controller/volume/selinuxwarning` and
//! `pkg/kubelet/volumemanager/cache/desired_state_of_world.go` of Kubernetes 1.37.2.

use std::collections::{BTreeMap, BTreeSet};

use admission::{Fault, Node, Shape};
use rules::selinux::Mounts;
use rules::view::Pod;
use serde::Serialize;

use super::findings::ObjectReference;
use super::storage::{Mounted, Place, Storage};
use crate::audit::{AuditError, Dump, DumpObject, abbreviated};

/// The fields that are read of pods, pod templates and persistent volumes, in addition to those
/// that the policy reads.
pub(in crate::audit) const FIELDS: Shape<'static> = Shape::Fields(&[(
    "spec",
    Shape::Fields(&[
        ("accessModes", Shape::ALL),
        ("awsElasticBlockStore", Shape::ALL),
        ("azureDisk", Shape::ALL),
        ("azureFile", Shape::ALL),
        ("cinder", Shape::ALL),
        ("claimRef", Shape::ALL),
        ("csi", Shape::Fields(&[("driver", Shape::ALL), ("volumeHandle", Shape::ALL)])),
        ("fc", Shape::ALL),
        ("gcePersistentDisk", Shape::ALL),
        ("iscsi", Shape::ALL),
        ("jobTemplate", Shape::Fields(&[("spec", Shape::Fields(&[("template", TEMPLATE)]))])),
        ("portworxVolume", Shape::ALL),
        ("template", TEMPLATE),
        ("volumes", VOLUMES),
        ("vsphereVolume", Shape::ALL),
    ]),
)]);

const TEMPLATE: Shape<'static> = Shape::Fields(&[("spec", Shape::Fields(&[("volumes", VOLUMES)]))]);

const VOLUMES: Shape<'static> = Shape::Fields(&[
    ("awsElasticBlockStore", Shape::ALL),
    ("azureDisk", Shape::ALL),
    ("azureFile", Shape::ALL),
    ("cinder", Shape::ALL),
    ("ephemeral", Shape::Fields(&[])),
    ("gcePersistentDisk", Shape::ALL),
    ("portworxVolume", Shape::ALL),
    ("vsphereVolume", Shape::ALL),
]);

/// The kinds whose pod templates say nothing that their pods do not say: nothing creates a pod from
/// a `PodTemplate`, and a Job creates its pods at once.
const WITHOUT_FURTHER_PODS: [&str; 2] = ["Job", "PodTemplate"];

/// The part of `seLinuxOptions` of a pod or container that labels the files of a volume. The type
/// and role are those of processes, and empty if the level is set.
///
/// Source: `InitLabels` of go-selinux 1.15, with which kubelets compute the label. Without a level,
/// it chooses a random one, and Kubernetes compares the options.
#[derive(Clone, Debug, Default, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub struct Label {
    /// The user, empty if it is not set.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub user: String,
    /// The role, empty if it is not set.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub role: String,
    /// The type, empty if it is not set.
    #[serde(rename = "type", skip_serializing_if = "String::is_empty")]
    pub type_name: String,
    /// The level, empty if it is not set.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub level: String,
}

/// A volume that not all of its pods can use on one node.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ConflictingVolume {
    /// The `PersistentVolume`; without one, the identifier of the disk.
    pub volume: String,
    /// The CSI driver, or `fc` or `iscsi`.
    pub driver: String,
    /// The access modes of the `PersistentVolume`.
    pub access_modes: Vec<String>,
    /// The labels with which the volume is mounted, each of which conflicts with another.
    pub uses: Vec<VolumeUse>,
}

/// The pods that mount a volume with one label.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VolumeUse {
    /// The label; `None` if the volume is mounted without one and relabelled, because the pods have
    /// none or have `seLinuxChangePolicy: Recursive`.
    pub se_linux_options: Option<Label>,
    /// The pods, and the workloads with such a pod template.
    pub objects: Vec<ObjectReference>,
}

/// A volume that containers of one pod mount with different labels.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MixedVolume {
    /// The pod, or the workload with the pod template.
    #[serde(flatten)]
    pub object: ObjectReference,
    /// The name of the volume in the pod.
    pub volume: String,
    /// The labels.
    pub se_linux_options: Vec<Label>,
}

/// The volumes of a cluster and the pods that use them.
pub(super) struct Volumes {
    storage: Storage,
    used: BTreeMap<Place, Used>,
    mixed: Vec<MixedVolume>,
}

#[derive(Default)]
struct Used {
    volume: String,
    access_modes: Vec<String>,
    by_label: BTreeMap<Option<Label>, Vec<ObjectReference>>,
}

/// The findings about volumes, and those that are unknown.
#[derive(Default)]
pub(super) struct VolumeFindings {
    pub(super) conflicting: Vec<ConflictingVolume>,
    pub(super) mixed: Vec<MixedVolume>,
    /// Claims that pods with different labels use and whose volumes are not known.
    pub(super) unknown_claims: BTreeSet<String>,
    /// Drivers of volumes that pods with different labels use, whose objects `CSIDriver` are not
    /// known.
    pub(super) unknown_drivers: BTreeSet<String>,
}

impl Volumes {
    /// Reads the claims, volumes and drivers of a dump.
    pub(super) fn of(dump: &Dump) -> Result<Self, AuditError> {
        Ok(Self { storage: Storage::of(dump)?, used: BTreeMap::new(), mixed: Vec::new() })
    }

    /// Adds a pod or a workload with a pod template.
    pub(super) fn add(&mut self, object: &DumpObject, root: Node<'_>) -> Result<(), Fault> {
        let pod = Pod::in_object(root, &object.kind);
        if object.kind != "Pod"
            && (WITHOUT_FURTHER_PODS.contains(&object.kind.as_str())
                || Pod::of(root).metadata().controller()?.is_some())
        {
            return Ok(());
        }
        let mounts = Mounts::of(pod)?;
        for volume in pod.volumes()? {
            let name = volume.at("name").text()?.unwrap_or_default();
            let Some(labels) = mounts.labels.get(name) else { continue };
            let labels: BTreeSet<Option<Label>> = labels.iter().map(Label::of).collect();
            let Some(mounted) = self.storage.find(object, root, volume)? else { continue };
            let Mounted { name: volume, access_modes, place } = mounted;
            let reference = ObjectReference::of(object);
            let mut labels = labels.into_iter();
            let label = labels.next().flatten();
            let others: Vec<Option<Label>> = labels.collect();
            if !others.is_empty() {
                let se_linux_options =
                    [label].into_iter().chain(others).map(Option::unwrap_or_default).collect();
                self.mixed.push(MixedVolume { object: reference, volume: name.to_owned(), se_linux_options });
            } else if let Some(place) = place {
                let used = self.used.entry(place).or_default();
                used.volume = volume;
                used.access_modes = access_modes;
                let label = label.filter(|_| !mounts.is_recursive);
                used.by_label.entry(label).or_default().push(reference);
            }
        }
        Ok(())
    }

    /// Compares the labels of each volume.
    pub(super) fn findings(self) -> VolumeFindings {
        let mut findings = VolumeFindings { mixed: self.mixed, ..VolumeFindings::default() };
        for (place, Used { volume, access_modes, by_label }) in self.used {
            let conflicting = conflicting(by_label.keys());
            let uses: Vec<VolumeUse> = by_label
                .into_iter()
                .zip(conflicting)
                .filter(|(_, conflicts)| *conflicts)
                .map(|((se_linux_options, objects), _)| VolumeUse { se_linux_options, objects })
                .collect();
            if uses.is_empty() {
                continue;
            }
            match place {
                Place::Claim(claim) => {
                    findings.unknown_claims.insert(claim);
                }
                Place::Disk { driver, .. } if self.storage.lacks_driver(&driver) => {
                    findings.unknown_drivers.insert(driver);
                }
                Place::Disk { driver, .. } => {
                    findings.conflicting.push(ConflictingVolume { volume, driver, access_modes, uses });
                }
            }
        }
        findings
    }
}

impl VolumeFindings {
    /// Returns sentences about the volumes that could not be compared.
    pub(super) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if !self.unknown_claims.is_empty() {
            notes.push(format!(
                "Pods with different labels use claims that are not bound, or whose PersistentVolumeClaim or \
                 PersistentVolume the dump lacks, so these pods were not compared: {}",
                abbreviated(self.unknown_claims.iter().map(String::as_str))
            ));
        }
        if !self.unknown_drivers.is_empty() {
            notes.push(format!(
                "Pods with different labels share volumes of drivers whose CSIDrivers the dump lacks ({}); a driver \
                 without one does not mount volumes with labels, so these pods were not compared",
                abbreviated(self.unknown_drivers.iter().map(String::as_str))
            ));
        }
        notes
    }
}

impl Label {
    fn of(texts: &[&str; 4]) -> Option<Self> {
        let [user, role, type_name, level] = texts.map(str::to_owned);
        let label = if level.is_empty() {
            Self { user, role, type_name, level }
        } else {
            Self { user, level, ..Self::default() }
        };
        (label != Self::default()).then_some(label)
    }

    fn parts(&self) -> [&str; 4] {
        [&self.user, &self.role, &self.type_name, &self.level]
    }
}

/// Returns for each label of a volume whether it conflicts with another one.
///
/// Nodes replace a user, role or type that is not set, so it may equal any other. They do not
/// replace a level.
///
/// Source: `ConflictsParsed` of `selinuxwarning/translator`.
fn conflicting<'l>(labels: impl Iterator<Item = &'l Option<Label>> + Clone) -> Vec<bool> {
    let mut values: [BTreeSet<&str>; 4] = Default::default();
    for label in labels.clone().flatten() {
        for (values, part) in values.iter_mut().zip(label.parts()) {
            values.insert(part);
        }
    }
    let [.., levels] = &values;
    let are_all = levels.len() > 1 || labels.clone().any(Option::is_none) && labels.clone().count() > 1;
    let has_several = |values: &BTreeSet<&str>| values.iter().filter(|value| !value.is_empty()).count() > 1;
    let several = values.each_ref().map(has_several);
    let differs =
        |label: &Label| label.parts().iter().zip(several).any(|(part, several)| several && !part.is_empty());
    labels.map(|label| are_all || label.as_ref().is_some_and(differs)).collect()
}

#[cfg(test)]
mod tests {
    use kubernetes::objects::Objects;
    use serde_json::{Value, json};

    use super::super::{SelinuxFindings, SelinuxSettings, find};
    use super::*;

    /// A claim with its volume.
    fn storage() -> Vec<Value> {
        vec![
            json!({
                "apiVersion": "v1", "kind": "PersistentVolumeClaim",
                "metadata": { "name": "data", "namespace": "shop", "uid": "1" },
                "spec": { "volumeName": "pv" }, "status": { "phase": "Bound" },
            }),
            json!({
                "apiVersion": "v1", "kind": "PersistentVolume", "metadata": { "name": "pv" },
                "spec": {
                    "accessModes": ["ReadWriteMany"], "claimRef": { "uid": "1" },
                    "csi": { "driver": "csi.example.com", "volumeHandle": "disk" },
                },
            }),
            driver(true),
        ]
    }

    fn driver(mounts_labels: bool) -> Value {
        json!({
            "apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", "metadata": { "name": "csi.example.com" },
            "spec": { "seLinuxMount": mounts_labels },
        })
    }

    /// The specification of a pod that mounts the claim.
    fn spec(level: &str) -> Value {
        json!({
            "securityContext": { "seLinuxOptions": { "level": level } },
            "volumes": [{ "name": "v", "persistentVolumeClaim": { "claimName": "data" } }],
            "containers": [{ "name": "main", "volumeMounts": [{ "name": "v", "mountPath": "/v" }] }],
        })
    }

    fn pod(name: &str, spec: &Value) -> Value {
        let metadata = json!({ "name": name, "namespace": "shop" });
        json!({ "apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec })
    }

    fn workload(kind: &str, owners: &Value, level: &str) -> Value {
        let template = json!({ "spec": spec(level) });
        let (version, spec) = match kind {
            "CronJob" => ("batch/v1", json!({ "jobTemplate": { "spec": { "template": template } } })),
            "Job" => ("batch/v1", json!({ "template": template })),
            _ => ("apps/v1", json!({ "template": template })),
        };
        let metadata = json!({ "name": "w", "namespace": "shop", "ownerReferences": owners });
        json!({ "apiVersion": version, "kind": kind, "metadata": metadata, "spec": spec })
    }

    fn found(objects: Vec<Value>) -> SelinuxFindings {
        let namespace = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": "shop" } });
        let objects = [namespace].into_iter().chain(objects).collect();
        let settings = SelinuxSettings::configure(&json!({})).unwrap();
        find(&Dump::new(Objects::from_values(objects).unwrap()), &settings, &mut || ()).unwrap()
    }

    fn with_storage(objects: impl IntoIterator<Item = Value>) -> SelinuxFindings {
        found(storage().into_iter().chain(objects).collect())
    }

    #[test]
    fn pods_with_different_labels_conflict() {
        let mut recursive = spec("s0:c3,c4");
        recursive["securityContext"]["seLinuxChangePolicy"] = json!("Recursive");
        let one = pod("one", &spec("s0:c1,c2"));
        let found = with_storage([one.clone(), pod("same", &spec("s0:c1,c2")), pod("other", &recursive)]);
        let volume = json!({
            "volume": "pv", "driver": "csi.example.com", "accessModes": ["ReadWriteMany"],
            "uses": [
                {
                    "seLinuxOptions": null,
                    "objects": [{ "kind": "Pod", "namespace": "shop", "name": "other" }],
                },
                {
                    "seLinuxOptions": { "level": "s0:c1,c2" },
                    "objects": [
                        { "kind": "Pod", "namespace": "shop", "name": "one" },
                        { "kind": "Pod", "namespace": "shop", "name": "same" },
                    ],
                },
            ],
        });
        assert_eq!(json!(found.volumes), json!([volume]));
        assert!(with_storage([one, pod("same", &spec("s0:c1,c2"))]).volumes.is_empty());
    }

    #[test]
    fn workloads_that_create_pods_conflict() {
        let owner = json!([{ "apiVersion": "apps/v1", "kind": "Deployment", "name": "w", "uid": "2", "controller": true }]);
        let none = json!([]);
        let cases = [
            ("Deployment", &none, true),
            ("CronJob", &none, true),
            ("ReplicaSet", &none, true),
            ("ReplicaSet", &owner, false),
            ("Job", &none, false),
        ];
        for (kind, owners, conflicts) in cases {
            let found = with_storage([pod("one", &spec("s0:c1,c2")), workload(kind, owners, "s0:c3,c4")]);
            assert_eq!(!found.volumes.is_empty(), conflicts, "{kind} {owners}");
        }
    }

    #[test]
    fn what_the_dump_lacks_is_a_note() {
        let pods = || [pod("one", &spec("s0:c1,c2")), pod("other", &spec("s0:c3,c4"))];
        let claim = found(pods().into());
        assert!(claim.notes[0].ends_with("shop/data"), "{:?}", claim.notes);
        let mut without_driver = storage();
        without_driver.pop();
        let driver_unknown = found(without_driver.iter().cloned().chain(pods()).collect());
        assert!(driver_unknown.notes[0].contains("(csi.example.com)"), "{:?}", driver_unknown.notes);
        let plain = found(without_driver.into_iter().chain([driver(false)]).chain(pods()).collect());
        for findings in [claim, driver_unknown] {
            assert!(findings.volumes.is_empty());
        }
        assert!(plain.volumes.is_empty() && plain.notes.is_empty());
    }

    #[test]
    fn labels_differ_as_the_controller_compares_them() {
        let label = |user: &str, type_name: &str, level: &str| Label::of(&[user, "", type_name, level]);
        let cases = [
            // A field that is not set may become that of the other label; a level does not.
            (vec![label("", "t", ""), label("u", "", "")], vec![false, false]),
            (vec![label("", "t", "s0"), label("", "t", "")], vec![true, true]),
            (vec![label("", "t", ""), label("u", "", ""), label("", "o", "")], vec![true, false, true]),
            (vec![label("", "t", "s0"), label("u", "", "s0"), label("", "o", "s0")], vec![false; 3]),
            (vec![label("v", "", "s0"), label("u", "", "s0"), label("", "", "s0")], vec![true, true, false]),
            (vec![None, label("", "t", "")], vec![true, true]),
            (vec![None], vec![false]),
            (vec![], vec![]),
        ];
        for (labels, conflicts) in cases {
            assert_eq!(conflicting(labels.iter()), conflicts, "{labels:?}");
        }
    }
}
