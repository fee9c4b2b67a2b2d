//! The webhooks whose calls are recorded.

use serde_json::{Value, json};

/// A rule that matches any resource.
fn any() -> Value {
    json!({ "apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*/*"], "operations": ["*"] })
}

/// A rule with another list or scope.
fn with(field: &str, value: Value) -> Value {
    let mut rule = any();
    rule[field] = value;
    json!({ "rules": [rule] })
}

fn rule(group: &str, version: &str, resource: &str) -> Value {
    json!({ "apiGroups": [group], "apiVersions": [version], "resources": [resource], "operations": ["*"] })
}

fn selector(name: &str, selector: &Value) -> Value {
    json!({ "rules": [any()], name: selector })
}

fn expression(key: &str, operator: &str, values: &[&str]) -> Value {
    json!({ "matchExpressions": [{ "key": key, "operator": operator, "values": values }] })
}

/// Returns the webhooks by name. The namespace `shop` has the label `stage=test`, the namespace
/// `live` has `stage=live`, and stored objects in `shop` have `app=web`.
pub(crate) fn webhooks() -> Vec<(&'static str, Value)> {
    let test = json!({ "matchLabels": { "stage": "test" } });
    let web = json!({ "matchLabels": { "app": "web" } });
    vec![
        ("everything", with("operations", json!(["*"]))),
        // Each form of a resource.
        ("resource", with("resources", json!(["pods"]))),
        ("resource-and-subresources", with("resources", json!(["pods/*"]))),
        ("status-of-a-resource", with("resources", json!(["pods/status"]))),
        ("several-subresources", with("resources", json!(["pods/exec", "pods/binding", "pods/eviction"]))),
        ("all-resources", with("resources", json!(["*"]))),
        ("scale-of-all", with("resources", json!(["*/scale"]))),
        ("status-of-all", with("resources", json!(["*/status"]))),
        ("scale-of-deployments", json!({ "rules": [rule("apps", "v1", "deployments/scale")] })),
        // The kind of this subresource is in the group autoscaling, the resource is not.
        ("scale-by-its-kind", json!({ "rules": [rule("autoscaling", "v1", "*/*")] })),
        // Groups, versions and operations.
        ("core-group", with("apiGroups", json!([""]))),
        ("group-apps", with("apiGroups", json!(["apps"]))),
        ("version-v1", {
            let mut of = with("apiVersions", json!(["v1"]));
            of["matchPolicy"] = json!("Exact");
            of
        }),
        ("version-v1beta1", {
            let mut of = with("apiVersions", json!(["v1beta1"]));
            of["matchPolicy"] = json!("Exact");
            of
        }),
        ("creations", with("operations", json!(["CREATE"]))),
        ("updates", with("operations", json!(["UPDATE"]))),
        ("deletions", with("operations", json!(["DELETE"]))),
        ("connections", with("operations", json!(["CONNECT"]))),
        ("creations-and-deletions", with("operations", json!(["CREATE", "DELETE"]))),
        ("second-rule", json!({ "rules": [rule("apps", "v1", "deployments"), rule("", "v1", "services")] })),
        // Scopes.
        ("scope-any", with("scope", json!("*"))),
        ("scope-cluster", with("scope", json!("Cluster"))),
        ("scope-namespaced", with("scope", json!("Namespaced"))),
        ("namespaces", with("resources", json!(["namespaces", "namespaces/*"]))),
        // Selectors.
        ("namespace-labels", selector("namespaceSelector", &test)),
        ("namespace-in", selector("namespaceSelector", &expression("stage", "In", &["test", "other"]))),
        ("namespace-not-in", selector("namespaceSelector", &expression("stage", "NotIn", &["test"]))),
        ("namespace-exists", selector("namespaceSelector", &expression("stage", "Exists", &[]))),
        (
            "namespace-does-not-exist",
            selector("namespaceSelector", &expression("stage", "DoesNotExist", &[])),
        ),
        ("object-labels", selector("objectSelector", &web)),
        ("object-in", selector("objectSelector", &expression("app", "In", &["web", "db"]))),
        ("object-not-in", selector("objectSelector", &expression("app", "NotIn", &["web"]))),
        ("object-exists", selector("objectSelector", &expression("app", "Exists", &[]))),
        ("object-does-not-exist", selector("objectSelector", &expression("app", "DoesNotExist", &[]))),
        ("both-selectors", {
            let mut of = selector("objectSelector", &web);
            of["namespaceSelector"] = test;
            of
        }),
        // Equivalent resources.
        ("widgets-v1", json!({ "rules": [rule("example.com", "v1", "widgets")] })),
        (
            "widgets-v1-exact",
            json!({ "rules": [rule("example.com", "v1", "widgets")], "matchPolicy": "Exact" }),
        ),
        ("widgets-v0", json!({ "rules": [rule("example.com", "v0", "widgets")] })),
        ("widgets-status-v1", json!({ "rules": [rule("example.com", "v1", "widgets/status")] })),
        ("ingresses", json!({ "rules": [rule("networking.k8s.io", "v1", "ingresses")] })),
        (
            "ingresses-exact",
            json!({ "rules": [rule("networking.k8s.io", "v1", "ingresses")], "matchPolicy": "Exact" }),
        ),
        ("autoscalers", json!({ "rules": [rule("autoscaling", "v1", "horizontalpodautoscalers")] })),
        ("core-events", json!({ "rules": [rule("", "v1", "events")] })),
    ]
}
