//! The manifest for the settings of a case grants what the case needs.

use std::collections::BTreeMap;
use std::path::Path;

use harness::Case;
use playground::cluster_admission_policy;
use serde_json::{Value, json};

/// The spec of the `ClusterAdmissionPolicy` for some settings; nothing if they are refused.
fn spec(id: &str, settings: &str) -> Option<Value> {
    let deployment = cluster_admission_policy(id, settings);
    let documents = manifest::documents(&deployment.manifest).ok()?;
    let policy = documents.into_iter().find(|document| document["kind"] == "ClusterAdmissionPolicy")?;
    policy.get("spec").cloned()
}

/// What of a case the manifest does not grant.
fn refused(case: &Case, spec: &Value) -> Vec<String> {
    let resources = spec.get("contextAwareResources").and_then(Value::as_array).cloned().unwrap_or_default();
    let mut refused = Vec::new();
    for question in &case.want.asked {
        let mut words = question.split(' ').skip(1);
        let asked = json!({ "apiVersion": words.next(), "kind": words.next() });
        if !resources.contains(&asked) {
            refused.push(question.clone());
        }
    }
    if case.want.mutated.is_some() && spec.get("mutating") != Some(&Value::Bool(true)) {
        refused.push("a change".to_owned());
    }
    refused
}

#[test]
fn what_a_case_asks_and_changes_is_granted() {
    let policies = Path::new(env!("CARGO_MANIFEST_DIR")).join("../policies");
    let mut asked = 0_usize;
    for entry in rules::CATALOG {
        let mut specs: BTreeMap<String, Option<Value>> = BTreeMap::new();
        for case in harness::load_dir(&policies.join(entry.id).join("cases")).unwrap() {
            let settings =
                if case.settings.is_null() { json!({}) } else { case.settings.clone() }.to_string();
            let spec = specs.entry(settings.clone()).or_insert_with(|| spec(entry.id, &settings));
            assert_eq!(spec.is_none(), case.want.settings_error.is_some(), "{}", case.place());
            let Some(spec) = spec else { continue };
            assert_eq!(spec["settings"].to_string(), settings, "{}", case.place());
            assert_eq!(refused(&case, spec), [""; 0], "{}: {spec:#}", case.place());
            asked += case.want.asked.len();
        }
    }
    assert!(asked > 300, "{asked}");
}
