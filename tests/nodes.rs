//! The policies `node-labels` and `node-pods` beyond their cases: properties of all requests, and
//! large requests.

use std::sync::Arc;

use admission::PolicyEntry;
use cluster_objects::Objects;
use harness::{Case, judge, load_dir};
use proptest::prelude::*;
use rules::node_labels::NodeLabels;
use serde_json::{Map, Value, json};
use wapc_host::{AdmissionRequest, Deployment, Host, Resource};

fn entry(id: &str) -> &'static PolicyEntry {
    rules::find(id).unwrap()
}

fn cases(id: &str) -> Vec<Case> {
    load_dir(&tests::root().join("policies").join(id).join("cases")).unwrap()
}

#[test]
fn users_other_than_nodes_are_not_restricted() {
    let others = [
        json!({ "username": "kubernetes-admin", "groups": ["system:masters", "system:authenticated"] }),
        json!({ "username": "system:node:worker-1", "groups": ["system:authenticated"] }),
        json!({ "username": "worker-1", "groups": ["system:nodes", "system:authenticated"] }),
        json!({ "username": "System:node:worker-1", "groups": ["system:nodes"] }),
        json!({ "username": "system:node:worker-1", "groups": ["system:nodes:x", "System:nodes"] }),
        json!({ "username": "system:bootstrap:abcdef", "groups": ["system:bootstrappers", "system:nodes"] }),
        json!({}),
    ];
    for id in ["node-labels", "node-pods"] {
        for case in cases(id) {
            // A malformed request cannot be judged for any user.
            if case.want.settings_error.is_some() || case.request.contains_key("operation") {
                continue;
            }
            for user in &others {
                let mut case = case.clone();
                case.user = Some(user.clone());
                case.request.remove("userInfo");
                let outcome = judge::natively(entry(id), &case).unwrap().outcome;
                assert_eq!(outcome.admitted, Some(true), "{} as {user}: {outcome:?}", case.place());
                assert!(
                    outcome.asked.is_empty() && outcome.warnings.is_empty(),
                    "{}: {outcome:?}",
                    case.place()
                );
            }
        }
    }
}

#[test]
fn warnings_fit_on_one_line() {
    for entry in rules::CATALOG {
        for case in cases(entry.id) {
            for warning in &case.want.warnings {
                let fits = warning.chars().count() <= 120 && !warning.contains(char::is_control);
                assert!(fits, "{}: {warning:?}", case.place());
            }
        }
    }
}

/// The rule for labels as KEP-279 and the in-tree plugin state it, with the list of each.
fn is_forbidden(key: &str, profile: &str) -> bool {
    let Some((domain, _)) = key.split_once('/') else { return false };
    let within = |other: &str| domain == other || domain.ends_with(&format!(".{other}"));
    if within("node-restriction.kubernetes.io") {
        return true;
    }
    let kep = [
        "kubernetes.io/hostname",
        "kubernetes.io/instance-type",
        "kubernetes.io/os",
        "kubernetes.io/arch",
        "beta.kubernetes.io/instance-type",
        "beta.kubernetes.io/os",
        "beta.kubernetes.io/arch",
        "failure-domain.beta.kubernetes.io/zone",
        "failure-domain.beta.kubernetes.io/region",
        "failure-domain.kubernetes.io/zone",
        "failure-domain.kubernetes.io/region",
    ];
    let in_tree = [
        "kubernetes.io/hostname",
        "kubernetes.io/os",
        "kubernetes.io/arch",
        "beta.kubernetes.io/os",
        "beta.kubernetes.io/arch",
        "beta.kubernetes.io/instance-type",
        "node.kubernetes.io/instance-type",
        "failure-domain.beta.kubernetes.io/zone",
        "failure-domain.beta.kubernetes.io/region",
        "topology.kubernetes.io/zone",
        "topology.kubernetes.io/region",
    ];
    let listed = match profile {
        "Kep279" => kep.contains(&key),
        "InTree" => in_tree.contains(&key),
        _ => kep.contains(&key) || in_tree.contains(&key),
    };
    let unrestricted = within("kubelet.kubernetes.io") || within("node.kubernetes.io");
    (within("kubernetes.io") || within("k8s.io")) && !listed && !unrestricted
}

