//! The values of the chart: their schema, their checks and their documentation.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fmt::Write as _;
use std::fs;

use serde_json::{Value, json};

use super::base::{instances, needs};
use super::definitions::violations;
use super::renderings::helm;
use super::{chart_folder, parse_one, read};

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
    assert!(paths.len() > 100);
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
        ("/policies/node-pods", json!({ "severity": "severe" })),
        ("/module/digests", json!({ "selinux": "sha256:short" })),
        ("/policies", json!({ "Node_Pods": values["policies"]["node-pods"] })),
        ("/policies/node-pods", json!({ "module": "pods" })),
    ] {
        let mut wrong = values.clone();
        *wrong.pointer_mut(path).unwrap() = value;
        assert!(!rejected(&wrong).is_empty(), "{path}: {}", wrong.pointer(path).unwrap());
    }
}

/// Values that cannot protect, or that Kubewarden would refuse, with a part of the message.
const REFUSED: &[(&str, &str)] = &[
    ("mode: 7", "mode"),
    ("module: { registry: 'registry://ghcr.io/portcullis' }", "registry"),
    ("timeoutEvalSeconds: 9", "external-ips: timeoutEvalSeconds is greater than timeoutSeconds; lower it"),
    (
        "groups: { restricted-or-confined: { enabled: true, timeoutSeconds: 5 } }",
        "restricted-or-confined: the timeoutEvalSeconds of its members add up to more than its timeoutSeconds",
    ),
    (
        "groups: { restricted-or-confined: { enabled: true, policies: { confined: { settings: { mode: Mutate } } } } }",
        "groups.restricted-or-confined.policies.confined changes objects",
    ),
    (
        "groups: { restricted-or-confined: { enabled: true, backgroundAudit: true } }",
        "the audit scanner cannot list pods/ephemeralcontainers; set it to false",
    ),
    ("policies: { other: { enabled: true } }", "policies.other: no module has this name"),
    (
        "{ mode: protect, policies: { node-labels: { settings: { mode: Warn } } } }",
        "policies.node-labels: settings.mode: Warn admits forbidden labels",
    ),
    (
        "{ mode: protect, settings: { node-pods: { mode: Warn } } }",
        "policies.node-pods: settings.mode: Warn admits forbidden labels",
    ),
    (
        "{ mode: protect, settings: { pod-security: { level: privileged } } }",
        "policies.pod-security: level: privileged denies nothing",
    ),
    (
        "policies: { pod-security: { backgroundAudit: true } }",
        "policies.pod-security: backgroundAudit is true, but the audit scanner cannot list",
    ),
    ("policies: { node-labels: { audit: true } }", "node-labels judges the requesting user"),
    ("policies: { pod-security-audit: { mode: protect } }", "an instance for audits judges no request"),
    (
        "policies: { node-pods: { skippedNamespaces: [kube-system] } }",
        "policies.node-pods: nodes choose the namespaces and labels that they write",
    ),
    (
        "policies: { node-labels: { namespaceSelector: { matchLabels: { a: b } } } }",
        "policies.node-labels: nodes choose the namespaces and labels that they write",
    ),
    (
        "policies: { external-ips: { skippedNamespaces: [kube-system] } }",
        "policies.external-ips: external IPs can be claimed from any namespace",
    ),
    (
        "policies: { external-ips: { settings: { fields: [status.loadBalancer.ingress] }, rules: [{ apiGroups: [''], apiVersions: [v1], resources: [services], operations: [CREATE] }] } }",
        "policies.external-ips: settings.fields has status.loadBalancer.ingress, but the rules have no services/status",
    ),
    (
        "policies: { external-ips: { namespaceSelector: { matchLabels: { a: b } } } }",
        "policies.external-ips: external IPs can be claimed from any namespace",
    ),
    (
        "policies: { node-pods: { objectSelector: { matchLabels: { a: b } } } }",
        "policies.node-pods: nodes choose the namespaces and labels that they write",
    ),
    (
        "policies: { pod-security: { matchConditions: [{ name: changes-the-pod-or-template, expression: 'true' }] } }",
        "policies.pod-security: matchConditions has changes-the-pod-or-template",
    ),
    ("additionalLabels: { app.kubernetes.io/instance: x }", "app.kubernetes.io/instance"),
    (
        "groups: { restricted-or-confined: { enabled: true, policies: { confined: { settings: { allocation: { source: Runtime } } } } } }",
        "groups.restricted-or-confined.policies.confined: settings.allocation has to be the same",
    ),
    (
        "groups: { restricted-or-confined: { enabled: true, mode: protect, policies: { baseline: { module: node-pods, settings: { mode: Warn, level: null } } } } }",
        "groups.restricted-or-confined.policies.baseline: settings.mode: Warn admits forbidden labels",
    ),
    (
        "{ mode: protect, policies: { selinux-guard: { settings: { levels: { missing: Require } } }, selinux-default: { mode: protect, namespaceSelector: { matchLabels: { a: b } } } } }",
        "policies.selinux-guard: no instance adds levels, so every pod would be denied",
    ),
    (
        "policies: { selinux-default: { mode: protect }, selinux-guard: { mode: protect, namespaceSelector: { matchLabels: { a: b } } } }",
        "policies.selinux-default: without a guard",
    ),
    (
        "policies: { selinux-guard: { settings: { allocation: { source: Runtime } } } }",
        "policies.selinux-guard: settings.allocation has to be the same for all instances",
    ),
    (
        "policies: { selinux-default: { settings: { levels: { extra: [s0:c1] } } } }",
        "policies.selinux-default: settings.levels.extra has to be the same for all instances",
    ),
    (
        "policies: { selinux-default: { mode: protect } }",
        "policies.selinux-default: without a guard, every pod can set the level of another tenant",
    ),
    (
        "{ mode: protect, policies: { selinux-guard: { settings: { levels: { missing: Require } } } } }",
        "policies.selinux-guard: no instance adds levels, so every pod would be denied",
    ),
];

/// The chart refuses values that cannot protect, by schema or with one sentence.
#[test]
fn helm_refuses_values_that_cannot_protect() {
    for (at, (values, message)) in REFUSED.iter().enumerate() {
        let file = env::temp_dir().join(format!("portcullis-values-{}-{at}.yaml", std::process::id()));
        fs::write(&file, values).unwrap();
        let rendered = helm(Some(&file));
        fs::remove_file(&file).unwrap();
        let Some(rendered) = rendered else {
            tests::not_run("HELM", "the refusals of the chart", "helm is not installed").unwrap();
            return;
        };
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
    table.push_str("\n| policy | module | judges by default | audits | settings |\n|---|---|---|---|---|\n");
    for instance in instances() {
        let needs = needs(&instance);
        let judged: BTreeSet<&str> =
            needs.rules.iter().flat_map(|rule| &rule.resources).map(String::as_str).collect();
        let judged = Vec::from_iter(judged).join(", ");
        let audits = if needs.background_audit { "yes" } else { "no" };
        let (name, id, settings) = (&instance.name, &instance.id, &instance.settings);
        writeln!(table, "| `{name}` | {id} | {judged} | {audits} | `{settings}` |").unwrap();
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
