//! Generated webhooks.

use kubewarden::matching::Webhook;
use serde_json::{Value, json};
use tests::random::Random;

const GROUPS: &[&str] =
    &["", "apps", "autoscaling", "example.com", "events.k8s.io", "networking.k8s.io", "policy", "*"];
const VERSIONS: &[&str] = &["v1", "v1", "v1beta1", "v2", "*"];
const RESOURCES: &[&str] = &[
    "pods",
    "pods/*",
    "pods/status",
    "pods/exec",
    "pods/eviction",
    "pods/binding",
    "pods/resize",
    "deployments",
    "deployments/scale",
    "services",
    "configmaps",
    "events",
    "horizontalpodautoscalers",
    "ingresses",
    "namespaces",
    "namespaces/status",
    "nodes",
    "nodes/status",
    "clusterroles",
    "selfsubjectaccessreviews",
    "validatingwebhookconfigurations",
    "serviceaccounts/token",
    "widgets",
    "widgets/status",
    "*",
    "*/*",
    "*/scale",
    "*/status",
];
const OPERATIONS: &[&str] = &["CREATE", "UPDATE", "DELETE", "CONNECT", "*"];
const LABELS: &[(&str, &[&str])] = &[
    ("app", &["web", "db", ""]),
    ("stage", &["test", "live"]),
    ("kubernetes.io/metadata.name", &["shop", "live", "new"]),
];

/// Returns the fields of a webhook that API servers accept.
pub(crate) fn webhook(random: &mut Random) -> Value {
    loop {
        let spec = spec(random);
        if Webhook::from_spec(&spec).is_ok() {
            return spec;
        }
    }
}

fn spec(random: &mut Random) -> Value {
    let rules: Vec<Value> = (0..=random.below(3)).map(|_| rule(random)).collect();
    let mut spec = json!({ "rules": rules });
    match random.below(4) {
        0 => spec["matchPolicy"] = json!("Exact"),
        1 => spec["matchPolicy"] = json!("Equivalent"),
        _ => {}
    }
    for field in ["namespaceSelector", "objectSelector"] {
        if random.below(3) == 0 {
            spec[field] = selector(random);
        }
    }
    spec
}

fn rule(random: &mut Random) -> Value {
    let mut some = |values: &[&str]| -> Vec<String> {
        // Half of the rules match everything in a field: most others match no request.
        match random.below(4) {
            0 | 1 if values.contains(&"*/*") => vec!["*/*".to_owned()],
            0 | 1 => vec!["*".to_owned()],
            number => (1..number).map(|_| (*random.pick(values)).to_owned()).collect(),
        }
    };
    let mut rule = json!({
        "apiGroups": some(GROUPS),
        "apiVersions": some(VERSIONS),
        "resources": some(RESOURCES),
        "operations": some(OPERATIONS),
    });
    if random.below(3) == 0 {
        rule["scope"] = json!(random.pick(&["*", "Cluster", "Namespaced"]));
    }
    rule
}

fn selector(random: &mut Random) -> Value {
    let expressions: Vec<Value> = (0..=random.below(2)).map(|_| expression(random)).collect();
    let mut selector = json!({ "matchExpressions": expressions });
    if random.below(3) == 0 {
        let (key, values) = random.pick(LABELS);
        selector["matchLabels"] = json!({ *key: random.pick(values) });
    }
    selector
}

fn expression(random: &mut Random) -> Value {
    let (key, values) = random.pick(LABELS);
    match random.below(4) {
        0 => json!({ "key": key, "operator": "Exists" }),
        1 => json!({ "key": key, "operator": "DoesNotExist" }),
        other => {
            let operator = if other == 2 { "In" } else { "NotIn" };
            let values: Vec<&str> = (0..=random.below(2)).map(|_| *random.pick(values)).collect();
            json!({ "key": key, "operator": operator, "values": values })
        }
    }
}
