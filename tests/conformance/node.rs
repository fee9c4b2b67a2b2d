//! `node-labels` and `node-pods`, compared with the plugin `NodeRestriction` of Kubernetes.

use std::collections::{BTreeMap, BTreeSet};

use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use suite::cases::Case;
use tests::evaluate;
use tests::kubernetes::{self, Kubernetes};
use tests::pods::tweaks::set;

use super::comparison::{Outcome, Plan, Row};

/// The node that most requests are from, and another one.
const NODES: [&str; 2] = ["worker-1", "worker-2"];

/// Settings with which the policies restrict what the plugin restricts.
const SETTINGS: [(&str, &str); 2] = [
    ("node-labels", r#"{ "labelProfile": "InTree", "selfDeletion": "Allow" }"#),
    // The plugin has no rule for labels of mirror pods; one of them has to be denied.
    (
        "node-pods",
        r#"{ "requireOwnerReference": true, "labelMode": "DenyList", "deniedLabelKeys": ["never"] }"#,
    ),
];

const OWNED: &str = "a node creates its Node with owner references, which node-labels denies because the garbage \
                     collector would delete it";

const NOT_COVERED: &str = "requests other than for nodes and pods, which the policies do not restrict";

/// The answer of an admission plugin.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct PluginAnswer {
    pub(crate) allowed: bool,
    #[serde(default)]
    pub(crate) message: String,
    #[serde(default)]
    undecodable: String,
}

impl PluginAnswer {
    /// Asks a plugin.
    ///
    /// # Errors
    /// Kubernetes does not answer, or cannot decode the object, so that no plugin was asked.
    pub(crate) fn to(server: &mut Kubernetes, question: &Value) -> Result<Self, String> {
        let answer: Self = server.ask(question)?;
        if answer.undecodable.is_empty() {
            Ok(answer)
        } else {
            Err(format!("{}: {question}", answer.undecodable))
        }
    }

    /// Returns the labels of a Node that are the reason of the denial.
    fn labels(&self) -> Option<BTreeSet<&str>> {
        self.message.split_once("labels: ").map(|(_, labels)| labels.split(", ").collect())
    }
}

/// Returns the labels in the lines of a denial.
fn labels_of(denied: &[String]) -> BTreeSet<&str> {
    denied
        .iter()
        .map(|line| line.strip_prefix("oldObject.").unwrap_or(line))
        .filter_map(|line| Some(line.strip_prefix("metadata.labels[")?.split_once("]: ")?.0))
        .collect()
}

/// Compares both sides.
///
/// # Errors
/// A side that does not answer.
pub fn compare(plan: Plan) -> Result<Row, String> {
    let mut server = Kubernetes::start("node")?;
    Row::compare(plan, Vec::new(), &cases(), |generated| {
        let case: Case = serde_json::from_value(generated.clone()).map_err(|error| error.to_string())?;
        let request = case.admission_request()?;
        let mut question = kubernetes::question(&request);
        question["nodes"] =
            stored(&case, "Node").map(|node| (text(node, "name"), text(node, "uid"))).collect();
        question["pod"] = stored(&case, "Pod").next().cloned().unwrap_or_default();
        let theirs = PluginAnswer::to(&mut server, &question)?;
        let mut denied = Vec::new();
        for (id, settings) in SETTINGS {
            let mut case = case.clone();
            case.settings = serde_json::from_str(settings).map_err(|error| error.to_string())?;
            let policy = rules::find(id).ok_or("there is no such policy")?;
            let outcome = evaluate::natively(policy, &case)?.outcome;
            match outcome.denied {
                Some(lines) => denied.extend(lines),
                None if outcome.admitted == Some(true) => {}
                None => return Err(format!("no verdict: {outcome:?} on {generated}")),
            }
        }
        let resource = request.as_value()["resource"]["resource"].as_str().unwrap_or_default();
        if let Some(labels) = theirs.labels()
            && labels != labels_of(&denied)
        {
            return Ok(Outcome::Different(format!("Kubernetes: {:?}; here: {denied:?}", theirs.message)));
        }
        Ok(match (theirs.allowed, denied.is_empty()) {
            (true, true) | (false, false) => Outcome::Equal,
            (true, false) if is_owned(&case, &denied) => Outcome::Named(OWNED),
            (false, true) if !["nodes", "pods"].contains(&resource) => Outcome::Named(NOT_COVERED),
            _ => Outcome::Different(format!("Kubernetes: {:?}; here: {denied:?}", theirs.message)),
        })
    })
}

