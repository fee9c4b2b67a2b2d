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
use crate::audit::{AuditError, Dump, DumpObject};

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
        ("volumeClaimTemplates", Shape::Fields(&[("metadata", Shape::Fields(&[("name", Shape::ALL)]))])),
        ("volumes", VOLUMES),
        ("vsphereVolume", Shape::ALL),
    ]),
)]);

/// The user of files in the default contexts of container-selinux.
const DEFAULT_USER: &str = "system_u";

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

/// The SELinux label of files, as kubelets compute it from `seLinuxOptions`. Files have the user
/// and the level alone, so the role and the type are kept only if there is no level, to name the
/// label.
///
/// Source: `InitLabels` of go-selinux 1.15. It draws another level for each mount if none is set.
#[derive(Clone, Debug, Default, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub struct Label {
    /// The user, empty for the one that files have by default.
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

/// A volume that pods use with different labels, and of which it is not known whether it is mounted
/// with them.
#[derive(Clone, Debug, Serialize)]
pub struct UnknownVolume {
    /// The claim or the volume.
    pub volume: String,
    /// The reason, as a sentence without a subject.
    pub reason: String,
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
    mixed: Vec<(MixedVolume, Source)>,
    /// The controllers of pods, by UID.
    with_pods: BTreeSet<String>,
    /// The controllers of workloads, by the UID of the workload.
    controllers: BTreeMap<String, String>,
}

/// The origin of a label.
#[derive(Clone, Debug)]
enum Source {
    Pod,
    /// A pod template that sets the label.
    Template,
    /// A pod template whose pods get a level from the policy. It has the UID of the workload, whose
    /// pods count instead if they exist: they may be older than the policy.
    Completed(String),
}

/// The level that the policy gives to the pods of a template without one.
#[derive(Clone, Debug)]
pub(super) enum AddedLevel {
    /// None.
    Nothing,
    /// This level, with `seLinuxChangePolicy: Recursive` or without.
    Level(String, bool),
    /// A level that is not known before the pod exists.
    Unknown,
}

#[derive(Default)]
struct Used {
    volume: String,
    access_modes: Vec<String>,
    by_label: BTreeMap<Option<Label>, Vec<(ObjectReference, Source)>>,
}

/// The findings about volumes.
#[derive(Default)]
pub(super) struct VolumeFindings {
    pub(super) conflicting: Vec<ConflictingVolume>,
    pub(super) mixed: Vec<MixedVolume>,
    pub(super) unknown: Vec<UnknownVolume>,
}

impl Volumes {
    /// Reads the claims, volumes and drivers of a dump.
    pub(super) fn of(dump: &Dump) -> Result<Self, AuditError> {
        Ok(Self {
            storage: Storage::of(dump)?,
            used: BTreeMap::new(),
            mixed: Vec::new(),
            with_pods: BTreeSet::new(),
            controllers: BTreeMap::new(),
        })
    }

    /// Adds a pod that has not finished, or a workload with a pod template.
    pub(super) fn add(
        &mut self,
        object: &DumpObject,
        root: Node<'_>,
        added: &AddedLevel,
    ) -> Result<(), Fault> {
        let metadata = Pod::of(root).metadata();
        let uid = metadata.uid().text()?.unwrap_or_default().to_owned();
        if let Some(owner) = metadata.controller()? {
            let controller = owner.uid.text()?.unwrap_or_default().to_owned();
            let kind = owner.kind.text()?.unwrap_or_default();
            if object.kind == "Pod" {
                self.with_pods.insert(controller);
            } else {
                self.controllers.insert(uid.clone(), controller);
                // Their template is that of the ReplicaSet or Job, or a later one.
                if matches!(kind, "Deployment" | "CronJob") {
                    return Ok(());
                }
            }
        }
        // Nothing creates pods from a PodTemplate, or from a Job that has ended.
        if object.kind == "PodTemplate" || object.kind == "Job" && has_ended(root)? {
            return Ok(());
        }
        let pod = Pod::in_object(root, &object.kind);
        let mounts = Mounts::of(pod)?;
        for (name, mounted) in self.volumes(object, root, pod)? {
            let Some(options) = mounts.labels.get(name) else { continue };
            let mut labels: BTreeMap<Option<Label>, usize> = BTreeMap::new();
            for options in options {
                *labels.entry(Label::of(options)).or_default() += 1;
            }
            if labels.is_empty() {
                labels.insert(None, 0);
            }
            let lacks_level = |label: &Option<Label>| label.as_ref().is_none_or(Label::is_random);
            let mut is_recursive = mounts.is_recursive;
            let mut source = if object.kind == "Pod" { Source::Pod } else { Source::Template };
            if object.kind != "Pod" && labels.keys().any(lacks_level) {
                match added {
                    AddedLevel::Nothing => {}
                    AddedLevel::Unknown => continue,
                    AddedLevel::Level(level, recursive) => {
                        source = Source::Completed(uid.clone());
                        is_recursive |= *recursive;
                        labels = labels
                            .into_iter()
                            .map(|(label, count)| (Some(Label::completed(label, level)), count))
                            .collect();
                    }
                }
            }
            let reference = ObjectReference::of(object);
            let is_drawn_twice = |(label, count): (&Option<Label>, &usize)| {
                label.as_ref().is_some_and(Label::is_random) && *count > 1
            };
            if labels.len() > 1 || labels.iter().any(is_drawn_twice) {
                let se_linux_options = labels.into_keys().map(Option::unwrap_or_default).collect();
                let mixed = MixedVolume { object: reference, volume: name.to_owned(), se_linux_options };
                self.mixed.push((mixed, source));
            } else if let Some(place) = mounted.place {
                let used = self.used.entry(place).or_default();
                used.volume = mounted.name;
                used.access_modes = mounted.access_modes;
                let label = labels.into_keys().next().flatten().filter(|_| !is_recursive);
                let objects = used.by_label.entry(label).or_default();
                // The objects come one by one, and one can use a volume under several names.
                if objects.last().is_none_or(|(last, _)| last.text != reference.text) {
                    objects.push((reference, source));
                }
            }
        }
        Ok(())
    }

