//! `portcullis audit`: findings as text and as JSON, and failures.

use std::fs;

use crate::folder::Folder;

/// Runs an audit; returns its status, standard output and standard error.
fn audit(folder: &Folder, arguments: &[&str], input: &str) -> (i32, String, String) {
    folder.run(&[&["audit"], arguments].concat(), input)
}

/// Runs an audit that finds something; returns its output.
fn found(folder: &Folder, arguments: &[&str]) -> String {
    let (status, stdout, stderr) = audit(folder, arguments, "");
    assert_eq!((status, stderr.as_str()), (1, ""), "{arguments:?}");
    stdout
}

/// Runs an audit that fails; returns its message.
fn refused(folder: &Folder, arguments: &[&str], input: &str) -> String {
    folder.refused(&[&["audit"], arguments].concat(), input)
}

#[test]
fn judges_pods_under_settings() {
    let folder = Folder::new("judged");
    folder.file(
        "dump.json",
        r#"{"apiVersion": "v1", "kind": "List", "items": [
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "namespace": "shop"},
         "spec": {"hostPID": true, "containers": [{"name": "a", "image": "a"}]}}
    ]}"#,
    );
    let text = found(&folder, &["pod-security", "dump.json", "--settings-json", r#"{"level": "baseline"}"#]);
    assert!(text.contains("Pod shop/a") && text.contains("spec.hostPID: Invalid value: true"), "{text}");
    let (status, ..) =
        audit(&folder, &["pod-security", "dump.json", "--settings-json", r#"{"level": "privileged"}"#], "");
    assert_eq!(status, 0);
}

const PODS: &str = r#"{"apiVersion": "v1", "kind": "List", "items": [
  {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "kube-apiserver-cp-1", "namespace": "kube-system",
    "annotations": {"kubernetes.io/config.mirror": "x"},
    "labels": {"tier": "control-plane", "component": "kube-apiserver", "topology.kubernetes.io/zone": "a"}},
    "spec": {"nodeName": "cp-1"}},
  {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "etcd-cp-1", "namespace": "kube-system",
    "annotations": {"kubernetes.io/config.mirror": ""},
    "labels": {"component": "etcd", "extra": "", "tier": "control-plane"}}, "spec": {"nodeName": "cp-1"}},
  {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web", "namespace": "shop", "labels": {"app": "web"}},
    "spec": {"nodeName": "cp-1"}},
  {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "bare-cp-1", "namespace": "shop",
    "annotations": {"kubernetes.io/config.mirror": "x"}}, "spec": {"nodeName": "cp-1"}}
]}"#;

const NODE: &str = "\
apiVersion: v1
kind: Node
metadata:
  name: cp-1
  labels:
    kubernetes.io/hostname: cp-1
    topology.kubernetes.io/zone: a
    node-role.kubernetes.io/control-plane: ''
    beta.kubernetes.io/fluentd-ds-ready: 'true'
    beta.kubernetes.io/metadata-proxy-ready: 'true'
    beta.kubernetes.io/kube-proxy-ds-ready: 'true'
    beta.kubernetes.io/masq-agent-ds-ready: 'true'
    foo/dedicated: a
";

#[test]
fn lists_mirror_labels_as_the_kep_does() {
    let folder = Folder::new("mirror-labels");
    fs::create_dir_all(folder.0.join("dump")).unwrap();
    folder.file("dump/pods.json", PODS);
    folder.file("dump/node.yaml", NODE);
    assert_eq!(
        found(&folder, &["mirror-labels", "dump"]),
        "\
kube-system: component
kube-system: extra
kube-system: tier

kubectl annotate namespaces kube-system node.kubernetes.io/mirror.allowed-label-keys=\"component,extra,tier\"
"
    );
    assert_eq!(
        found(&folder, &["mirror-labels", "dump/pods.json", "dump/node.yaml", "-o", "json"]),
        concat!(
            r#"{"namespaces":[{"namespace":"kube-system","missing":["component","extra","tier"],"denied":[],"#,
            r#""annotation":"component,extra,tier","command":"kubectl annotate namespaces kube-system "#,
            r#"node.kubernetes.io/mirror.allowed-label-keys=\"component,extra,tier\""}],"notes":[]}"#,
            "\n"
        )
    );
}

#[test]
fn keeps_the_keys_that_a_namespace_lists_already() {
    let folder = Folder::new("mirror-listed");
    folder.file("pods.json", PODS);
    folder.file("node.yaml", NODE);
    let namespace = |keys: &str| {
        format!(
            "---\n{{apiVersion: v1, kind: Namespace, metadata: {{name: kube-system, \
             annotations: {{node.kubernetes.io/mirror.allowed-label-keys: '{keys}'}}}}}}"
        )
    };
    folder.file("namespace.yaml", namespace("tier, old ,component"));
    let files = ["mirror-labels", "pods.json", "node.yaml", "namespace.yaml"];
    assert_eq!(
        found(&folder, &files),
        "\
kube-system: extra

kubectl annotate --overwrite namespaces kube-system node.kubernetes.io/mirror.allowed-label-keys=\"component,extra,old,tier\"
"
    );
    folder.file("namespace.yaml", namespace("component,extra,tier"));
    let nothing = "No mirror pod has a label that its namespace does not list.\n";
    assert_eq!(audit(&folder, &files, ""), (0, nothing.to_owned(), String::new()));
}

