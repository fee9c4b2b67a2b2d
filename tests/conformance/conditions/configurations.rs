//! Rules, names and selectors, by table and with random changes.

use serde_json::{Value, json};
use tests::random::Random;

const RESOURCES: &[&str] =
    &["pods", "*", "*/*", "pods/*", "*/status", "pods/status", "nodes", "", "pods/", "/status", "*/"];
const GROUPS: &[&str] = &["", "apps", "*", "policies.kubewarden.io"];
const VERSIONS: &[&str] = &["v1", "v1beta1", "*", ""];
const OPERATIONS: &[&str] = &["CREATE", "UPDATE", "DELETE", "CONNECT", "*"];
const SCOPES: &[&str] = &["*", "Cluster", "Namespaced", "cluster", ""];
const POLICIES: &[&str] = &["Exact", "Equivalent", "exact", ""];
const NAMES: &[&str] = &[
    "a",
    "only-pods",
    "example.com/only-pods",
    "A.b_c-d",
    "9",
    "a/b",
    "",
    "-a",
    "a-",
    "a b",
    "a/b/c",
    "/a",
    "a/",
    "A.b/c",
    "é",
    "a..b/c",
    "a.-b/c",
    "_a",
    "a_",
    ".a",
    "*",
];
const VALUES: &[&str] = &["a", "", "A-1_b.c", "-a", "a-", "a b", "a/b", "é", "_", "9"];
const OPERATORS: &[&str] = &["In", "NotIn", "Exists", "DoesNotExist", "Equals", "in", ""];
const CONDITIONS: &[&str] =
    &["true", "object == null", "object", "1", "", " ", "true ", "\ttrue\n", "true ||", "x"];

/// Returns every configuration that differs from an accepted one in one value of the tables, and
/// pairs of the values of lists.
pub fn by_table() -> Vec<Value> {
    let mut found = vec![webhook(|_| {})];
    let lists = [
        ("resources", RESOURCES),
        ("apiGroups", GROUPS),
        ("apiVersions", VERSIONS),
        ("operations", OPERATIONS),
    ];
    for (field, values) in lists {
        found.push(webhook(|spec| spec["rules"][0][field] = json!([])));
        for first in values {
            found.push(webhook(|spec| spec["rules"][0][field] = json!([first])));
            for second in values {
                found.push(webhook(|spec| spec["rules"][0][field] = json!([first, second])));
            }
        }
    }
    found.push(webhook(|spec| spec["rules"][0]["operations"] = json!(["create"])));
    for scope in SCOPES {
        found.push(webhook(|spec| spec["rules"][0]["scope"] = json!(scope)));
    }
    for policy in POLICIES {
        found.push(webhook(|spec| spec["matchPolicy"] = json!(policy)));
    }
    let long = [62, 63, 64, 253, 254].map(|length| "a".repeat(length));
    let domains = [long[0].clone() + "/a", long[3].clone() + "/a", long[4].clone() + "/a"];
    for name in NAMES.iter().copied().chain(long.iter().chain(&domains).map(String::as_str)) {
        found.push(webhook(|spec| spec["matchConditions"] = json!([{ "name": name, "expression": "true" }])));
        found.push(webhook(|spec| spec["objectSelector"] = json!({ "matchLabels": { name: "a" } })));
        found.push(webhook(|spec| {
            spec["namespaceSelector"] =
                json!({ "matchExpressions": [{ "key": name, "operator": "Exists" }] });
        }));
    }
    for value in VALUES.iter().copied().chain(long.iter().map(String::as_str)) {
        found.push(webhook(|spec| spec["objectSelector"] = json!({ "matchLabels": { "a": value } })));
        found.push(webhook(|spec| {
            let values =
                json!({ "matchExpressions": [{ "key": "a", "operator": "NotIn", "values": ["b", value] }] });
            spec["namespaceSelector"] = values;
        }));
    }
    for operator in OPERATORS {
        for values in [json!([]), json!(["a"]), json!(["a", "b"]), json!(["a b"])] {
            found.push(webhook(|spec| {
                let one = json!({ "key": "a", "operator": operator, "values": values });
                spec["objectSelector"] = json!({ "matchExpressions": [one] });
            }));
        }
    }
    for expression in CONDITIONS {
        found.push(webhook(|spec| {
            spec["matchConditions"] = json!([{ "name": "a", "expression": expression }]);
        }));
    }
    for count in [64, 65] {
        let names = (0..count).map(|at| json!({ "name": format!("c{at}"), "expression": "true" }));
        found.push(webhook(|spec| spec["matchConditions"] = names.collect()));
    }
    let twice = json!([{ "name": "a", "expression": "true" }, { "name": "a", "expression": "false" }]);
    found.push(webhook(|spec| spec["matchConditions"] = twice));
    found
}

pub fn random(random: &mut Random) -> Value {
    let mut list = |values: &[&str], most: usize| -> Vec<String> {
        (0..=random.below(most)).map(|_| (*random.pick(values)).to_owned()).collect()
    };
    let rule = json!({
        "resources": list(&RESOURCES[..7], 3),
        "apiGroups": list(GROUPS, 1),
        "apiVersions": list(&VERSIONS[..3], 1),
        "operations": list(OPERATIONS, 1),
    });
    let values = list(&VALUES[..4], 2);
    webhook(|spec| {
        spec["rules"] = json!([rule]);
        let name = if random.below(4) == 0 { *random.pick(NAMES) } else { "a" };
        spec["objectSelector"] = match random.below(4) {
            0 => json!({ "matchLabels": { name: values[0] } }),
            1 => {
                let operator = random.pick(&OPERATORS[..4]);
                json!({ "matchExpressions": [{ "key": name, "operator": operator, "values": values }] })
            }
            _ => json!({}),
        };
        let condition = if random.below(6) == 0 { *random.pick(CONDITIONS) } else { "true" };
        spec["matchConditions"] = json!([{ "name": name, "expression": condition }]);
    })
}

fn webhook(change: impl FnOnce(&mut Value)) -> Value {
    let mut spec = json!({
        "rules": [{ "apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"] }],
    });
    change(&mut spec);
    spec
}
