//! `audit selinux`: volumes that pods mount with different labels, compared with the SELinux
//! warning controller of `kube-controller-manager`.

use std::collections::BTreeSet;

use kubernetes::objects::Objects;
use proptest::bool::weighted;
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use scan::audit::Dump;
use scan::audit::selinux::{self, Label, ObjectReference, SelinuxFindings, SelinuxSettings};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tests::kubernetes::Kubernetes;

use super::comparison::{Outcome, Plan, Row};

/// The volumes of a cluster, with the claims that are bound to them, and what the pods are.
#[derive(Clone, Debug, Serialize)]
struct Cluster {
    pods: Vec<Value>,
    claims: Vec<Value>,
    volumes: Vec<Value>,
    drivers: Vec<Value>,
}

/// Generates options of a pod or container: absent, empty, or with some fields.
fn options() -> impl Strategy<Value = Option<Value>> {
    let field = |values: &'static [&'static str]| option::weighted(0.3, select(values));
    let levels = option::weighted(0.6, select(&["s0:c1,c2", "s0:c3,c4", "s0"][..]));
    let fields =
        (field(&["system_u", "user_u"]), field(&["system_r", ""]), field(&["container_t", "spc_t"]), levels);
    let options = fields.prop_map(|(user, role, type_name, level)| {
        let fields = [("user", user), ("role", role), ("type", type_name), ("level", level)];
        let set = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), json!(value?))));
        Value::Object(set.collect::<Map<_, _>>())
    });
    option::weighted(0.6, options)
}

/// Generates a volume of a pod. There are few, so that pods share them.
fn volumes() -> impl Strategy<Value = Value> {
    prop_oneof![
        12 => (0..5_u8).prop_map(|claim| json!({ "persistentVolumeClaim": { "claimName": format!("c{claim}") } })),
        1 => Just(json!({ "ephemeral": { "volumeClaimTemplate": { "spec": {} } } })),
        1 => Just(json!({ "emptyDir": {} })),
        1 => Just(json!({ "csi": { "driver": "labels.example.com" } })),
        1 => Just(json!({ "fc": { "wwids": ["36"] } })),
        1 => select(&["vol-1", "aws://zone-a/vol-1", "aws:///vol-2"][..])
            .prop_map(|id| json!({ "awsElasticBlockStore": { "volumeID": id } })),
        1 => Just(json!({ "azureFile": { "secretName": "azure-storage-account-a-secret", "shareName": "s" } })),
    ]
}

fn container(volumes: usize) -> impl Strategy<Value = Value> {
    (options(), vec(any::<bool>(), volumes)).prop_map(|(options, mounted)| {
        let mounts = (0..).zip(mounted).filter(|(_, is_mounted)| *is_mounted);
        let mounts: Vec<Value> = mounts
            .map(|(index, _)| json!({ "name": format!("v{index}"), "mountPath": format!("/{index}") }))
            .collect();
        let mut container = json!({ "name": "c", "volumeMounts": mounts });
        if let Some(options) = options {
            container["securityContext"] = json!({ "seLinuxOptions": options });
        }
        container
    })
}

const PHASES: [&str; 4] = ["Pending", "Running", "Succeeded", "Failed"];

fn pods() -> impl Strategy<Value = Value> {
    let policy = option::weighted(0.3, select(&["Recursive", "MountOption"][..]));
    let phase = prop_oneof![6 => Just("Running"), 1 => select(&PHASES[..])];
    vec(volumes(), 1..3)
        .prop_flat_map(move |volumes| {
            let containers = || vec(container(volumes.len()), 0..2);
            let lists = (containers(), vec(container(volumes.len()), 1..3), containers());
            (Just(volumes.clone()), lists, options(), policy.clone(), phase.clone(), select(&["a", "b"][..]))
        })
        .prop_map(|(volumes, (init, containers, ephemeral), options, policy, phase, namespace)| {
            let mut context = Map::new();
            context.extend(options.map(|options| ("seLinuxOptions".to_owned(), options)));
            context.extend(policy.map(|policy| ("seLinuxChangePolicy".to_owned(), json!(policy))));
            let named = (0..).zip(volumes).map(|(index, mut volume)| {
                volume["name"] = json!(format!("v{index}"));
                volume
            });
            json!({
                "metadata": { "namespace": namespace },
                "spec": {
                    "securityContext": context,
                    "volumes": named.collect::<Vec<_>>(),
                    "initContainers": init,
                    "containers": containers,
                    "ephemeralContainers": ephemeral,
                },
                "status": { "phase": phase },
            })
        })
}