#[test]
fn commands_omit_denied_keys() {
    let folder = Folder::new("mirror-denied");
    folder.file(
        "pod.yaml",
        "---\n{apiVersion: v1, kind: Pod, metadata: {name: dns, namespace: kube-system, labels: {k8s-app: dns}, \
         annotations: {kubernetes.io/config.mirror: x}}}",
    );
    assert_eq!(
        found(&folder, &["mirror-labels", "pod.yaml"]),
        "\
kube-system: k8s-app

node-pods denies k8s-app even if a namespace lists it, unless the setting allowedLabels allows its value; remove the label from the static pods
"
    );
    assert_eq!(
        found(&folder, &["mirror-labels", "pod.yaml", "--output=json"]),
        "{\"namespaces\":[{\"namespace\":\"kube-system\",\"missing\":[],\"denied\":[\"k8s-app\"]}],\"notes\":[]}\n"
    );
}

#[test]
fn finds_denied_keys_even_if_they_are_listed() {
    let folder = Folder::new("mirror-denied-listed");
    folder.file(
        "dump.json",
        r#"[{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "dns", "namespace": "kube-system",
               "labels": {"k8s-app": "dns", "tier": "x"}, "annotations": {"kubernetes.io/config.mirror": ""}}},
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "kube-system",
               "annotations": {"node.kubernetes.io/mirror.allowed-label-keys": "k8s-app"}}}]"#,
    );
    // The key stays in the list, because the settings may permit it.
    assert_eq!(
        found(&folder, &["mirror-labels", "dump.json"]),
        "\
kube-system: k8s-app
kube-system: tier

kubectl annotate --overwrite namespaces kube-system node.kubernetes.io/mirror.allowed-label-keys=\"k8s-app,tier\"

node-pods denies k8s-app even if a namespace lists it, unless the setting allowedLabels allows its value; remove the label from the static pods
"
    );
}

#[test]
fn a_topology_label_of_a_pod_without_a_node_is_not_a_copy() {
    let folder = Folder::new("mirror-nowhere");
    folder.file(
        "pod.json",
        r#"{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "namespace": "b",
             "labels": {"topology.kubernetes.io/zone": "x"}, "annotations": {"kubernetes.io/config.mirror": ""}}}"#,
    );
    let found = found(&folder, &["mirror-labels", "pod.json"]);
    assert!(found.starts_with("b: topology.kubernetes.io/zone\n\nkubectl annotate "), "{found}");
}

#[test]
fn abbreviates_the_list_of_missing_nodes() {
    let folder = Folder::new("mirror-many-nodes");
    let pod = |index: u32| {
        format!(
            "---\n{{apiVersion: v1, kind: Pod, metadata: {{name: a-{index}, namespace: b, \
             labels: {{topology.kubernetes.io/zone: x}}, annotations: {{kubernetes.io/config.mirror: x}}}}, \
             spec: {{nodeName: n{index}}}}}\n"
        )
    };
    folder.file("pods.yaml", (0..7).map(pod).collect::<String>());
    let (status, stdout, _) = audit(&folder, &["mirror-labels", "pods.yaml"], "");
    assert_eq!(status, 0);
    assert!(stdout.contains("lacks Nodes (n0, n1, n2 and 4 more)"), "{stdout}");
}

#[test]
fn writes_json_without_findings() {
    let folder = Folder::new("nothing");
    folder.file(
        "dump.yaml",
        "---\n[{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: b}}, {apiVersion: v1, kind: Node, \
         metadata: {name: a}}, {apiVersion: v1, kind: Service, metadata: {name: a, namespace: b}}]",
    );
    assert_eq!(
        audit(&folder, &["mirror-labels", "dump.yaml", "-o", "json"], ""),
        (0, "{\"namespaces\":[],\"notes\":[]}\n".to_owned(), String::new())
    );
}

#[test]
fn lists_topology_labels_unless_the_api_server_copied_them() {
    let folder = Folder::new("mirror-topology");
    folder.file("pods.json", PODS);
    let zone = |zone: &str| NODE.replace("zone: a", &format!("zone: {zone}"));
    folder.file("node.yaml", zone("b"));
    let other = found(&folder, &["mirror-labels", "pods.json", "node.yaml"]);
    assert!(other.contains("kube-system: topology.kubernetes.io/zone\n"), "{other}");
    assert!(other.ends_with("=\"component,extra,tier,topology.kubernetes.io/zone\"\n"), "{other}");
    let unknown = found(&folder, &["mirror-labels", "pods.json"]);
    assert!(!unknown.contains("topology.kubernetes.io/zone"), "{unknown}");
    assert!(
        unknown.ends_with(
            "\nTopology labels were not checked because the dump lacks Nodes (cp-1); \
             create the dump with kubectl get pods,namespaces,nodes --all-namespaces -o json\n"
        ),
        "{unknown}"
    );
}

