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
    deployment["spec"]["template"]["spec"]["securityContext"]["seLinuxOptions"]["level"] = json!("s0:c3,c4");
    assert_eq!(with_storage([deployment.clone(), set, of_set]).volumes.len(), 1);
    deployment["spec"]["template"]["spec"]["securityContext"]["seLinuxOptions"]["level"] =
        json!("s0:c560,c568");
    let of_namespace = pod("other", &spec("s0:c560,c568"));
    assert!(with_storage([workload("CronJob", &json!([]), ""), of_namespace, deployment]).volumes.is_empty());
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
        volume["spec"] = json!({ "claimRef": { "uid": name }, "gcePersistentDisk": { "pdName": "disk" } });
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
            let object =
                ObjectReference { kind: String::new(), namespace: String::new(), name: String::new(), text };
            by_label.entry(label.clone()).or_default().push((object, Source::Pod));
        }
        assert_eq!(conflicting(by_label).len(), conflicts, "{labels:?}");
    }
}
