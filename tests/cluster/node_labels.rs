//! A kubelet registers its Node, labels it and reports its status, as KEP-279 restricts it.

use serde_json::{Value, json};
use tests::api_server::{Answer, User};

use crate::cluster::{Cluster, Expect as _, create, patch, write};
use crate::kubewarden::Kubewarden;
use crate::policy::Policy;

const POLICY: &str = "node-labels";
const NODE: &str = "/api/v1/nodes/worker-1";

const TEAM: &str = "metadata.labels[node-restriction.kubernetes.io/team]: Forbidden: only administrators may set, change \
                    or remove labels of node-restriction.kubernetes.io; ask an administrator to label the Node";
const NO_TEAM: &str = "oldObject.metadata.labels[node-restriction.kubernetes.io/team]: Forbidden: only administrators \
                       may set, change or remove labels of node-restriction.kubernetes.io; leave it unchanged, or ask \
                       an administrator to remove it";
const ROLE: &str = "metadata.labels[node-role.kubernetes.io/control-plane]: Forbidden: nodes may set, change or remove \
                    only the listed labels of kubernetes.io and k8s.io; use node.kubernetes.io or your own domain, or \
                    ask an administrator to label the Node";
const TAINTS: &str = "spec.taints: Forbidden: nodes may set taints only when they create their Node; leave them \
                      unchanged, or ask an administrator to taint the Node";
const OWNERS: &str = "metadata.ownerReferences: Forbidden: nodes may not set, change or remove the owner references of \
                      their Node, because it is deleted with its owners; leave them unchanged, or ask an \
                      administrator to change them";

fn is_not_own(node: &str) -> String {
    format!(
        "request.name: Invalid value: \"{node}\": a node may write only its own Node; use the credentials of that node \
         or of an administrator"
    )
}

fn node(name: &str, labels: &Value) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": { "name": name, "labels": labels },
        "spec": { "taints": [{ "key": "example.com/starting", "effect": "NoSchedule" }] },
    })
}

fn labels(labels: &Value) -> Value {
    json!({ "metadata": { "labels": labels } })
}

/// A node that is not restricted.
pub(crate) fn add_node(cluster: &Cluster, name: &str) {
    create(&cluster.admin(), &node(name, &json!({}))).succeeded();
}

/// Removes what a scenario has left, so that the next one may have nodes with the same names.
pub(crate) fn delete_nodes(cluster: &Cluster) {
    cluster.server.kubectl(&["delete", "nodes", "--all"]).unwrap();
}

/// Reports a status, as a kubelet does every few minutes.
fn heartbeat(cluster: &Cluster, kubelet: &User<'_>, more: &Value) -> Answer {
    let condition = json!({ "type": "Ready", "status": "True", "reason": "KubeletReady" });
    let mut changes = json!({ "status": { "conditions": [condition], "capacity": { "cpu": "4" } } });
    for (name, value) in more.as_object().unwrap() {
        changes[name] = value.clone();
    }
    write(cluster, kubelet, NODE, "status", &changes)
}