#[test]
fn rejects_an_invalid_dump_with_the_place() {
    let folder = Folder::new("bad-dumps");
    let pods = "create the dump with kubectl get pods,namespaces,nodes --all-namespaces -o json";
    for (input, message) in [
        (" \n", "standard input: is empty; expected Kubernetes objects or lists of objects"),
        (
            r#"{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {}}"#,
            "standard input: expected Kubernetes objects or lists of objects, found an AdmissionReview",
        ),
        (
            r#"{"uid": "1", "kind": {"group": "", "version": "v1", "kind": "Pod"}}"#,
            "standard input: expected Kubernetes objects or lists of objects, found an AdmissionRequest",
        ),
        (
            "---\n{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: 'b;c', \
             annotations: {kubernetes.io/config.mirror: x}}}",
            "standard input: Pod b;c/a: metadata.namespace: the API server does not accept this name; create a new dump",
        ),
        (
            "---\n{apiVersion: metrics.k8s.io/v1beta1, kind: Pod, metadata: {name: a, namespace: b}}",
            &*format!("standard input: has no v1 Pod; {pods}"),
        ),
        (NODE, &*format!("standard input: has no v1 Pod; {pods}")),
        (
            "---\n{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: b, labels: [x], \
             annotations: {kubernetes.io/config.mirror: x}}}",
            "standard input: Pod b/a: metadata.labels: expected an object, found an array",
        ),
        (
            "---\n{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: b, labels: {x: 7}, \
             annotations: {kubernetes.io/config.mirror: x}}}",
            "standard input: Pod b/a: metadata.labels.x: expected a string, found a number",
        ),
        (
            "---\n{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: b, labels: {'$(x)': a}, \
             annotations: {kubernetes.io/config.mirror: x}}}",
            "standard input: Pod b/a: metadata.labels[$(x)]: the API server does not accept this name; \
             create a new dump",
        ),
        (
            "---\n[{apiVersion: v1, kind: Namespace, metadata: {name: a, \
             annotations: {node.kubernetes.io/mirror.allowed-label-keys: 'a b'}}}]",
            "standard input: Namespace a: metadata.annotations[node.kubernetes.io/mirror.allowed-label-keys]: \
             contains an invalid label key; correct the annotation first",
        ),
        (
            "---\n{apiVersion: v1, kind: List, items: [{kind: Node}]}",
            "standard input: items[0].apiVersion: expected a non-empty string; add it",
        ),
    ] {
        assert_eq!(refused(&folder, &["mirror-labels", "-"], input), message, "{input}");
    }
    let missing = refused(&folder, &["mirror-labels", "gone.json"], "");
    assert!(missing.starts_with("gone.json: cannot be read"), "{missing}");
}

/// A list in JSON is read item by item, without what the audit does not need.
#[test]
fn a_list_in_json_has_the_findings_of_the_same_objects_in_yaml() {
    let folder = Folder::new("audit-lists");
    let pod = r#"{"apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": "web", "namespace": "shop", "managedFields": [{"manager": "kubectl"}],
            "labels": {"app": "web"}, "annotations": {"kubernetes.io/config.mirror": "x"}},
        "spec": {"nodeName": "n", "containers": [{"name": "web", "env": [{"name": "A", "value": "b"}],
            "securityContext": {"seLinuxOptions": {"level": "s0:c1,c2", "type": "spc_t"}}}]},
        "status": {"phase": "Running", "podIP": "192.0.2.1"}}"#;
    let namespace = r#"{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}"#;
    let list = |items: &str| format!(r#"{{"apiVersion": "v1", "items": [{items}], "kind": "List"}}"#);
    // selinux does not judge mirror pods.
    let ordinary = pod.replace("kubernetes.io/config.mirror", "a/b");
    for (name, pod) in [("mirror-labels", pod), ("selinux", &ordinary)] {
        folder.file("list.json", list(&format!("{pod}, {namespace}")));
        folder.file("objects.yaml", format!("{pod}\n---\n{namespace}\n"));
        let of = |file: &str| found(&folder, &[name, file, "-o", "json"]);
        assert_eq!(of("list.json"), of("objects.yaml"));
    }
    let text = found(&folder, &["selinux", "list.json"]);
    assert!(text.contains("Pod shop/web") && text.contains("spc_t"), "{text}");
    // Errors name the place, as in other dumps.
    let message = refused(&folder, &["selinux", "-"], &list(&format!("{namespace}, {namespace}")));
    assert_eq!(
        message,
        "standard input: items[1]: v1 Namespace shop is a duplicate of standard input: items[0]; remove one of the two"
    );
    let message = refused(&folder, &["selinux", "-"], &list(r#"{"kind": "Pod", "kind": "Pod"}"#));
    assert!(message.contains("duplicate"), "{message}");
}
