//! The changes that a node may make to pods, as KEP-1314 restricts them: status, and no labels.

use serde_json::{Value, json};
use tests::api_server::{Answer, User};

use crate::cluster::{Cluster, Expect as _, create, write};
use crate::kubewarden::Kubewarden;
use crate::node_labels::{add_node, delete_nodes};
use crate::policy::Policy;

const POLICY: &str = "node-pods";
const NAMESPACE: &str = "store";

fn path(name: &str) -> String {
    format!("/api/v1/namespaces/{NAMESPACE}/pods/{name}")
}

fn pod(name: &str, node: Option<&str>) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": NAMESPACE,
            "labels": { "app": "web", "pod-template-hash": "6d4cf56db6" },
            "ownerReferences": [
                { "apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web-6d4cf56db6", "uid": "0d9a", "controller": true },
            ],
        },
        "spec": { "nodeName": node, "containers": [{ "name": "web", "image": "registry.example/web:v1" }] },
    })
}

fn evict(user: &User<'_>, name: &str) -> Answer {
    let eviction = json!({
        "apiVersion": "policy/v1", "kind": "Eviction", "metadata": { "name": name, "namespace": NAMESPACE },
    });
    let path = format!("{}/eviction", path(name));
    user.kubectl_with(&eviction.to_string(), &["create", "--raw", &path, "--filename", "-"])
}

pub(crate) fn statuses(cluster: &Cluster) {
    let running = json!({ "status": { "phase": "Running", "podIP": "10.0.0.7" } });
    cluster.namespace(NAMESPACE, &json!({}));
    let [kubelet, other] = ["worker-1", "worker-2"].map(|node| {
        add_node(cluster, node);
        cluster.kubelet(node)
    });
    let jane = cluster.user("jane");
    let kubewarden = Kubewarden::deploy(cluster, &[Policy::protect(POLICY, POLICY, &json!({}))]);
    for (name, node) in [("web", Some("worker-1")), ("next", Some("worker-1")), ("waiting", None)] {
        create(&jane, &pod(name, node)).succeeded();
    }

    write(cluster, &kubelet, &path("web"), "status", &running).succeeded();
    assert_eq!(cluster.stored(&path("web"), "/status/podIP"), "10.0.0.7");
    // The attacks of the KEP: traffic of another Service, and a place in another ReplicaSet.
    for (labels, message) in [
        (json!({ "role": "payments" }), "metadata.labels.role"),
        (json!({ "pod-template-hash": "other" }), "metadata.labels.pod-template-hash"),
        (json!({ "app": null }), "oldObject.metadata.labels.app"),
    ] {
        let mut changes = running.clone();
        changes["metadata"] = json!({ "labels": labels });
        let message = format!(
            "{message}: Forbidden: a node may not set, change or remove labels through pods/status; leave the labels of \
             the pod unchanged"
        );
        write(cluster, &kubelet, &path("web"), "status", &changes).denied_by(POLICY, &message);
    }
    let labels = cluster.stored(&path("web"), "/metadata/labels");
    assert_eq!(labels, json!({ "app": "web", "pod-template-hash": "6d4cf56db6" }));
    // As the README says, the API server resets owners, before webhooks see them.
    let disowned = json!({ "metadata": { "ownerReferences": [] } });
    write(cluster, &kubelet, &path("web"), "status", &disowned).succeeded();
    assert_eq!(cluster.stored(&path("web"), "/metadata/ownerReferences/0/uid"), "0d9a");

    // Pods of another node, and of none.
    write(cluster, &other, &path("web"), "status", &running).denied_by(
        POLICY,
        "oldObject.spec.nodeName: Invalid value: \"worker-1\": a node may write only the status of its own pods; use \
         the credentials of that node or of a controller",
    );
    write(cluster, &kubelet, &path("waiting"), "status", &running).denied_by(
        POLICY,
        "oldObject.spec.nodeName: Invalid value: null: a node may write only the status of its own pods; use the \
         credentials of that node or of a controller",
    );
    let delete = |user: &User<'_>, name: &str| {
        user.kubectl(&["delete", "--raw", &format!("{}?gracePeriodSeconds=0", path(name))])
    };
    delete(&other, "web").denied_by(
        POLICY,
        "oldObject.spec.nodeName: Invalid value: \"worker-1\": a node may delete only its own pods; use the \
         credentials of that node or of a controller",
    );
    evict(&other, "next").denied_by(
        POLICY,
        "request.name: Invalid value: \"next\": a node may evict only its own pods; use the credentials of that node \
         or of a controller",
    );
    assert_eq!(cluster.stored(&path("web"), "/status/phase"), "Running");
    delete(&kubelet, "web").succeeded();
    evict(&kubelet, "next").succeeded();
    // Users are not restricted.
    delete(&jane, "waiting").succeeded();
    drop(kubewarden);
    delete_nodes(cluster);
}