proptest! {
    #[test]
    fn judges_labels_like_the_kep_and_the_plugin(
        prefix in prop::sample::select(vec![
            "", "x.", "evil", "node-restriction.", "x.node-restriction.", "kubelet.", "node.", "mynode.", "beta.",
            "failure-domain.", "failure-domain.beta.", "topology.", "kubelet.node-restriction.",
            "node-restriction.node.", "node-role.",
        ]),
        domain in prop::sample::select(vec!["kubernetes.io", "k8s.io", "x-k8s.io", "kubernetes.io.example", "Kubernetes.io"]),
        name in prop::sample::select(vec![
            "/hostname", "/os", "/arch", "/instance-type", "/zone", "/region", "/x", "/a/b", "/", "",
        ]),
        profile in prop::sample::select(vec!["Union", "Kep279", "InTree"]),
    ) {
        let key = format!("{prefix}{domain}{name}");
        let settings = json!({ "labelProfile": profile }).to_string();
        let policy = admission::configure::<NodeLabels>(settings.as_bytes()).unwrap();
        prop_assert_eq!(policy.objection(&key).is_some(), is_forbidden(&key, profile), "{}", key);
    }
}

fn user() -> Value {
    json!({ "username": "system:node:worker-1", "groups": ["system:nodes", "system:authenticated"] })
}

fn request(kind: &str, operation: &str, subresource: &str, object: &Value, old: Option<&Value>) -> Value {
    let mut request = json!({
        "uid": "1",
        "kind": { "group": "", "version": "v1", "kind": kind },
        "resource": { "group": "", "version": "v1", "resource": format!("{}s", kind.to_lowercase()) },
        "operation": operation,
        "subResource": subresource,
        "name": object["metadata"]["name"],
        "userInfo": user(),
        "object": object,
    });
    if let Some(namespace) = object["metadata"].get("namespace") {
        request["namespace"] = namespace.clone();
    }
    if let Some(old) = old {
        request["oldObject"] = old.clone();
    }
    request
}

fn labels(count: usize) -> Map<String, Value> {
    (0..count).map(|index| (format!("example.com/label-{index:06}"), json!("x"))).collect()
}

fn node(labels: &Map<String, Value>) -> Value {
    json!({ "apiVersion": "v1", "kind": "Node", "metadata": { "name": "worker-1", "labels": labels } })
}

fn mirror_pod(labels: &Map<String, Value>) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": "static-worker-1",
            "namespace": "kube-system",
            "annotations": { "kubernetes.io/config.mirror": "x" },
            "labels": labels,
        },
        "spec": { "nodeName": "worker-1" },
    })
}

fn cluster() -> Arc<Objects> {
    let objects = json!([
        { "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": "kube-system" } },
        { "apiVersion": "v1", "kind": "Node", "metadata": { "name": "worker-1", "uid": "1b2c" } },
    ]);
    Arc::new(Objects::from_values(serde_json::from_value(objects).unwrap()).unwrap())
}

/// Returns the response of the module in the embedded host.
fn judged(id: &str, settings: Value, request: Value) -> wapc_host::AdmissionResponse {
    let host = Host::new().unwrap();
    let module = host.load(&tests::module(id).unwrap()).unwrap();
    let resource = |kind: &str| Resource { api_version: "v1".into(), kind: kind.into() };
    let deployment = Deployment {
        settings,
        allowed_to_mutate: true,
        host_capabilities: vec!["kubernetes/get_resource".into()],
        context_aware_resources: vec![resource("Namespace"), resource("Node")],
        timeout: tests::PATIENCE,
        ..Deployment::new(id)
    };
    let request = AdmissionRequest::from_value(request).unwrap();
    module.deploy(deployment).unwrap().validate(&request, &cluster()).response
}

fn message(response: wapc_host::AdmissionResponse) -> String {
    response.status.unwrap().message.unwrap()
}

#[test]
fn judges_each_of_a_thousand_labels() {
    let mut old = labels(1_000);
    old.insert("node-restriction.kubernetes.io/team".into(), json!("a"));
    let mut new = labels(1_000);
    new.insert("kubernetes.io/os".into(), json!("linux"));
    new.insert("k8s.io/x".into(), json!(""));
    let response =
        judged("node-labels", json!({}), request("Node", "UPDATE", "", &node(&new), Some(&node(&old))));
    let message = message(response);
    let places: Vec<&str> = message.lines().filter_map(|line| line.split(": ").next()).collect();
    assert_eq!(
        places,
        ["metadata.labels[k8s.io/x]", "oldObject.metadata.labels[node-restriction.kubernetes.io/team]"],
    );
}