/// Whether owner references of a new Node are the only reason of a denial.
fn is_owned(case: &Case, denied: &[String]) -> bool {
    let is_node = case.object.as_ref().is_some_and(|object| object["kind"] == "Node");
    let is_reason = |line: &String| line.starts_with("metadata.ownerReferences");
    is_node && case.old_object.is_none() && denied.iter().all(is_reason)
}

fn stored<'a>(case: &'a Case, kind: &'a str) -> impl Iterator<Item = &'a Value> {
    case.cluster.objects.iter().filter(move |object| object["kind"] == kind)
}

fn text(object: &Value, field: &str) -> String {
    object["metadata"][field].as_str().unwrap_or_default().to_owned()
}

/// Generates cases without settings.
fn cases() -> impl Strategy<Value = Value> {
    let request = prop_oneof![
        3 => node_creation(),
        6 => node_update(),
        1 => node().prop_map(|node| json!({ "operation": "DELETE", "oldObject": node })),
        6 => mirror_pod(),
        4 => pod_status(),
        2 => pod_by_name(),
        2 => others(),
    ];
    let nodes = subsequence(NODES.to_vec(), NODES.len() - 1..=NODES.len());
    (request, user(), nodes, option::weighted(0.9, stored_pod())).prop_map(|(mut case, user, nodes, pod)| {
        let node = |name: &&str| json!({ "apiVersion": "v1", "kind": "Node", "metadata": { "name": name, "uid": uid(name) } });
        // The cluster has what the request deletes.
        let pod = match &case["oldObject"] {
            old if old["kind"] == "Pod" => Some(old.clone()),
            _ => pod,
        };
        case["name"] = json!("generated");
        case["user"] = user;
        case["cluster"] = json!({ "objects": nodes.iter().map(node).chain(pod).collect::<Vec<_>>() });
        case["want"] = json!({});
        case
    })
}

fn uid(node: &str) -> String {
    format!("uid-of-{node}")
}

fn user() -> impl Strategy<Value = Value> {
    let user = |name: &str, groups: &[&str]| Just(json!({ "username": name, "groups": groups }));
    prop_oneof![
        30 => user("system:node:worker-1", &["system:nodes", "system:authenticated"]),
        2 => user("system:node:worker-2", &["system:authenticated", "system:nodes"]),
        1 => user("system:node:", &["system:nodes"]),
        1 => user("system:node:worker-1", &["system:authenticated"]),
        1 => user("system:nodes:worker-1", &["system:nodes"]),
        1 => user("alice", &["system:masters", "system:authenticated"]),
    ]
}

fn name() -> impl Strategy<Value = &'static str> {
    prop_oneof![12 => Just(NODES[0]), 1 => Just(NODES[1])]
}

