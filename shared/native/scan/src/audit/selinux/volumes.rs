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
        let options = if level.is_empty() { json!({}) } else { json!({ "level": level }) };
        json!({
            "securityContext": { "seLinuxOptions": options },
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
        with_settings(objects, &json!({}))
    }

    fn with_settings(objects: Vec<Value>, settings: &Value) -> SelinuxFindings {
        let namespace = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": "shop" } });
        let objects = [namespace].into_iter().chain(objects).collect();
        let settings = SelinuxSettings::configure(settings).unwrap();
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

    fn owned_by(kind: &str, uid: &str) -> Value {
        json!([{ "apiVersion": "v1", "kind": kind, "name": "w", "uid": uid, "controller": true }])
    }

    #[test]
    fn workloads_that_create_pods_conflict() {
        let owner = owned_by("Deployment", "2");
        let none = json!([]);
        let cases = [
            ("Deployment", &none, "s0:c3,c4", true),
            ("CronJob", &none, "s0:c3,c4", true),
            ("Job", &none, "s0:c3,c4", true),
            ("ReplicaSet", &none, "s0:c3,c4", true),
            ("ReplicaSet", &owner, "s0:c3,c4", false),
            ("ReplicaSet", &owned_by("Rollout", "2"), "s0:c3,c4", true),
            // The policy adds the level of the Namespace to its pods.
            ("Deployment", &none, "", true),
        ];
        for (kind, owners, level, conflicts) in cases {
            let found = with_storage([pod("one", &spec("s0:c1,c2")), workload(kind, owners, level)]);
            assert_eq!(!found.volumes.is_empty(), conflicts, "{kind} {owners} {level}");
        }
        let mut ended = workload("Job", &none, "s0:c3,c4");
        ended["status"] = json!({ "conditions": [{ "type": "Failed", "status": "True" }] });
        assert!(with_storage([pod("one", &spec("s0:c1,c2")), ended]).volumes.is_empty());
    }

    #[test]
    fn the_level_of_a_template_is_that_of_its_pods() {
        let mut deployment = workload("Deployment", &json!([]), "");
        deployment["metadata"]["uid"] = json!("deployment");
        let mut set = workload("ReplicaSet", &owned_by("Deployment", "deployment"), "");
        set["metadata"]["uid"] = json!("set");
        let mut of_set = pod("one", &spec("s0:c1,c2"));
        of_set["metadata"]["ownerReferences"] = owned_by("ReplicaSet", "set");
        let other = pod("other", &spec("s0:c1,c2"));
        assert!(
            with_storage([deployment.clone(), set.clone(), of_set.clone(), other.clone()]).volumes.is_empty()
        );
        assert_eq!(with_storage([deployment.clone(), set.clone(), other]).volumes.len(), 1);
        // A template that was changed, and that a controller does not yet apply.
        deployment["spec"]["template"]["spec"]["securityContext"]["seLinuxOptions"]["level"] =
            json!("s0:c3,c4");
        assert_eq!(with_storage([deployment.clone(), set, of_set]).volumes.len(), 1);
        deployment["spec"]["template"]["spec"]["securityContext"]["seLinuxOptions"]["level"] =
            json!("s0:c560,c568");
        let of_namespace = pod("other", &spec("s0:c560,c568"));
        assert!(
            with_storage([workload("CronJob", &json!([]), ""), of_namespace, deployment]).volumes.is_empty()
        );
    }

    #[test]
    fn settings_decide_about_the_level_of_a_template() {
        let conflicts = |settings: Value, level: &str| {
            let objects = [pod("one", &spec(level)), workload("Deployment", &json!([]), "")];
            with_settings(storage().into_iter().chain(objects).collect(), &settings).volumes.len()
        };
        let recursive = json!({ "volumes": { "changePolicy": "Recursive" } });
        for (settings, with_level, without) in [
            (json!({}), 0, 1),
            (json!({ "mode": "Validate" }), 1, 0),
            (recursive, 1, 0),
            // Not known before the pod exists.
            (json!({ "allocation": { "scope": "Workload" } }), 0, 0),
            (json!({ "allocation": { "source": "Runtime" } }), 1, 0),
        ] {
            assert_eq!(conflicts(settings.clone(), "s0:c560,c568"), with_level, "{settings}");
            assert_eq!(conflicts(settings.clone(), ""), without, "{settings}");
        }
    }

    #[test]
    fn each_mount_without_a_level_has_another_label() {
        let mut spec = spec("");
        spec["securityContext"]["seLinuxOptions"] = json!({ "type": "spc_t" });
        let found = with_storage([pod("one", &spec), pod("other", &spec)]);
        assert_eq!(found.volumes[0].uses[0].objects.len(), 2);
        assert!(with_storage([pod("one", &spec)]).volumes.is_empty());
        let container = spec["containers"][0].clone();
        spec["containers"].as_array_mut().unwrap().push(container);
        let found = with_storage([pod("one", &spec)]);
        assert_eq!(json!(found.mixed_volumes[0].se_linux_options), json!([{ "type": "spc_t" }]));
    }

    #[test]
    fn claims_of_stateful_sets_are_mounted_with_one_label() {
        let mut set = workload("StatefulSet", &json!([]), "s0:c1,c2");
        set["spec"]["volumeClaimTemplates"] = json!([{ "metadata": { "name": "own" } }]);
        let containers = set["spec"]["template"]["spec"]["containers"].as_array_mut().unwrap();
        let mount = json!([{ "name": "own", "mountPath": "/own" }]);
        let options = json!({ "seLinuxOptions": { "level": "s0:c3,c4" } });
        containers.push(json!({ "name": "a", "volumeMounts": mount }));
        assert!(with_storage([set.clone()]).mixed_volumes.is_empty());
        let containers = set["spec"]["template"]["spec"]["containers"].as_array_mut().unwrap();
        containers.push(json!({ "name": "b", "volumeMounts": mount, "securityContext": options }));
        assert_eq!(with_storage([set]).mixed_volumes[0].volume, "own");
    }

    #[test]
    fn what_the_dump_lacks_is_unknown() {
        let pods = || [pod("one", &spec("s0:c1,c2")), pod("other", &spec("s0:c3,c4"))];
        let claim = found(pods().into());
        assert_eq!(claim.unknown_volumes[0].volume, "claim shop/data");
        let mut without_driver = storage();
        without_driver.pop();
        let no_driver = found(without_driver.iter().cloned().chain(pods()).collect());
        assert_eq!(no_driver.unknown_volumes[0].volume, "pv");
        let plain = found(without_driver.into_iter().chain([driver(false)]).chain(pods()).collect());
        assert!(!claim.is_empty() && claim.volumes.is_empty() && no_driver.volumes.is_empty());
        assert!(plain.volumes.is_empty() && plain.unknown_volumes.is_empty());
        assert!(found(vec![pod("one", &spec("s0:c1,c2"))]).unknown_volumes.is_empty());
    }

    #[test]
    fn disks_have_their_name_in_a_zone() {
        let disk = |name: &str, zone: &str| {
            let [mut claim, mut volume, _] = <[Value; 3]>::try_from(storage()).unwrap();
            claim["metadata"]["name"] = json!(name);
            claim["metadata"]["uid"] = json!(name);
            claim["spec"]["volumeName"] = json!(name);
            volume["metadata"] = json!({ "name": name, "labels": { "topology.kubernetes.io/zone": zone } });
            volume["spec"] =
                json!({ "claimRef": { "uid": name }, "gcePersistentDisk": { "pdName": "disk" } });
            let mut spec = spec(if name == "a" { "s0:c1,c2" } else { "s0:c3,c4" });
            spec["volumes"][0]["persistentVolumeClaim"]["claimName"] = json!(name);
            [claim, volume, pod(name, &spec)]
        };
        let mut driver = driver(true);
        driver["metadata"]["name"] = json!("pd.csi.storage.gke.io");
        let conflicts = |zones: [&str; 2]| {
            let objects = [disk("a", zones[0]), disk("b", zones[1])].concat();
            found(objects.into_iter().chain([driver.clone()]).collect()).volumes.len()
        };
        assert_eq!(conflicts(["eu-a", "eu-a"]), 1);
        assert_eq!(conflicts(["eu-a", "eu-b"]), 0);
    }

    #[test]
    fn labels_conflict_as_kubelets_compare_them() {
        let label = |user: &str, type_name: &str, level: &str| Label::of(&[user, "", type_name, level]);
        // Labels, and the number of those that conflict.
        let cases = [
            (vec![label("", "t", "s0"), label("system_u", "", "s0"), label("", "o", "s0")], 0),
            (vec![label("v", "", "s0"), label("u", "", "s0"), label("", "", "s0")], 3),
            (vec![label("", "", "s0"), label("", "", "s0:c1")], 2),
            (vec![label("", "", "s0"), label("", "t", "")], 2),
            (vec![label("", "o", ""), label("", "t", "")], 2),
            (vec![label("", "t", ""), label("", "t", "")], 1),
            (vec![None, label("", "", "s0")], 2),
            (vec![None, None], 0),
            (vec![], 0),
        ];
        for (labels, conflicts) in cases {
            let mut by_label: BTreeMap<_, Vec<_>> = BTreeMap::new();
            for (index, label) in labels.iter().enumerate() {
                let text = index.to_string();
                let object = ObjectReference {
                    kind: String::new(),
                    namespace: String::new(),
                    name: String::new(),
                    text,
                };
                by_label.entry(label.clone()).or_default().push((object, Source::Pod));
            }
            assert_eq!(conflicting(by_label).len(), conflicts, "{labels:?}");
        }
    }
}