/// Returns labels with the shortest possible keys, so that many fit into a request.
fn short(count: usize, domain: &str) -> Map<String, Value> {
    (0..count).map(|index| (format!("{domain}/{index:x}"), json!(""))).collect()
}

/// Returns whether a response is a verdict of the policy. The response to a trap has no code and
/// another message.
fn is_a_verdict(response: &wapc_host::AdmissionResponse) -> bool {
    response.allowed
        || response.status.as_ref().is_some_and(|status| {
            let message = status.message.as_deref().unwrap_or_default();
            status.code == Some(403) || message.contains(": cannot judge this request: ")
        })
}

#[test]
fn judges_labels_of_five_megabytes() {
    let many = short(400_000, "a");
    assert!(node(&many).to_string().len() > 4_500_000);
    let protected = json!({ "protectedLabelPrefixes": ["a"] });
    let create = request("Node", "CREATE", "", &node(&many), None);
    let denied = message(judged("node-labels", protected.clone(), create.clone()));
    assert!(tests::counts_the_rest(&denied, 400_000), "{}", denied.len());
    let warns = json!({ "protectedLabelPrefixes": ["a"], "mode": "Warn" });
    let warned = judged("node-labels", warns, create);
    let warning = warned.warnings.as_ref().unwrap();
    let counted =
        |warning: &str, listed: usize| warning.ends_with(&format!(" and {} more", 400_000 - listed));
    assert!(counted(&warning[0], warning[0].matches("a/").count()), "{warning:?}");
    let annotation = &warned.audit_annotations.unwrap()["forbidden-labels"];
    assert!(counted(annotation, annotation.matches("a/").count()) && annotation.len() <= 8 << 10);
    let half = short(200_000, "a");
    let same = request("Node", "UPDATE", "status", &node(&half), Some(&node(&half)));
    assert!(judged("node-labels", protected, same).allowed);

    let create = request("Pod", "CREATE", "", &mirror_pod(&many), None);
    let denied = message(judged("node-pods", json!({}), create.clone()));
    assert!(tests::counts_the_rest(&denied, 400_000), "{}", denied.len());
    let warned = judged("node-pods", json!({ "mode": "Warn" }), create.clone());
    let warning = warned.warnings.unwrap().remove(0);
    assert!(counted(&warning, warning.matches("a/").count()), "{warning}");
    let too_much = message(judged("node-pods", json!({ "mode": "Munge" }), create));
    assert!(
        too_much.starts_with("metadata.labels: Forbidden: the record of the removed labels"),
        "{too_much}"
    );
    let same = request("Pod", "UPDATE", "status", &mirror_pod(&half), Some(&mirror_pod(&half)));
    assert!(judged("node-pods", json!({}), same).allowed);
}

#[test]
fn munges_a_huge_mirror_pod_within_the_memory_limit() {
    let mut many = short(250_000, "a");
    many.insert("k8s-app".into(), json!("dns"));
    let munges = json!({ "mode": "Munge", "labelMode": "DenyList" });
    let response =
        judged("node-pods", munges.clone(), request("Pod", "CREATE", "", &mirror_pod(&many), None));
    assert!(response.allowed && response.patch.is_some(), "{:?}", response.status);
    for (count, domain) in [(300_000, "a"), (500_000, "b"), (600_000, "c")] {
        for settings in [json!({}), munges.clone(), json!({ "mode": "Warn", "allowedLabelKeys": ["x"] })] {
            let pod = mirror_pod(&short(count, domain));
            let response = judged("node-pods", settings, request("Pod", "CREATE", "", &pod, None));
            assert!(is_a_verdict(&response), "{count}: {:?}", response.status);
        }
        for settings in [json!({ "protectedLabelPrefixes": [domain] }), json!({ "mode": "Warn" })] {
            let node = node(&short(count, domain));
            let response = judged("node-labels", settings, request("Node", "CREATE", "", &node, None));
            assert!(is_a_verdict(&response), "{count}: {:?}", response.status);
        }
    }
}

#[test]
fn munged_pods_are_admitted_with_the_same_settings() {
    let mut munged = 0;
    for case in cases("node-pods") {
        let Some(object) = case.want.mutated.clone() else { continue };
        let mut guard = case.clone();
        guard.object = Some(object);
        guard.settings["mode"] = json!("Reject");
        let outcome = judge::natively(entry("node-pods"), &guard).unwrap().outcome;
        assert_eq!(outcome.admitted, Some(true), "{}: {outcome:?}", case.place());
        munged += 1;
    }
    assert!(munged > 5);
}