/// Generates keys of labels, in and around the domains that have rules.
fn key() -> impl Strategy<Value = String> {
    let prefix = select(
        &[
            "",
            "",
            "x.",
            "evil",
            "node-restriction.",
            "x.node-restriction.",
            "kubelet.",
            "x.kubelet.",
            "node.",
            "mynode.",
            "beta.",
            "failure-domain.",
            "failure-domain.beta.",
            "topology.",
            "kubelet.node-restriction.",
            "node-restriction.node.",
            "node-role.",
        ][..],
    );
    let domain = select(
        &["kubernetes.io", "kubernetes.io", "k8s.io", "x-k8s.io", "kubernetes.io.example", "Kubernetes.io"][..],
    );
    let name = select(
        &["/hostname", "/os", "/arch", "/instance-type", "/zone", "/region", "/x", "/a/b", "/", ""][..],
    );
    // Those that the plugin lists, and their neighbours.
    let listed = select(
        &[
            "kubernetes.io/hostname",
            "kubernetes.io/os",
            "kubernetes.io/arch",
            "kubernetes.io/instance-type",
            "beta.kubernetes.io/os",
            "beta.kubernetes.io/arch",
            "beta.kubernetes.io/instance-type",
            "node.kubernetes.io/instance-type",
            "failure-domain.beta.kubernetes.io/zone",
            "failure-domain.beta.kubernetes.io/region",
            "failure-domain.kubernetes.io/zone",
            "topology.kubernetes.io/zone",
            "topology.kubernetes.io/region",
            "topology.k8s.io/zone",
            "node-restriction.kubernetes.io/team",
            "node-role.kubernetes.io/worker",
        ][..],
    );
    prop_oneof![
        9 => listed.prop_map(str::to_owned),
        9 => (prefix, domain, name).prop_map(|(prefix, domain, name)| format!("{prefix}{domain}{name}")),
        1 => select(&["team", "example.com/team", "kubernetes.io", "/kubernetes.io"][..]).prop_map(str::to_owned),
    ]
}

type Labels = BTreeMap<String, &'static str>;

fn labels(most: usize) -> impl Strategy<Value = Labels> {
    btree_map(key(), select(&["", "a", "b"][..]), 0..=most)
}

/// Sets labels, in one of the forms that mean none if there are none.
fn set_labels(object: &mut Value, labels: &Labels, is_written: bool) {
    if is_written || !labels.is_empty() {
        object["metadata"]["labels"] = json!(labels);
    }
}

/// Adds a field that has a value.
fn add<T: Into<Value>>(object: &mut Value, field: &str, value: Option<T>) {
    if let Some(value) = value {
        object[field] = value.into();
    }
}

fn taint() -> impl Strategy<Value = Value> {
    let key = select(&["dedicated", "node.kubernetes.io/not-ready"][..]);
    let time = select(&["2026-01-01T00:00:00Z", "2026-01-01T01:00:00+01:00", "2026-01-02T00:00:00Z"][..]);
    let effect = select(&["NoSchedule", "NoExecute"][..]);
    (key, effect, option::of(select(&["", "a"][..])), option::weighted(0.3, time)).prop_map(
        |(key, effect, value, time)| {
            let mut taint = json!({ "key": key, "effect": effect });
            add(&mut taint, "value", value);
            add(&mut taint, "timeAdded", time);
            taint
        },
    )
}

