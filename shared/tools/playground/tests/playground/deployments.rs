//! Deployment manifests grant every look-up and mutation that the cases with the same settings
//! need.

use std::collections::BTreeMap;
use std::path::Path;

use playground::{Playground, PolicyInput, Workspace};
use serde_json::{Value, json};
use suite::cases::Case;

/// Returns the spec of the `ClusterAdmissionPolicy` for the given settings, or `None` if they are
/// invalid.
fn spec(id: &str, settings: &str) -> Option<Value> {
    let policy = PolicyInput { id: id.into(), settings: settings.into(), ..PolicyInput::default() };
    let mut playground = Playground::new();
    playground.evaluate(Workspace { policies: vec![policy], ..Workspace::default() });
    let documents = manifest::documents(&playground.deployment(0)).ok()?;
    let policy = documents.into_iter().find(|document| document["kind"] == "ClusterAdmissionPolicy")?;
    policy.get("spec").cloned()
}

/// Returns the look-ups and mutations of a case that the manifest does not grant.
fn not_granted(case: &Case, spec: &Value) -> Vec<String> {
    let resources = spec.get("contextAwareResources").and_then(Value::as_array).cloned().unwrap_or_default();
    let mut missing = Vec::new();
    // A manifest names no kind for questions about permissions.
    for question in case.want.asked.iter().filter(|question| !question.starts_with("can ")) {
        let mut words = question.split(' ').skip(1);
        let resource = json!({ "apiVersion": words.next(), "kind": words.next() });
        if !resources.contains(&resource) {
            missing.push(question.clone());
        }
    }
    if case.want.mutated.is_some() && spec.get("mutating") != Some(&Value::Bool(true)) {
        missing.push("mutation".to_owned());
    }
    missing
}

#[test]
fn manifests_grant_the_look_ups_and_mutations_of_every_case() {
    let policies = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../policies");
    let mut look_ups = 0_usize;
    for entry in rules::CATALOG {
        let mut specs: BTreeMap<String, Option<Value>> = BTreeMap::new();
        for case in suite::cases::load_dir(&policies.join(entry.id).join("cases")).unwrap() {
            let settings =
                if case.settings.is_null() { json!({}) } else { case.settings.clone() }.to_string();
            let spec = specs.entry(settings.clone()).or_insert_with(|| spec(entry.id, &settings));
            assert_eq!(spec.is_none(), case.want.settings_error.is_some(), "{}", case.place());
            let Some(spec) = spec else { continue };
            assert_eq!(spec["settings"].to_string(), settings, "{}", case.place());
            assert_eq!(not_granted(&case, spec), [""; 0], "{}: {spec:#}", case.place());
            look_ups += case.want.asked.len();
        }
    }
    assert!(look_ups > 300, "{look_ups}");
}
