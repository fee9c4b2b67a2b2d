//! Requests that go through the rendered manifests: what stops while no policy server answers.

use kubewarden::matching::{Decision, Webhook};
use serde_json::{Map, Value, json};

use super::data;
use super::renderings::rendering;
use crate::files::read;

/// Returns the policies and groups of a rendering, with their names.
fn webhooks(name: &str) -> Vec<(String, Value, Webhook)> {
    let read = |object: Value| {
        let spec = object["spec"].clone();
        let name = object["metadata"]["name"].as_str()?.to_owned();
        let webhook = spec.get("rules").map(|_| Webhook::from_spec(&spec).unwrap())?;
        Some((name, spec, webhook))
    };
    rendering(name).into_iter().filter_map(read).collect()
}

#[test]
fn in_monitor_mode_a_dead_policy_server_stops_nothing() {
    let mut seen = 0;
    for name in ["default.yaml", "group.yaml"] {
        for (policy, spec, _) in webhooks(name) {
            assert_eq!(spec["mode"], "monitor", "{policy}");
            // Neither a call that fails nor a condition that is an error rejects the request.
            assert_eq!(spec["failurePolicy"], "Ignore", "{policy}");
            seen += 1;
        }
    }
    assert!(seen > 8, "{seen}");
}

/// A user of a request.
fn user(name: &str, groups: &[&str]) -> Value {
    json!({ "username": name, "groups": groups })
}

fn node() -> Value {
    user("system:node:worker-1", &["system:nodes", "system:authenticated"])
}

fn controller() -> Value {
    user("system:serviceaccount:kube-system:generic-garbage-collector", &["system:serviceaccounts"])
}

/// An update or deletion of a stored object.
fn request(operation: &str, resource: &str, user: &Value, object: &Value, old: &Value) -> Value {
    let (resource, subresource) = resource.split_once('/').unwrap_or((resource, ""));
    let group = match resource {
        "daemonsets" | "deployments" | "replicasets" | "statefulsets" => "apps",
        "cronjobs" | "jobs" => "batch",
        _ => "",
    };
    let mut request = json!({
        "uid": "1",
        "operation": operation,
        "kind": { "group": group, "version": "v1", "kind": old["kind"] },
        "resource": { "group": group, "version": "v1", "resource": resource },
        "name": old["metadata"]["name"],
        "userInfo": user,
        "oldObject": old,
    });
    if !subresource.is_empty() {
        request["subResource"] = json!(subresource);
    }
    if let Some(namespace) = old["metadata"]["namespace"].as_str() {
        request["namespace"] = json!(namespace);
    }
    if resource == "namespaces" {
        request["namespace"] = old["metadata"]["name"].clone();
    }
    if operation != "DELETE" {
        request["object"] = object.clone();
    }
    request
}

/// Returns a stored object of each resource that the policies evaluate.
fn stored() -> Map<String, Value> {
    serde_saphyr::from_str(&read(&data("stored.yaml"))).unwrap()
}

/// Returns the requests that keep a cluster alive, with a description of each.
fn vital() -> Vec<(String, Value)> {
    let mut requests = Vec::new();
    let mut add = |what: &str, operation: &str, resource: &str, user: &Value, object: &Value, old: &Value| {
        requests.push((
            format!("{what}: {operation} {resource}"),
            request(operation, resource, user, object, old),
        ));
    };
    for (resource, old) in stored() {
        let resource = resource.as_str();
        let mut without_finalizers = old.clone();
        without_finalizers["metadata"].as_object_mut().unwrap().remove("finalizers");
        let mut marked = old.clone();
        marked["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
        let mut reported = old.clone();
        reported["status"] = json!({ "conditions": [{ "type": "Ready", "status": "True" }] });
        add("a user deletes", "DELETE", resource, &user("alice", &["developers"]), &old, &old);
        add("a controller deletes", "DELETE", resource, &controller(), &old, &old);
        add("a controller removes finalizers", "UPDATE", resource, &controller(), &without_finalizers, &old);
        add("a controller marks", "UPDATE", resource, &controller(), &marked, &old);
        let status = format!("{resource}/status");
        add("a controller writes the status", "UPDATE", &status, &controller(), &reported, &old);
        if ["nodes", "pods"].contains(&resource) {
            add("a heartbeat", "UPDATE", &status, &node(), &reported, &old);
        }
        if resource == "pods" {
            add("a kubelet ends a pod", "DELETE", resource, &node(), &old, &old);
        }
        if resource == "namespaces" {
            let mut finalized = old.clone();
            finalized["spec"] = json!({});
            add(
                "the Namespace is finalized",
                "UPDATE",
                "namespaces/finalize",
                &controller(),
                &finalized,
                &old,
            );
        }
    }
    requests
}

#[test]
fn in_protect_mode_a_dead_policy_server_stops_no_vital_request() {
    let webhooks = webhooks("protect.yaml");
    let requests = vital();
    assert!(requests.len() > 60 && webhooks.len() == 8, "{} {}", requests.len(), webhooks.len());
    let namespace = json!({ "metadata": { "labels": { "kubernetes.io/metadata.name": "shop" } } });
    let mut kept_away = 0;
    for (what, request) in requests {
        for (policy, spec, webhook) in &webhooks {
            let decision = webhook.decide(&request, Some(&namespace));
            let stops = match decision {
                Decision::Called(_) | Decision::ConditionFailed(_) => spec["failurePolicy"] == "Fail",
                Decision::ConditionIsFalse(_) => {
                    kept_away += 1;
                    false
                }
                _ => false,
            };
            assert!(!stops, "{what}: {policy}: {decision:?}");
        }
    }
    // The conditions decide, and not the rules alone.
    assert!(kept_away > 30, "{kept_away}");
}

/// The two exceptions, which the pages on deployment name.
#[test]
fn a_node_that_deletes_its_node_or_evicts_a_pod_is_evaluated() {
    let old = stored().remove("nodes").unwrap();
    let deletion = request("DELETE", "nodes", &node(), &old, &old);
    let eviction = json!({
        "operation": "CREATE",
        "resource": { "group": "", "version": "v1", "resource": "pods" },
        "subResource": "eviction",
        "name": "web",
        "namespace": "shop",
        "userInfo": node(),
        "object": { "apiVersion": "policy/v1", "kind": "Eviction", "metadata": { "name": "web" } },
    });
    for request in [deletion, eviction] {
        let is_called =
            |(_, _, webhook): &(String, Value, Webhook)| webhook.decide(&request, None).is_called();
        assert!(webhooks("protect.yaml").iter().any(is_called), "{request}");
    }
}