/// Generates the source of a `PersistentVolume`.
fn source() -> impl Strategy<Value = Value> {
    let csi = (
        prop_oneof![4 => Just("labels.example.com"), 1 => select(&["plain.example.com", "other.example.com"][..])],
        (0..3_u8),
    );
    prop_oneof![
        8 => csi.prop_map(|(driver, disk)| json!({ "csi": { "driver": driver, "volumeHandle": format!("d{disk}") } })),
        1 => (1..3_u8).prop_map(|lun| json!({ "fc": { "targetWWNs": ["5001"], "lun": lun } })),
        1 => Just(json!({ "fc": { "wwids": ["36"] } })),
        1 => (0..2_u8).prop_map(|lun| {
            json!({ "iscsi": { "targetPortal": "192.0.2.1:3260", "iqn": "iqn.2001-04.com.example:a", "lun": lun } })
        }),
        1 => Just(json!({ "nfs": { "server": "192.0.2.1", "path": "/" } })),
        1 => Just(json!({ "hostPath": { "path": "/data" } })),
        1 => Just(json!({ "awsElasticBlockStore": { "volumeID": "aws://zone-a/vol-1" } })),
        1 => Just(json!({ "cinder": { "volumeID": "vol-1" } })),
        1 => Just(json!({ "azureDisk": { "diskName": "d", "diskURI": "/subscriptions/s/d" } })),
        1 => Just(json!({ "vsphereVolume": { "volumePath": "[ds] d.vmdk" } })),
        1 => Just(json!({ "portworxVolume": { "volumeID": "1" } })),
        1 => Just(json!({ "gcePersistentDisk": { "pdName": "d" } })),
        1 => Just(json!({
            "azureFile": { "secretName": "azure-storage-account-a-secret", "shareName": "s", "secretNamespace": "a" }
        })),
    ]
}

/// The drivers of CSI volumes, and those that volumes of other plugins become.
const DRIVERS: [&str; 9] = [
    "labels.example.com",
    "plain.example.com",
    "ebs.csi.aws.com",
    "cinder.csi.openstack.org",
    "disk.csi.azure.com",
    "file.csi.azure.com",
    "csi.vsphere.vmware.com",
    "pxd.portworx.com",
    "pd.csi.storage.gke.io",
];