/// Generates an owner reference, mostly that of a mirror pod of the first node.
fn owner() -> impl Strategy<Value = Value> {
    fn mostly(usual: &'static str, others: &'static [&'static str]) -> impl Strategy<Value = &'static str> {
        prop_oneof![15 => Just(usual), 1 => select(others)]
    }
    (
        mostly("v1", &["apps/v1", "v2"]),
        mostly("Node", &["node", "Pod", "ReplicaSet"]),
        mostly("worker-1", &["worker-2", "web", ""]),
        mostly("uid-of-worker-1", &["uid-of-worker-2", "uid", ""]),
        prop_oneof![15 => Just(Some(true)), 1 => Just(Some(false)), 1 => Just(None)],
        prop_oneof![10 => Just(None), 3 => Just(Some(false)), 1 => Just(Some(true))],
    )
        .prop_map(|(version, kind, name, uid, controller, blocks)| {
            let mut owner = json!({ "apiVersion": version, "kind": kind, "name": name, "uid": uid });
            add(&mut owner, "controller", controller);
            add(&mut owner, "blockOwnerDeletion", blocks);
            owner
        })
}

fn config_source() -> impl Strategy<Value = Value> {
    let source = |name: &str| json!({ "configMap": { "name": name, "namespace": "kube-system", "kubeletConfigKey": "kubelet" } });
    prop_oneof![Just(source("a")), Just(source("b")), Just(json!({}))]
}

/// The fields that a node may not change, other than labels.
fn fields() -> impl Strategy<Value = Map<String, Value>> {
    (
        option::weighted(0.4, vec(taint(), 0..3)),
        option::weighted(0.2, vec(owner(), 0..3)),
        option::weighted(0.1, config_source()),
    )
        .prop_map(|(taints, owners, source)| {
            let mut fields = Map::new();
            let mut add = |pointer: &str, value: Option<Value>| {
                value.map(|value| fields.insert(pointer.to_owned(), value));
            };
            add("/spec/taints", taints.map(Value::from));
            add("/metadata/ownerReferences", owners.map(Value::from));
            add("/spec/configSource", source);
            fields
        })
}

fn with_fields(mut object: Value, fields: &Map<String, Value>) -> Value {
    for (pointer, value) in fields {
        set(&mut object, pointer, value);
    }
    object
}

fn node() -> impl Strategy<Value = Value> {
    (name(), labels(3), any::<bool>(), fields()).prop_map(|(name, labels, is_written, fields)| {
        let mut node =
            json!({ "apiVersion": "v1", "kind": "Node", "metadata": { "name": name }, "spec": {} });
        set_labels(&mut node, &labels, is_written);
        with_fields(node, &fields)
    })
}

fn node_creation() -> impl Strategy<Value = Value> {
    node().prop_map(|node| json!({ "operation": "CREATE", "object": node }))
}

/// Generates an update of a Node that keeps most labels and fields.
fn node_update() -> impl Strategy<Value = Value> {
    let subresource = select(&["", "status"][..]);
    let changed_fields = option::weighted(0.3, fields());
    (subresource, node(), option::weighted(0.7, labels(1)), changed_fields, any::<bool>()).prop_map(
        |(subresource, old, added, changed_fields, removes)| {
            let mut new = old.clone();
            if let Some(added) = added {
                // Adds a label, changes its value, or removes it.
                if let Some(labels) = new["metadata"]["labels"].as_object_mut()
                    && removes
                    && let Some(first) = labels.keys().next().cloned()
                {
                    labels.remove(&first);
                } else {
                    for (key, value) in added {
                        new["metadata"]["labels"][key] = json!(value);
                    }
                }
            }
            if let Some(fields) = changed_fields {
                for pointer in ["/spec/taints", "/metadata/ownerReferences", "/spec/configSource"] {
                    set(&mut new, pointer, fields.get(pointer).unwrap_or(&Value::Null));
                }
            }
            json!({ "operation": "UPDATE", "subresource": subresource, "object": new, "oldObject": old })
        },
    )
}

/// Fields of pods that may refer to API objects, and values that do and that do not.
fn references() -> Vec<(&'static str, Value)> {
    let volume = |source: Value| {
        let mut volume = json!({ "name": "v" });
        if let (Some(volume), Some(source)) = (volume.as_object_mut(), source.as_object()) {
            volume.extend(source.clone());
        }
        ("/spec/volumes", json!([{ "name": "first", "hostPath": { "path": "/" } }, volume]))
    };
    let projected = |source: Value| volume(json!({ "projected": { "sources": [source] } }));
    let container = |fields: Value| {
        let mut container = json!({ "name": "app", "image": "i" });
        if let (Some(container), Some(fields)) = (container.as_object_mut(), fields.as_object()) {
            container.extend(fields.clone());
        }
        json!([container])
    };
    let env = |source: Value| {
        container(json!({ "env": [{ "name": "A", "value": "a" }, { "name": "E", "valueFrom": source }] }))
    };
    let env_from = |source: Value| container(json!({ "envFrom": [source] }));
    let secret = json!({ "name": "s" });
    vec![
        ("/spec/serviceAccountName", json!("default")),
        ("/spec/serviceAccountName", json!("")),
        ("/spec/imagePullSecrets", json!([])),
        ("/spec/imagePullSecrets", json!([{}])),
        ("/spec/imagePullSecrets", json!([{}, secret])),
        ("/spec/resourceClaims", json!([])),
        ("/spec/resourceClaims", json!([{ "name": "c", "resourceClaimName": "c" }])),
        ("/spec/containers", env(json!({ "secretKeyRef": { "name": "s", "key": "k" } }))),
        ("/spec/containers", env(json!({ "secretKeyRef": { "key": "k" } }))),
        (
            "/spec/containers",
            env(json!({ "configMapKeyRef": { "name": "c", "key": "k", "optional": true } })),
        ),
        ("/spec/containers", env(json!({ "fieldRef": { "fieldPath": "metadata.name" } }))),
        ("/spec/initContainers", env(json!({ "secretKeyRef": { "name": "s", "key": "k" } }))),
        ("/spec/initContainers", env_from(json!({ "configMapRef": { "name": "c" } }))),
        ("/spec/ephemeralContainers", env_from(json!({ "secretRef": { "name": "s" } }))),
        ("/spec/ephemeralContainers", container(json!({}))),
        ("/spec/containers", env_from(json!({ "secretRef": {} }))),
        ("/spec/containers", env_from(json!({ "prefix": "P" }))),
        volume(json!({ "emptyDir": {} })),
        volume(json!({ "configMap": { "name": "c" } })),
        volume(json!({ "secret": { "secretName": "s" } })),
        volume(json!({ "secret": {} })),
        volume(json!({ "persistentVolumeClaim": { "claimName": "c" } })),
        volume(json!({ "ephemeral": {} })),
        volume(json!({ "csi": { "driver": "d" } })),
        volume(json!({ "csi": { "driver": "d", "nodePublishSecretRef": secret } })),
        volume(json!({ "downwardAPI": {} })),
        volume(json!({ "image": { "reference": "r" } })),
        volume(json!({ "gitRepo": { "repository": "r" } })),
        volume(json!({ "nfs": { "server": "s", "path": "/" } })),
        volume(json!({ "fc": { "lun": 1 } })),
        volume(json!({ "glusterfs": { "endpoints": "e", "path": "/" } })),
        volume(json!({ "azureFile": { "secretName": "s", "shareName": "share" } })),
        volume(json!({ "azureDisk": { "diskName": "d", "diskURI": "u" } })),
        volume(json!({ "gcePersistentDisk": { "pdName": "p" } })),
        volume(json!({ "awsElasticBlockStore": { "volumeID": "v" } })),
        volume(json!({ "vsphereVolume": { "volumePath": "v" } })),
        volume(json!({ "photonPersistentDisk": { "pdID": "p" } })),
        volume(json!({ "portworxVolume": { "volumeID": "v" } })),
        volume(json!({ "quobyte": { "registry": "r", "volume": "v" } })),
        volume(json!({ "flocker": { "datasetName": "d" } })),
        volume(json!({ "flexVolume": { "driver": "d" } })),
        volume(json!({ "flexVolume": { "driver": "d", "secretRef": {} } })),
        volume(json!({ "flexVolume": { "driver": "d", "secretRef": secret } })),
        volume(json!({ "cephfs": { "monitors": ["m"], "secretRef": secret } })),
        volume(json!({ "cinder": { "volumeID": "v", "secretRef": secret } })),
        volume(json!({ "cinder": { "volumeID": "v" } })),
        volume(json!({ "iscsi": { "targetPortal": "t", "iqn": "i", "lun": 0, "secretRef": secret } })),
        volume(json!({ "rbd": { "monitors": ["m"], "image": "i", "secretRef": secret } })),
        volume(json!({ "scaleIO": { "gateway": "g", "system": "s", "secretRef": secret } })),
        volume(json!({ "scaleIO": { "gateway": "g", "system": "s", "secretRef": {} } })),
        volume(json!({ "storageos": { "volumeName": "v", "secretRef": secret } })),
        volume(json!({ "projected": { "sources": [] } })),
        projected(json!({ "downwardAPI": {} })),
        projected(json!({ "configMap": { "name": "c" } })),
        projected(json!({ "secret": { "name": "s" } })),
        projected(json!({ "serviceAccountToken": { "path": "p" } })),
        projected(json!({ "clusterTrustBundle": { "name": "b", "path": "p" } })),
        projected(json!({ "podCertificate": { "signerName": "s", "keyType": "ED25519" } })),
    ]
}

fn pod(node: Option<&str>) -> Value {
    let mut pod = json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": { "name": "web", "namespace": "shop" },
        "spec": { "containers": [{ "name": "app", "image": "i" }] },
    });
    add(&mut pod["spec"], "nodeName", node);
    pod
}

