//! The ladder of `docs/rolling-out.md`, from the audit of files to protection, and back.

use std::process::Command;

use serde_json::{Value, json};
use tests::root;

use crate::cluster::{Cluster, Expect as _, create};
use crate::kubewarden::Kubewarden;
use crate::policy::Policy;

const POLICY: &str = "external-ips";
const LEVELS: &str = "pod-security-test";

fn is_not_allowed(address: &str, namespace: &str) -> String {
    format!(
        "spec.externalIPs[0]: Invalid value: \"{address}\": no rule allows this address in namespace \"{namespace}\"; \
         use an address that a rule allows, or remove it"
    )
}

fn service(name: &str, address: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": { "name": name, "namespace": "live" },
        "spec": { "ports": [{ "port": 80 }], "externalIPs": [address] },
    })
}

/// A pod that violates the level `baseline`.
fn pod(namespace: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": { "name": "host", "namespace": namespace },
        "spec": { "hostNetwork": true, "containers": [{ "name": "app", "image": "registry.example/app:1" }] },
    })
}

pub(crate) fn rungs(cluster: &Cluster) {
    let (used, other) = ("192.0.2.7", "198.51.100.9");
    let jane = cluster.user("jane");
    cluster.namespace("live", &json!({ "labels": { "example.com/stage": "live" } }));
    cluster.namespace("staging", &json!({ "labels": { "example.com/stage": "staging" } }));
    create(&jane, &service("before", used)).succeeded();

    // 1. Audit files.
    audit(cluster, used);

    // 3. Deploy in monitor mode. 4. Read the findings.
    let mut kubewarden = Kubewarden::deploy(cluster, &[Policy::monitor(POLICY, POLICY, &json!({}))]);
    create(&jane, &service("monitored", used)).succeeded();
    create(&jane, &service("plain", used)).succeeded();
    let found = kubewarden.server.findings();
    assert_eq!(found.len(), 2, "{found:#?}");
    assert!(found[0].contains("Services may not claim new external IPs; remove it"), "{}", found[0]);

    // 5. Allow what is in use: no more findings.
    let allow = json!({ "allow": [{ "cidrs": ["192.0.2.0/24"] }] });
    kubewarden.change(&[Policy::monitor(POLICY, POLICY, &allow)]);
    create(&jane, &service("allowed", used)).succeeded();
    assert_eq!(kubewarden.server.findings(), [""; 0]);

    // 6. Protect some namespaces.
    let mut levels = Policy::protect("pod-security", LEVELS, &json!({ "level": "baseline" }));
    let of_tests = json!({ "key": "example.com/stage", "operator": "In", "values": ["test", "staging"] });
    levels.manifest["spec"]["namespaceSelector"] = json!({ "matchExpressions": [of_tests] });
    kubewarden.change(&[Policy::monitor(POLICY, POLICY, &allow), levels]);
    let is_in_use =
        "spec.hostNetwork: Invalid value: true: Host Namespaces (baseline) allows only false; remove it";
    create(&jane, &pod("staging")).denied_by(LEVELS, is_in_use);
    create(&jane, &pod("live")).succeeded();

    // 7. Protect.
    kubewarden.change(&[Policy::protect(POLICY, POLICY, &allow)]);
    let webhook =
        "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/clusterwide-external-ips";
    assert_eq!(cluster.stored(webhook, "/webhooks/0/failurePolicy"), "Fail");
    create(&jane, &service("denied", other)).denied_by(POLICY, &is_not_allowed(other, "live"));
    create(&jane, &service("in-range", used)).succeeded();
    check(cluster);

    // From protect back to monitor: delete the policy and create it again.
    kubewarden.change(&[]);
    create(&jane, &service("meanwhile", other)).succeeded();
    kubewarden.change(&[Policy::monitor(POLICY, POLICY, &allow)]);
    create(&jane, &service("back", other)).succeeded();
    assert_eq!(kubewarden.server.findings().len(), 1);
    drop(kubewarden);
}

/// The command of rung 1, on what the cluster has stored.
fn audit(cluster: &Cluster, used: &str) {
    let stored =
        cluster.server.kubectl(&["get", "services", "--all-namespaces", "--output", "json"]).unwrap();
    let file = cluster.server.folder().join("services.json");
    std::fs::write(&file, stored).unwrap();
    let output = Command::new(root().join("target/debug/portcullis"))
        .args(["scan", "--policy", POLICY, "--output", "json"])
        .arg(file)
        .output()
        .expect("target/debug/portcullis; build it with cargo build -p portcullis");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let findings = report["findings"].as_array().unwrap().iter();
    let listed: Vec<[&str; 2]> = findings
        .filter(|finding| finding["object"]["namespace"] == "live")
        .map(|finding| [&finding["object"]["name"], &finding["message"]].map(|text| text.as_str().unwrap()))
        .collect();
    assert!(matches!(listed.as_slice(), [["before", message]] if message.contains(used)), "{report}");
}

/// "Check that it works" of `docs/getting-started.md`.
fn check(cluster: &Cluster) {
    let commands: [&[&str]; 3] = [
        &["create", "service", "clusterip", "probe", "--tcp=80"],
        &[
            "patch",
            "service",
            "probe",
            "--patch",
            r#"{"spec":{"externalIPs":["203.0.113.7"]}}"#,
            "--dry-run=server",
        ],
        &["delete", "service", "probe"],
    ];
    let [create, patch, delete] = commands.map(|command| cluster.user("jane").kubectl(command));
    create.succeeded();
    patch.denied_by(POLICY, &is_not_allowed("203.0.113.7", "default"));
    delete.succeeded();
}