fn clusters() -> impl Strategy<Value = Cluster> {
    let binding = || prop_oneof![30 => Just("Bound"), 1 => Just("Pending"), 1 => Just("Lost")];
    let storage = vec((source(), binding(), weighted(0.97), weighted(0.3)), 10);
    let drivers = btree_map(
        select(&DRIVERS[..]),
        option::weighted(0.9, prop_oneof![4 => Just(true), 1 => Just(false)]),
        0..9,
    );
    (vec(pods(), 1..6), storage, drivers).prop_map(|(mut pods, storage, mut drivers)| {
        drivers.entry("labels.example.com").or_insert(Some(true));
        for (index, pod) in pods.iter_mut().enumerate() {
            pod["metadata"]["name"] = json!(format!("p{index}"));
            pod["metadata"]["uid"] = json!(format!("uid-{index}"));
        }
        let (mut claims, mut volumes) = (Vec::new(), Vec::new());
        for (index, (mut source, phase, is_same, is_of_pod)) in storage.into_iter().enumerate() {
            let namespace = if index < 5 { "a" } else { "b" };
            // The first claims are those of generic ephemeral volumes of two pods.
            let name = match index % 5 {
                0 if is_of_pod => format!("p{}-v0", index / 5),
                number => format!("c{number}"),
            };
            claims.push(json!({
                "metadata": {
                    "namespace": namespace, "name": name, "uid": format!("claim-{index}"),
                    "ownerReferences": [{
                        "apiVersion": "v1", "kind": "Pod", "name": "p", "uid": format!("uid-{}", index / 5),
                        "controller": is_of_pod,
                    }],
                },
                "spec": { "volumeName": format!("pv{index}") },
                "status": { "phase": phase },
            }));
            let uid = if is_same { format!("claim-{index}") } else { "another".to_owned() };
            source["claimRef"] = json!({ "namespace": namespace, "name": name, "uid": uid });
            source["accessModes"] = json!(["ReadWriteMany"]);
            volumes.push(json!({ "metadata": { "name": format!("pv{index}") }, "spec": source }));
        }
        let driver = |(name, mounts): (&str, Option<bool>)| json!({ "metadata": { "name": name }, "spec": { "seLinuxMount": mounts } });
        Cluster { pods, claims, volumes, drivers: drivers.into_iter().map(driver).collect() }
    })
}