fn node_name() -> impl Strategy<Value = Option<&'static str>> {
    prop_oneof![8 => Just(Some(NODES[0])), 1 => Just(Some(NODES[1])), 1 => Just(Some("")), 1 => Just(None)]
}

/// Generates a pod on a node, with labels and maybe a mirror pod.
fn stored_pod() -> impl Strategy<Value = Value> {
    (node_name(), labels(2), any::<bool>()).prop_map(|(node, labels, is_mirror)| {
        let mut pod = pod(node);
        set_labels(&mut pod, &labels, false);
        if is_mirror {
            pod["metadata"]["annotations"] = json!({ "kubernetes.io/config.mirror": "h" });
        }
        pod
    })
}

fn mirror_pod() -> impl Strategy<Value = Value> {
    let annotations = prop_oneof![
        12 => Just(json!({ "kubernetes.io/config.mirror": "h" })),
        1 => Just(json!({ "kubernetes.io/config.mirror": "" })),
        1 => Just(json!({ "kubernetes.io/config.source": "file" })),
        1 => Just(json!(null)),
    ];
    let owners = prop_oneof![
        10 => vec(owner(), 1),
        1 => vec(owner(), 0..3),
    ];
    let references = vec(select(references()), 0..3);
    (node_name(), labels(1), annotations, owners, references).prop_map(
        |(node, labels, annotations, owners, references)| {
            let mut pod = pod(node);
            set_labels(&mut pod, &labels, false);
            pod["metadata"]["annotations"] = annotations;
            pod["metadata"]["ownerReferences"] = owners.into();
            for (pointer, value) in references {
                set(&mut pod, pointer, &value);
            }
            json!({ "operation": "CREATE", "object": pod })
        },
    )
}

