//! The values of the chart: their schema, their checks and their documentation.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fmt::Write as _;
use std::fs;

use serde_json::{Map, Value, json};

use crate::definitions::violations;
use crate::renderings::helm;
use crate::{chart_folder, items, parse_one, read, texts};

/// Collects the places in values that the schema of the chart describes, except the settings of
/// modules.
fn places(path: &str, value: &Value, found: &mut Vec<String>) {
    if !path.is_empty() {
        found.push(path.to_owned());
    }
    match value {
        Value::Object(fields) if !path.ends_with("/settings") => {
            for (name, field) in fields {
                places(&format!("{path}/{}", name.replace('/', "~1")), field, found);
            }
        }
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                places(&format!("{path}/{at}"), item, found);
            }
        }
        _ => {}
    }
}

#[test]
fn rejects_values_of_a_wrong_type() {
    let schema = parse_one(&chart_folder().join("values.schema.json"));
    let values = parse_one(&chart_folder().join("values.yaml"));
    let validator = jsonschema::draft7::new(&schema).unwrap();
    let rejected = |values: &Value| violations(&validator, values);
    assert_eq!(rejected(&values), Vec::<String>::new());
    let mut paths = Vec::new();
    places("", &values, &mut paths);
    assert!(paths.len() > 200);
    for path in paths {
        let mut wrong = values.clone();
        let value = wrong.pointer_mut(&path).unwrap();
        *value = if value.is_string() { json!(7) } else { json!("wrong") };
        assert!(!rejected(&wrong).is_empty(), "{path}: {}", wrong.pointer(&path).unwrap());
    }
    for (path, key) in
        [("", "modes"), ("/module", "digest"), ("/rbac", "roles"), ("/policies/node-pods", "setting")]
    {
        let mut wrong = values.clone();
        let fields = wrong.pointer_mut(path).unwrap().as_object_mut().unwrap();
        fields.insert(key.to_owned(), json!("a"));
        assert!(!rejected(&wrong).is_empty(), "{path}/{key}");
    }
    for (path, value) in [
        ("/mode", json!("audit")),
        ("/timeoutSeconds", json!(31)),
        ("/policies/node-pods/severity", json!("severe")),
        ("/module/digests", json!({ "selinux": "sha256:short" })),
        ("/policies", json!({ "Node_Pods": values["policies"]["node-pods"] })),
        ("/policies/node-pods", json!({ "enabled": true })),
    ] {
        let mut wrong = values.clone();
        *wrong.pointer_mut(path).unwrap() = value;
        assert!(!rejected(&wrong).is_empty(), "{path}: {}", wrong.pointer(path).unwrap());
    }
}

/// The chart rejects values that a schema cannot describe.
#[test]
fn helm_rejects_invalid_values() {
    for (at, (values, message)) in [
        ("mode: 7", "mode"),
        ("timeoutEvalSeconds: 9", "timeoutEvalSeconds is greater than timeoutSeconds"),
        (
            "policies: { external-ips: { settings: { fields: [spec.loadBalancerIP] } } }",
            "do not match its requests",
        ),
        ("groups: { restricted-or-confined: { enabled: true, timeoutSeconds: 5 } }", "add up to more"),
    ]
    .into_iter()
    .enumerate()
    {
        let file = env::temp_dir().join(format!("portcullis-values-{}-{at}.yaml", std::process::id()));
        fs::write(&file, values).unwrap();
        let rendered = helm(Some(&file));
        fs::remove_file(&file).unwrap();
        let Some(rendered) = rendered else { return };
        let error = rendered.expect_err(values);
        assert!(error.contains(message), "{values}: {error}");
    }
}

#[test]
fn the_chart_has_the_version_of_its_policies() {
    let chart = parse_one(&chart_folder().join("Chart.yaml"));
    assert_eq!(chart["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(chart["appVersion"], env!("CARGO_PKG_VERSION"));
}

/// Appends the rows for the values below a schema, with their defaults.
fn rows(schema: &Value, values: &Value, path: &str, table: &mut String) {
    let properties: BTreeMap<&String, &Value> = schema["properties"].as_object().unwrap().iter().collect();
    for (name, below) in properties {
        let path = format!("{path}{name}");
        let value = &values[name];
        if below.get("properties").is_some() {
            rows(below, value, &format!("{path}."), table);
        } else {
            let short = value.is_null() || (value.is_object() && *value != json!({}));
            let value = if short { String::new() } else { format!("`{value}`") };
            writeln!(table, "| `{path}` | {value} | {} |", below["description"].as_str().unwrap()).unwrap();
        }
    }
}

#[test]
fn the_readme_of_the_chart_describes_every_value() {
    const START: &str = "<!-- values: written by `./justw bless` -->\n";
    const END: &str = "<!-- end of values -->";
    let schema = parse_one(&chart_folder().join("values.schema.json"));
    let values = parse_one(&chart_folder().join("values.yaml"));
    let mut table = String::from("| value | default | |\n|---|---|---|\n");
    rows(&schema, &values, "", &mut table);
    for (kind, definition) in [("policies", "policy"), ("groups", "group")] {
        rows(&schema["definitions"][definition], &Value::Null, &format!("{kind}.*."), &mut table);
    }
    table.push_str("\n| policy | module | judges | audits | settings |\n|---|---|---|---|---|\n");
    let policies: BTreeMap<&String, &Value> = values["policies"].as_object().unwrap().iter().collect();
    for (name, policy) in policies {
        let judged: BTreeSet<String> =
            items(&policy["rules"]).iter().flat_map(|rule| texts(&rule["resources"])).collect();
        let judged = Vec::from_iter(judged).join(", ");
        let audits = if policy.get("backgroundAudit") == Some(&json!(false)) { "no" } else { "yes" };
        let module = policy["module"].as_str().unwrap();
        let sorted: Map<String, Value> = policy["settings"].as_object().unwrap().clone();
        writeln!(table, "| `{name}` | {module} | {judged} | {audits} | `{}` |", Value::Object(sorted))
            .unwrap();
    }
    let path = chart_folder().join("README.md");
    let readme = read(&path);
    let (before, rest) = readme.split_once(START).unwrap();
    let (old, after) = rest.split_once(END).unwrap();
    if harness::bless::is_wanted() {
        fs::write(&path, format!("{before}{START}{table}{END}{after}")).unwrap();
    } else {
        assert_eq!(old, table, "README.md is not current; run ./justw bless");
    }
}