#[derive(Debug, Deserialize)]
struct Answer {
    conflicts: Vec<Conflict>,
    mixed: Vec<MixedVolume>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Conflict {
    pod: String,
    property: String,
    other_pod: String,
}

#[derive(Debug, Deserialize)]
struct MixedVolume {
    pod: String,
    volume: String,
}

/// A property in which two pods differ.
type Difference = (&'static str, [String; 2]);

/// The named differences.
const FILES: &str = "labels of files: without role and type, with the default user, and with another level for each mount without one";
const TWO_NAMES: &str = "volumes that a pod has under two names: the controller keeps only one of the labels";
const INLINE: &str = "fc and iscsi in the spec of a pod, which kubelets mount without a label";
const UNBOUND: &str = "volumes with several labels in one pod, whose claims are not bound yet";

/// Returns the differences of pods that share volumes.
fn differences(findings: &SelinuxFindings) -> Result<BTreeSet<Difference>, String> {
    let mut differences = BTreeSet::new();
    let named = |object: &ObjectReference| format!("{}/{}", object.namespace, object.name);
    for volume in &findings.volumes {
        for one in &volume.uses {
            let mut has_conflict = false;
            for other in &volume.uses {
                let labels = [one, other].map(|used| used.se_linux_options.as_ref());
                let properties = properties(labels);
                has_conflict |= !properties.is_empty();
                for pods in
                    one.objects.iter().flat_map(|pod| other.objects.iter().map(move |other| [pod, other]))
                {
                    let pods = pods.map(named);
                    if pods[0] != pods[1] {
                        differences.extend(properties.iter().map(|property| (*property, pods.clone())));
                    }
                }
            }
            if !has_conflict {
                return Err(format!("{} has a use that conflicts with no other", volume.volume));
            }
        }
    }
    Ok(differences)
}

/// The properties in which two labels conflict. A label without a level conflicts with itself.
fn properties(labels: [Option<&Label>; 2]) -> Vec<&'static str> {
    let mut properties = Vec::new();
    if labels[0].is_some() != labels[1].is_some() {
        properties.push("SELinuxChangePolicy");
    }
    let levels = labels.map(|label| label.map(|label| &*label.level));
    let users = labels.map(|label| label.map(|label| &*label.user));
    if levels[0] != levels[1] || levels[0] == Some("") || users[0] != users[1] {
        properties.push("SELinuxLabel");
    }
    properties
}

/// Returns the objects of a cluster as a dump.
fn dump(cluster: &Cluster) -> Result<Dump, String> {
    let mut objects = Vec::new();
    let mut add = |version: &str, kind: &str, list: &[Value]| {
        objects.extend(list.iter().cloned().map(|mut object| {
            object["apiVersion"] = json!(version);
            object["kind"] = json!(kind);
            object
        }));
    };
    add("v1", "Namespace", &["a", "b"].map(|name| json!({ "metadata": { "name": name } })));
    add("v1", "Pod", &cluster.pods);
    add("v1", "PersistentVolumeClaim", &cluster.claims);
    add("v1", "PersistentVolume", &cluster.volumes);
    add("storage.k8s.io/v1", "CSIDriver", &cluster.drivers);
    Objects::from_values(objects).map(Dump::new).map_err(|error| error.describe(&|index| index.to_string()))
}

/// Whether a volume of a pod is or becomes a `PersistentVolume`.
fn is_persistent(volume: &Value) -> bool {
    ["persistentVolumeClaim", "ephemeral", "awsElasticBlockStore", "azureFile"]
        .iter()
        .any(|field| volume.get(field).is_some())
}

/// The specification of the `PersistentVolume` of a claim, if it is bound, or a volume without a
/// claim.
fn bound<'c>(cluster: &'c Cluster, pod: &Value, volume: &'c Value) -> Option<&'c Value> {
    let is_of_pod = volume.get("ephemeral").is_some();
    let name = match (is_of_pod, volume.get("persistentVolumeClaim")) {
        (true, _) => [&pod["metadata"]["name"], &volume["name"]]
            .map(|name| name.as_str().unwrap_or_default())
            .join("-"),
        (_, Some(claim)) => claim["claimName"].as_str().unwrap_or_default().to_owned(),
        _ => return Some(volume),
    };
    let claim = cluster.claims.iter().find(|claim| {
        let metadata = &claim["metadata"];
        metadata["namespace"] == pod["metadata"]["namespace"] && metadata["name"] == *name
    })?;
    let persistent =
        cluster.volumes.iter().find(|volume| volume["metadata"]["name"] == claim["spec"]["volumeName"])?;
    let is_bound = claim["status"]["phase"] == "Bound"
        && persistent["spec"]["claimRef"]["uid"] == claim["metadata"]["uid"]
        && (!is_of_pod || claim["metadata"]["ownerReferences"][0]["controller"] == true);
    is_bound.then_some(&persistent["spec"])
}

/// Whether a pod has one volume under two names.
fn has_two_names(cluster: &Cluster, pod: &Value) -> bool {
    let disk = |volume| {
        let mut source = bound(cluster, pod, volume)?.clone();
        for other in ["name", "claimRef", "accessModes"] {
            source.as_object_mut()?.remove(other);
        }
        Some(source.to_string().replace("aws://zone-a/", ""))
    };
    let disks: Vec<String> =
        pod["spec"]["volumes"].as_array().into_iter().flatten().filter_map(disk).collect();
    disks.iter().collect::<BTreeSet<_>>().len() < disks.len()
}

/// Returns a cluster whose options are the labels of files: user and level, and another level for
/// each container that has options without one.
fn of_files(cluster: &Cluster) -> Cluster {
    let mut cluster = cluster.clone();
    let mut drawn = 0;
    for pod in &mut cluster.pods {
        let of_pod = pod["spec"]["securityContext"]["seLinuxOptions"].clone();
        for list in ["initContainers", "containers", "ephemeralContainers"] {
            for container in pod["spec"][list].as_array_mut().into_iter().flatten() {
                let own = &container["securityContext"]["seLinuxOptions"];
                let options = if own.is_null() { &of_pod } else { own };
                let text = |field: &str| options[field].as_str().unwrap_or_default().to_owned();
                let is_set = ["user", "role", "type", "level"].iter().any(|field| !text(field).is_empty());
                if options.is_null() || !is_set {
                    continue;
                }
                drawn += 1;
                let user = Some(text("user")).filter(|user| !user.is_empty());
                let user = user.unwrap_or_else(|| "system_u".to_owned());
                let level = Some(text("level")).filter(|level| !level.is_empty());
                let level = level.unwrap_or_else(|| format!("drawn-{drawn}"));
                container["securityContext"] = json!({ "seLinuxOptions": { "user": user, "level": level } });
            }
        }
    }
    cluster
}

/// Volumes in pods.
type Mixed = BTreeSet<(String, String)>;

/// Returns the reports of the controller about a cluster: differences, and volumes with several
/// labels in one pod, as far as they are persistent.
fn reported(kubernetes: &mut Kubernetes, cluster: &Cluster) -> Result<(BTreeSet<Difference>, Mixed), String> {
    let Answer { conflicts, mixed } = kubernetes.ask(&json!(cluster))?;
    let difference = |one: Conflict| {
        let known = ["SELinuxChangePolicy", "SELinuxLabel"].into_iter().find(|known| *known == one.property);
        known
            .map(|property| (property, [one.pod, one.other_pod]))
            .ok_or_else(|| format!("{}: an unknown property", one.property))
    };
    let is_pair = |one: &Conflict| one.pod != one.other_pod;
    let differences = conflicts.into_iter().filter(is_pair).map(difference).collect::<Result<_, _>>()?;
    let mut persistent = Mixed::new();
    for one in mixed {
        if is_persistent(volume(pod(cluster, &one.pod)?, &one.volume)) {
            persistent.insert((one.pod, one.volume));
        }
    }
    Ok((differences, persistent))
}

/// Returns the pod with a namespace and a name.
fn pod<'c>(cluster: &'c Cluster, named: &str) -> Result<&'c Value, String> {
    let is_named = |pod: &&Value| {
        let text = |field: &str| pod["metadata"][field].as_str().unwrap_or_default();
        format!("{}/{}", text("namespace"), text("name")) == named
    };
    cluster.pods.iter().find(is_named).ok_or_else(|| format!("{named}: is not in the cluster"))
}