pub(crate) fn a_kubelet(cluster: &Cluster) {
    let [kubelet, other] = ["worker-1", "worker-2"].map(|node| cluster.kubelet(node));
    let change = |user: &User<'_>, changes: &Value| patch(user, "", "node/worker-1", changes);
    let kubewarden = Kubewarden::deploy(cluster, &[Policy::protect(POLICY, POLICY, &json!({}))]);

    registers(cluster, &kubelet);

    // The administrator dedicates the node, and the kubelet keeps that.
    let dedicated = labels(&json!({ "node-restriction.kubernetes.io/team": "a" }));
    change(&cluster.admin(), &dedicated).succeeded();
    heartbeat(cluster, &kubelet, &json!({})).succeeded();
    assert_eq!(cluster.stored(NODE, "/status/conditions/0/reason"), "KubeletReady");
    change(&kubelet, &labels(&json!({ "example.com/rack": "2", "kubernetes.io/os": "linux" }))).succeeded();
    for (value, message) in [(json!("b"), TEAM), (Value::Null, NO_TEAM)] {
        let label = json!({ "node-restriction.kubernetes.io/team": value });
        change(&kubelet, &labels(&label)).denied_by(POLICY, message);
        heartbeat(cluster, &kubelet, &labels(&label)).denied_by(POLICY, message);
    }
    let role = labels(&json!({ "node-role.kubernetes.io/control-plane": "" }));
    change(&kubelet, &role).denied_by(POLICY, ROLE);
    heartbeat(cluster, &kubelet, &role).denied_by(POLICY, ROLE);
    assert_eq!(
        cluster.stored(NODE, "/metadata/labels/node-restriction.kubernetes.io~1team"),
        "a",
        "the label of the administrator"
    );

    // Pods avoid taints, and a Node is deleted with its owners.
    change(&kubelet, &json!({ "spec": { "taints": null } })).denied_by(POLICY, TAINTS);
    let owner = json!({ "apiVersion": "v1", "kind": "Pod", "name": "gone", "uid": "1" });
    change(&kubelet, &json!({ "metadata": { "ownerReferences": [owner] } })).denied_by(POLICY, OWNERS);

    // Another node.
    heartbeat(cluster, &other, &json!({})).denied_by(POLICY, &is_not_own("worker-1"));
    write(cluster, &other, NODE, "", &labels(&json!({ "example.com/rack": "3" })))
        .denied_by(POLICY, &is_not_own("worker-1"));
    drop(kubewarden);
    delete_nodes(cluster);
}

/// While no policy server answers, a kubelet registers its Node with the labels that the settings
/// admit, and learns that it exists when it starts again.
pub(crate) fn without_a_policy_server(cluster: &Cluster) {
    let settings = json!({
        "labelProfile": "InTree",
        "protectedLabelKeys": ["foo/dedicated"],
        "protectedLabelPrefixes": ["example.com/"],
        "allowedLabelKeys": ["kubernetes.io/role"],
        "createOnlyLabelKeys": ["node-role.kubernetes.io/worker"],
        "createOnlyLabelPrefixes": ["pool.kubernetes.io"],
    });
    let kubelet = cluster.kubelet("worker-1");
    let mut kubewarden = Kubewarden::deploy(cluster, &[Policy::protect(POLICY, POLICY, &settings)]);
    kubewarden.server.kill();
    let register = |key: &str| {
        let labels = json!({ "kubernetes.io/hostname": "worker-1", "node.kubernetes.io/windows-build": "10", key: "a" });
        create(&kubelet, &node("worker-1", &labels))
    };
    for key in ["foo/dedicated", "example.com/pool", "x.example.com/pool", "kubernetes.io/instance-type"] {
        let answer = register(key);
        assert!(answer.errors.contains("failed calling webhook"), "{key}: {}", answer.errors);
    }
    for key in ["foo/rack", "kubernetes.io/role", "node-role.kubernetes.io/worker", "pool.kubernetes.io/a"] {
        register(key).succeeded();
        let again = register(key);
        assert!(again.errors.contains("already exists"), "{key}: {}", again.errors);
        delete_nodes(cluster);
    }
}

fn registers(cluster: &Cluster, kubelet: &User<'_>) {
    let of_the_kubelet = json!({
        "beta.kubernetes.io/arch": "amd64",
        "beta.kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/hostname": "worker-1",
        "kubernetes.io/os": "linux",
        "node.kubernetes.io/instance-type": "large",
        "topology.kubernetes.io/region": "north",
        "topology.kubernetes.io/zone": "north-1",
        "example.com/rack": "1",
    });
    let mut attack = of_the_kubelet.clone();
    attack["node-restriction.kubernetes.io/team"] = json!("a");
    attack["node-role.kubernetes.io/control-plane"] = json!("");
    create(kubelet, &node("worker-1", &attack)).denied_by(POLICY, &[TEAM, ROLE].join("\n"));
    create(kubelet, &node("worker-3", &of_the_kubelet)).denied_by(POLICY, &is_not_own("worker-3"));
    create(kubelet, &node("worker-1", &of_the_kubelet)).succeeded();
    let mut stored = cluster.stored(NODE, "/metadata/labels");
    stored.as_object_mut().unwrap().retain(|key, _| of_the_kubelet.get(key).is_some());
    assert_eq!(stored, of_the_kubelet);
}
