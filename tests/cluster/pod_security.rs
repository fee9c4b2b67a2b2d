//! Pods by the Pod Security Standards, with exclusions and with old violations.

use serde_json::{Value, json};

use crate::cluster::{Cluster, Expect as _, create, patch};
use crate::kubewarden::Kubewarden;
use crate::policy::Policy;

const POLICY: &str = "pod-security";

/// A container that complies with the level `restricted`, but for capabilities that it adds.
fn container(name: &str, image: &str, added: &[&str]) -> Value {
    json!({
        "name": name,
        "image": image,
        "securityContext": {
            "allowPrivilegeEscalation": false,
            "capabilities": { "drop": ["ALL"], "add": added },
        },
    })
}

fn spec(containers: &[Value]) -> Value {
    json!({
        "securityContext": { "runAsNonRoot": true, "seccompProfile": { "type": "RuntimeDefault" } },
        "containers": containers,
    })
}

fn pod(name: &str, namespace: &str, containers: &[Value]) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": { "name": name, "namespace": namespace },
        "spec": spec(containers),
    })
}

fn deployment(name: &str, namespace: &str, containers: &[Value]) -> Value {
    json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": { "name": name, "namespace": namespace },
        "spec": {
            "selector": { "matchLabels": { "app": name } },
            "template": { "metadata": { "labels": { "app": name } }, "spec": spec(containers) },
        },
    })
}

/// The example of the document "Extending Pod Security Admission", for one value.
pub(crate) fn exclusions(cluster: &Cluster) {
    const NGINX: &str = "ghcr.io/example/nginx:1.2.3";
    let settings = json!({
        "profile": "restricted",
        "version": "v1.24",
        "exclude": [{
            "controlName": "Capabilities",
            "images": [NGINX],
            "restrictedField": "spec.containers[*].securityContext.capabilities.add",
            "values": ["KILL"],
        }],
    });
    let is_added = |path: &str, value: &str, container: &str| {
        format!(
            "{path}: Invalid value: \"{value}\": container \"{container}\": Capabilities (restricted) allows only \
             NET_BIND_SERVICE; remove it"
        )
    };
    let namespace = "exclusions";
    cluster.namespace(namespace, &json!({}));
    let jane = cluster.user("jane");
    let kubewarden = Kubewarden::deploy(cluster, &[Policy::protect(POLICY, POLICY, &settings)]);

    let nginx = |added: &[&str]| container("nginx", NGINX, added);
    let agent = |added: &[&str]| container("agent", "ghcr.io/example/agent:1", added);
    create(&jane, &pod("compliant", namespace, &[nginx(&[]), agent(&[])])).succeeded();
    create(&jane, &pod("excluded", namespace, &[nginx(&["KILL"]), agent(&[])])).succeeded();
    // Two containers add the same, and the exclusion is for one of them.
    let add = "spec.containers[1].securityContext.capabilities.add[0]";
    create(&jane, &pod("both", namespace, &[nginx(&["KILL"]), agent(&["KILL"])]))
        .denied_by(POLICY, &is_added(add, "KILL", "agent"));
    // One container adds two values, and the exclusion is for one of them.
    let add = "spec.containers[0].securityContext.capabilities.add[1]";
    create(&jane, &pod("more", namespace, &[nginx(&["KILL", "NET_ADMIN"]), agent(&[])]))
        .denied_by(POLICY, &is_added(add, "NET_ADMIN", "nginx"));
    let add = "spec.template.spec.containers[1].securityContext.capabilities.add[0]";
    create(&jane, &deployment("web", namespace, &[nginx(&["KILL"]), agent(&["CHOWN"])]))
        .denied_by(POLICY, &is_added(add, "CHOWN", "agent"));
    create(&jane, &deployment("web", namespace, &[nginx(&["KILL"]), agent(&[])])).succeeded();
    drop(kubewarden);
}

pub(crate) fn updates(cluster: &Cluster) {
    let namespace = "updates";
    let is_privileged = |index: usize, name: &str| {
        format!(
            "spec.template.spec.containers[{index}].securityContext.privileged: Invalid value: true: container \
             \"{name}\": Privileged Containers (baseline) allows only false; remove it and add the capabilities that \
             the container needs"
        )
    };
    let privileged = |name: &str, image: &str| json!({ "name": name, "image": image, "securityContext": { "privileged": true } });
    let containers =
        |containers: &[Value]| json!({ "spec": { "template": { "spec": { "containers": containers } } } });
    let old = privileged("old", "ghcr.io/example/old:1");
    cluster.namespace(namespace, &json!({}));
    let jane = cluster.user("jane");
    let change = |changes: &Value| patch(&jane, namespace, "deployment/old", changes);
    let scale = |replicas: u32| change(&json!({ "spec": { "replicas": replicas } }));
    create(&jane, &deployment("old", namespace, &[old])).succeeded();

    let tolerate =
        json!({ "level": "baseline", "warn": { "level": "restricted" }, "existingViolations": "Tolerate" });
    let mut kubewarden = Kubewarden::deploy(cluster, &[Policy::protect(POLICY, POLICY, &tolerate)]);
    scale(2).succeeded();
    let newer = privileged("old", "ghcr.io/example/old:2");
    change(&containers(std::slice::from_ref(&newer))).succeeded();
    change(&containers(&[newer, privileged("new", "ghcr.io/example/new:1")]))
        .denied_by(POLICY, &is_privileged(1, "new"));

    let mut escalating = container("new", "ghcr.io/example/new:1", &[]);
    escalating["securityContext"].as_object_mut().unwrap().remove("allowPrivilegeEscalation");
    let warning = "would violate PodSecurity \"restricted:latest\": Privilege Escalation: new";
    create(&jane, &pod("new", namespace, &[escalating])).warned(&[warning]);

    // The default evaluates the whole object again if the template changes, and scaling does not.
    kubewarden.change(&[Policy::protect(POLICY, POLICY, &json!({ "level": "baseline" }))]);
    scale(3).succeeded();
    let newest = privileged("old", "ghcr.io/example/old:3");
    change(&containers(&[newest])).denied_by(POLICY, &is_privileged(0, "old"));
    let path = format!("/apis/apps/v1/namespaces/{namespace}/deployments/old");
    assert_eq!(cluster.stored(&path, "/spec/replicas"), 3);
    assert_eq!(cluster.stored(&path, "/spec/template/spec/containers/0/image"), "ghcr.io/example/old:2");
    drop(kubewarden);
}