/// Returns the volume of a pod with a name.
fn volume<'p>(pod: &'p Value, name: &str) -> &'p Value {
    let volumes = pod["spec"]["volumes"].as_array();
    volumes.into_iter().flatten().find(|volume| volume["name"] == name).unwrap_or(&Value::Null)
}

pub fn compare(plan: Plan) -> Result<Row, String> {
    let mut kubernetes = Kubernetes::start("selinux-volumes")?;
    let settings = SelinuxSettings::configure(&json!({})).map_err(|error| error.to_string())?;
    Row::compare(plan, Vec::new(), &clusters(), |cluster| {
        let found =
            selinux::find(&dump(cluster)?, &settings, &mut || ()).map_err(|error| error.to_string())?;
        let named = |object: &ObjectReference| format!("{}/{}", object.namespace, object.name);
        let mixed = found.mixed_volumes.iter().map(|mixed| (named(&mixed.object), mixed.volume.clone()));
        let ours = (differences(&found)?, mixed.collect::<Mixed>());
        if ours == reported(&mut kubernetes, cluster)? {
            return Ok(Outcome::Equal);
        }
        let theirs = reported(&mut kubernetes, &of_files(cluster))?;
        if ours == theirs {
            return Ok(Outcome::Named(FILES));
        }
        let mut are_further_unbound = ours.1.is_superset(&theirs.1);
        for (named, name) in ours.1.difference(&theirs.1) {
            let pod = pod(cluster, named)?;
            are_further_unbound &= bound(cluster, pod, volume(pod, name)).is_none();
        }
        let has_two_names = || cluster.pods.iter().any(|pod| has_two_names(cluster, pod));
        let is_inline =
            || cluster.pods.iter().any(|pod| pod["spec"]["volumes"].to_string().contains("\"fc\""));
        let reason = [
            (ours.0 == theirs.0, UNBOUND),
            (has_two_names(), TWO_NAMES),
            (ours.0.is_subset(&theirs.0) && is_inline(), INLINE),
        ];
        let reason = reason.into_iter().find(|(holds, _)| *holds && are_further_unbound);
        Ok(match reason {
            Some((_, reason)) => Outcome::Named(reason),
            None => Outcome::Different(format!("Kubernetes: {theirs:?}; here: {ours:?}, {:?}", found.notes)),
        })
    })
}