    /// Returns the volumes of a pod or pod template that can be mounted with a label, by their
    /// names in it.
    fn volumes<'d>(
        &self,
        object: &DumpObject,
        root: Node<'d>,
        pod: Pod<'d>,
    ) -> Result<Vec<(&'d str, Mounted)>, Fault> {
        let mut volumes = Vec::new();
        for volume in pod.volumes()? {
            let name = volume.at("name").text()?.unwrap_or_default();
            volumes.extend(self.storage.find(object, root, volume)?.map(|mounted| (name, mounted)));
        }
        if object.kind == "StatefulSet" {
            // Each pod has its own claim.
            for claim in root.at("spec").at("volumeClaimTemplates").items()? {
                let name = claim.at("metadata").at("name").text()?.unwrap_or_default();
                volumes.push((name, Mounted::default()));
            }
        }
        Ok(volumes)
    }

    /// Compares the labels of each volume.
    pub(super) fn findings(self) -> VolumeFindings {
        let Self { storage, used, mixed, with_pods, controllers } = self;
        let above =
            controllers.iter().filter(|(uid, _)| with_pods.contains(*uid)).map(|(_, controller)| controller);
        let with_pods: BTreeSet<&String> = with_pods.iter().chain(above).collect();
        let counts = |source: &Source| !matches!(source, Source::Completed(uid) if with_pods.contains(uid));
        let mut findings = VolumeFindings::default();
        findings.mixed.extend(mixed.into_iter().filter(|(_, source)| counts(source)).map(|(mixed, _)| mixed));
        for (place, Used { volume, access_modes, by_label }) in used {
            let mut uses: BTreeMap<Option<Label>, Vec<(ObjectReference, Source)>> = BTreeMap::new();
            for (label, objects) in by_label {
                let objects: Vec<_> = objects.into_iter().filter(|(_, source)| counts(source)).collect();
                if !objects.is_empty() {
                    uses.insert(label, objects);
                }
            }
            let uses = conflicting(uses);
            if uses.is_empty() {
                continue;
            }
            match place {
                Place::Claim(claim) => findings.unknown.push(UnknownVolume {
                    volume: format!("claim {claim}"),
                    reason: "is not bound, or the dump lacks its PersistentVolumeClaim or PersistentVolume".to_owned(),
                }),
                Place::Disk { driver, .. } if storage.lacks_driver(&driver) => findings.unknown.push(UnknownVolume {
                    volume,
                    reason: format!("the dump has no CSIDrivers, which say whether {driver} mounts volumes with labels"),
                }),
                Place::Disk { driver, .. } => {
                    findings.conflicting.push(ConflictingVolume { volume, driver, access_modes, uses });
                }
            }
        }
        findings
    }
}

/// Whether a Job creates no further pods.
fn has_ended(job: Node<'_>) -> Result<bool, Fault> {
    for condition in job.at("status").at("conditions").items()? {
        let ends = matches!(condition.at("type").text()?, Some("Complete" | "Failed"));
        if ends && condition.at("status").text()? == Some("True") {
            return Ok(true);
        }
    }
    Ok(false)
}

impl Label {
    fn of(texts: &[&str; 4]) -> Option<Self> {
        if texts.iter().all(|text| text.is_empty()) {
            return None;
        }
        let [user, role, type_name, level] = texts.map(str::to_owned);
        let user = if user == DEFAULT_USER { String::new() } else { user };
        let (role, type_name) = if level.is_empty() { (role, type_name) } else { Default::default() };
        Some(Self { user, role, type_name, level })
    }

    /// Returns a label with a level if it has none.
    fn completed(label: Option<Self>, level: &str) -> Self {
        match label {
            Some(label) if !label.is_random() => label,
            label => {
                Self { user: label.unwrap_or_default().user, level: level.to_owned(), ..Self::default() }
            }
        }
    }

    /// Whether kubelets draw the level, another one for each mount.
    fn is_random(&self) -> bool {
        self.level.is_empty()
    }
}

/// Returns the uses of a volume that conflict with another one: those with different labels, and
/// those with a level that is drawn, if there are several pods or a template for them.
///
/// Source: `AddPodToVolume` of kubelets, which compares labels as strings.
fn conflicting(by_label: BTreeMap<Option<Label>, Vec<(ObjectReference, Source)>>) -> Vec<VolumeUse> {
    let objects: BTreeSet<&str> = by_label.values().flatten().map(|(object, _)| &*object.text).collect();
    let are_all = by_label.len() > 1 && objects.len() > 1;
    let is_drawn_again = |label: &Option<Label>, objects: &[(ObjectReference, Source)]| {
        label.as_ref().is_some_and(Label::is_random)
            && (objects.len() > 1 || objects.iter().any(|(_, source)| !matches!(source, Source::Pod)))
    };
    let conflicting =
        by_label.into_iter().filter(|(label, objects)| are_all || is_drawn_again(label, objects));
    conflicting
        .map(|(se_linux_options, objects)| {
            let objects = objects.into_iter().map(|(object, _)| object).collect();
            VolumeUse { se_linux_options, objects }
        })
        .collect()
}

#[cfg(test)]
mod tests;