/// Values of the fields of a pod's status that a node may not change, by pointer, with quantities
/// as API servers write them.
fn claims() -> Vec<(&'static str, Vec<Value>)> {
    let extended = |name: &str, request: &str| {
        let mapping =
            json!([{ "containerName": "app", "resourceName": "example.com/gpu", "requestName": request }]);
        json!({ "resourceClaimName": name, "requestMappings": mapping })
    };
    let allocatable = |quantity: &str| json!([{ "resourceClaimName": "c", "containers": ["app"], "mapping": [{ "name": "cpu", "quantity": quantity }] }]);
    vec![
        (
            "/status/resourceClaimStatuses",
            vec![
                json!([]),
                json!([{ "name": "c" }]),
                json!([{ "name": "c", "resourceClaimName": "a" }]),
                json!([{ "name": "c", "resourceClaimName": "b" }]),
                json!([{ "name": "d" }, { "name": "c" }]),
            ],
        ),
        (
            "/status/extendedResourceClaimStatus",
            vec![extended("a", "r"), extended("a", "q"), extended("b", "r")],
        ),
        ("/status/nodeAllocatableResourceClaimStatuses", vec![allocatable("1"), allocatable("2")]),
    ]
}

fn status() -> impl Strategy<Value = Map<String, Value>> {
    let field = |(pointer, values): (&'static str, Vec<Value>)| {
        option::weighted(0.3, select(values)).prop_map(move |value| (pointer, value))
    };
    claims().into_iter().map(field).collect::<Vec<_>>().prop_map(|fields| {
        let of_value = |(pointer, value): (&str, Option<Value>)| Some((pointer.to_owned(), value?));
        fields.into_iter().filter_map(of_value).collect()
    })
}

