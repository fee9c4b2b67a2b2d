//! Mirror pods, as KEP-1314 restricts them: labels that the Namespace lists, and the Node as owner.

use serde_json::{Value, json};
use tests::process::wait_until;

use crate::cluster::{Cluster, Expect as _, create};
use crate::kubewarden::Kubewarden;
use crate::node_labels::{add_node, delete_nodes};
use crate::policy::Policy;

const POLICY: &str = "node-pods";
const NAMESPACE: &str = "static";

fn is_not_listed(label: &str) -> String {
    format!(
        "metadata.labels.{label}: Forbidden: the Namespace does not list this label for mirror pods; add it to the \
         Namespace's annotation node.kubernetes.io/mirror.allowed-label-keys or to allowedLabelKeys, or remove it from \
         the static pod"
    )
}

/// The mirror pod of a static pod on the node `worker-1`, with other fields.
fn mirror_pod(name: &str, fields: &[(&str, Value)]) -> Value {
    let mut pod = json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": format!("{name}-worker-1"),
            "namespace": NAMESPACE,
            "annotations": {
                "kubernetes.io/config.hash": "0c7f1b",
                "kubernetes.io/config.mirror": "0c7f1b",
                "kubernetes.io/config.seen": "2026-01-01T00:00:00Z",
                "kubernetes.io/config.source": "file",
            },
        },
        "spec": {
            "nodeName": "worker-1",
            "hostNetwork": true,
            "priorityClassName": "system-node-critical",
            "containers": [{ "name": "etcd", "image": "registry.example/etcd:v3" }],
            "tolerations": [{ "effect": "NoExecute", "operator": "Exists" }],
        },
    });
    for (pointer, value) in fields {
        let (parent, field) = pointer.rsplit_once('/').unwrap();
        pod.pointer_mut(parent).unwrap()[field] = value.clone();
    }
    pod
}

pub(crate) fn labels(cluster: &Cluster) {
    cluster.namespace(NAMESPACE, &json!({}));
    add_node(cluster, "worker-1");
    let kubelet = cluster.kubelet("worker-1");
    let kubewarden = Kubewarden::deploy(cluster, &[Policy::protect(POLICY, POLICY, &json!({}))]);
    let owner = |uid: &Value| json!([{ "apiVersion": "v1", "kind": "Node", "name": "worker-1", "uid": uid, "controller": true }]);
    let of_the_node = owner(&cluster.stored("/api/v1/nodes/worker-1", "/metadata/uid"));
    let labels = json!({ "component": "etcd", "tier": "control-plane" });

    // A pod without labels needs no list.
    let bare = mirror_pod("bare", &[("/metadata/ownerReferences", of_the_node.clone())]);
    create(&kubelet, &bare).succeeded();
    create(&kubelet, &mirror_pod("unowned", &[])).succeeded();
    let labelled = [("/metadata/labels", labels), ("/metadata/ownerReferences", of_the_node)];
    let etcd = mirror_pod("etcd", &labelled);
    let denial = [is_not_listed("component"), is_not_listed("tier")].join("\n");
    create(&kubelet, &etcd).denied_by(POLICY, &denial);

    // The command of the README. The policy server may have kept the Namespace without it.
    let list = "node.kubernetes.io/mirror.allowed-label-keys=component,tier";
    cluster.server.kubectl(&["annotate", "namespaces", NAMESPACE, list]).unwrap();
    wait_until("the mirror pod with listed labels", || create(&kubelet, &etcd).is_success);
    let mixed = json!({ "app": "web", "component": "etcd", "k8s-app": "kube-dns" });
    let k8s_app = "metadata.labels.k8s-app: Forbidden: mirror pods may not have this label, even if the Namespace lists \
                   it; remove it from the static pod, or add it with its value to allowedLabels";
    create(&kubelet, &mirror_pod("dns", &[("/metadata/labels", mixed)]))
        .denied_by(POLICY, &[k8s_app, &is_not_listed("app")].join("\n"));

    // Other owners, other pods and other nodes.
    let wrong = mirror_pod("wrong", &[("/metadata/ownerReferences", owner(&json!("0a1b")))]);
    create(&kubelet, &wrong).denied_by(
        POLICY,
        "metadata.ownerReferences[0].uid: Invalid value: \"0a1b\": this is not the current UID of the Node; use the \
         current UID, as the Node may have been recreated",
    );
    let replica_set = json!([{ "apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "1" }]);
    let adopted = mirror_pod("adopted", &[("/metadata/ownerReferences", replica_set)]);
    create(&kubelet, &adopted).denied_by(
        POLICY,
        "metadata.ownerReferences[0].apiVersion: Invalid value: \"apps/v1\": a mirror pod may be owned only by its Node; set it to v1\n\
         metadata.ownerReferences[0].kind: Invalid value: \"ReplicaSet\": a mirror pod may be owned only by its Node; set it to Node\n\
         metadata.ownerReferences[0].name: Invalid value: \"web\": a mirror pod may be owned only by its Node; set the name of the node\n\
         metadata.ownerReferences[0].controller: Invalid value: null: the Node must be the controller, so that no other \
         controller adopts the pod; set it to true",
    );
    let mut ordinary = mirror_pod("ordinary", &[]);
    ordinary["metadata"].as_object_mut().unwrap().remove("annotations");
    create(&kubelet, &ordinary).denied_by(
        POLICY,
        "metadata.annotations[kubernetes.io/config.mirror]: Required value: a node may create only mirror pods of its \
         static pods; use the credentials of a controller or a user",
    );
    let elsewhere = mirror_pod("elsewhere", &[("/spec/nodeName", json!("worker-2"))]);
    create(&kubelet, &elsewhere).denied_by(
        POLICY,
        "spec.nodeName: Invalid value: \"worker-2\": a node may create only its own mirror pods; set the name of the node",
    );
    let secret = json!([{ "name": "keys", "secret": { "secretName": "keys" } }]);
    create(&kubelet, &mirror_pod("reader", &[("/spec/volumes", secret)])).denied_by(
        POLICY,
        "spec.volumes[0].secret: Forbidden: a mirror pod may not refer to API objects; remove it from the static pod, \
         or set apiObjectReferences to Allow",
    );
    // Other users are not restricted.
    create(&cluster.admin(), &ordinary).succeeded();

    let names: Value = serde_json::from_str(
        &cluster.server.kubectl(&["get", "pods", "--namespace", NAMESPACE, "--output", "json"]).unwrap(),
    )
    .unwrap();
    let names: Vec<&str> = names["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|pod| pod["metadata"]["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["bare-worker-1", "etcd-worker-1", "ordinary-worker-1", "unowned-worker-1"]);
    drop(kubewarden);
    delete_nodes(cluster);
}