/// Generates an update of the status of a pod that keeps most of it.
fn pod_status() -> impl Strategy<Value = Value> {
    (stored_pod(), status(), option::weighted(0.5, status()), option::weighted(0.4, labels(2))).prop_map(
        |(old, before, after, labels)| {
            let mut new = old.clone();
            if let Some(labels) = labels {
                new["metadata"]["labels"] = json!(labels);
            }
            let after = after.unwrap_or_else(|| before.clone());
            json!({
                "operation": "UPDATE",
                "subresource": "status",
                "object": with_fields(new, &after),
                "oldObject": with_fields(old, &before),
            })
        },
    )
}

/// Generates requests about a stored pod: its deletion, its eviction, and updates that no node
/// makes.
fn pod_by_name() -> impl Strategy<Value = Value> {
    let resource = json!({ "resource": { "group": "", "version": "v1", "resource": "pods" } });
    let eviction = |name: &'static str| {
        json!({
            "operation": "CREATE",
            "subresource": "eviction",
            "object": { "apiVersion": "policy/v1", "kind": "Eviction", "metadata": { "name": name, "namespace": "shop" } },
            "request": resource,
        })
    };
    let update = |subresource: &'static str| {
        stored_pod().prop_map(move |pod| {
            json!({ "operation": "UPDATE", "subresource": subresource, "object": pod, "oldObject": pod })
        })
    };
    prop_oneof![
        2 => stored_pod().prop_map(|pod| json!({ "operation": "DELETE", "oldObject": pod })),
        2 => Just(eviction("web")),
        1 => Just(eviction("other")),
        1 => update(""),
        1 => select(&["ephemeralcontainers", "resize"][..]).prop_flat_map(update),
    ]
}

/// Generates requests for other resources that the plugin restricts.
fn others() -> impl Strategy<Value = Value> {
    let lease = (select(&["kube-node-lease", "shop"][..]), name()).prop_map(|(namespace, name)| {
        let lease = json!({
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "metadata": { "name": name, "namespace": namespace },
        });
        json!({ "operation": "CREATE", "object": lease })
    });
    let claim = |size: &str, phase: &str| {
        json!({
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "metadata": { "name": "data", "namespace": "shop" },
            "spec": { "resources": { "requests": { "storage": size } } },
            "status": { "phase": phase },
        })
    };
    let update = move |(subresource, size, phase): (&str, &str, &str)| {
        json!({
            "operation": "UPDATE",
            "subresource": subresource,
            "object": claim(size, phase),
            "oldObject": claim("1Gi", "Bound"),
        })
    };
    let claims = (select(&["", "status"][..]), select(&["1Gi", "2Gi"][..]), select(&["Bound", "Lost"][..]))
        .prop_map(update);
    let token = select(&["", "web"][..]).prop_map(|pod| {
        let bound = if pod.is_empty() {
            json!(null)
        } else {
            json!({ "apiVersion": "v1", "kind": "Pod", "name": pod })
        };
        json!({
            "operation": "CREATE",
            "subresource": "token",
            "object": {
                "apiVersion": "authentication.k8s.io/v1",
                "kind": "TokenRequest",
                "metadata": { "name": "default", "namespace": "shop" },
                "spec": { "audiences": [], "boundObjectRef": bound },
            },
            "request": { "resource": { "group": "", "version": "v1", "resource": "serviceaccounts" } },
        })
    });
    prop_oneof![lease, claims, token]
}
