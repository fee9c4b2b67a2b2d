//! Kyverno's own cases, evaluated against the manifests for them.

use serde_json::{Value, json};

use super::cases::{convert_kyverno, list};
use super::requests::refusals;

/// The parts that are not converted, by the path and the beginning of the reason, in the order of
/// the cases.
///
/// Kyverno also checks later controls where the version is pinned. The three exceptions of the last
/// source are refused by Kyverno itself.
const NOT_CONVERTED: [(&str, &str); 9] = [
    ("spec.rules[0].validate.podSecurity.version", LATER),
    ("spec.rules[0].validate.podSecurity.version", LATER),
    ("spec.rules[0].validate.podSecurity.version", LATER),
    ("spec.rules[0].validate.podSecurity.version", LATER),
    ("spec.rules[0].validate.podSecurity.version", LATER),
    ("spec.podSecurity[0]", INERT),
    ("spec.podSecurity[3]", INERT),
    ("spec.podSecurity[0]", INERT),
    ("spec.podSecurity[0]", INERT),
];

const LATER: &str = "Kyverno also checks Host Probes / Lifecycle Hooks, which v1.29 does not include";

const INERT: &str = "is left out, because Kyverno refuses it or it excludes nothing";

/// Kyverno's own cases.
fn cases() -> Vec<Value> {
    serde_saphyr::from_str(include_str!("kyverno-cases.yaml")).unwrap()
}

/// The documents of a case: the policy, with the action in the rule or in the policy, and the
/// exceptions.
fn documents(case: &Value, in_rule: bool) -> Value {
    let rule = &case["rule"];
    let mut check = json!({ "level": rule["level"], "version": rule["version"] });
    if let Some(exclude) = rule.get("exclude") {
        check["exclude"] = exclude.clone();
    }
    let pods = json!({ "any": [{ "resources": { "kinds": ["Pod"] } }] });
    let mut converted = json!({
        "name": "r",
        "match": rule.get("match").unwrap_or(&pods),
        "validate": { "podSecurity": check },
    });
    let mut spec = json!({ "background": false });
    if in_rule {
        converted["validate"]["failureAction"] = "Enforce".into();
    } else {
        spec["validationFailureAction"] = "enforce".into();
    }
    spec["rules"] = json!([converted]);
    let mut metadata = json!({ "name": "p" });
    if let Some(controllers) = rule.get("controllers") {
        metadata["annotations"] = json!({ "pod-policies.kyverno.io/autogen-controllers": controllers });
    }
    let mut items = vec![
        json!({ "apiVersion": "kyverno.io/v1", "kind": "ClusterPolicy", "metadata": metadata, "spec": spec }),
    ];
    for (index, exception) in case["exceptions"].as_array().into_iter().flatten().enumerate() {
        let mut spec = exception.clone();
        let rules = spec.as_object_mut().unwrap().remove("rules").unwrap();
        spec["exceptions"] = json!([{ "policyName": "p", "ruleNames": rules }]);
        items.push(json!({
            "apiVersion": "kyverno.io/v2",
            "kind": "PolicyException",
            "metadata": { "name": format!("e{index}") },
            "spec": spec,
        }));
    }
    list(&items)
}

#[test]
fn manifests_evaluate_kyvernos_own_cases_as_kyverno_does() {
    let cases = cases();
    let mut found = (0, 0, 0);
    let mut differences = Vec::new();
    for in_rule in [true, false] {
        let mut problems = Vec::new();
        for case in &cases {
            let converted = convert_kyverno(&documents(case, in_rule));
            problems.extend(converted.problems());
            for expected in case["pods"].as_array().into_iter().flatten() {
                let metadata = json!({
                    "name": "p",
                    "namespace": expected["namespace"],
                    "annotations": expected.get("annotations").unwrap_or(&json!({})),
                });
                let pod = json!({ "apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": expected["spec"] });
                let refusals = refusals(&converted.manifests, None, &pod);
                let verdict = if refusals.is_empty() { "Admitted" } else { "Denied" };
                if expected["verdict"] != verdict {
                    differences.push(format!("{}: {expected}: {verdict}: {refusals:?}", case["source"]));
                }
                found.2 += 1;
            }
            found.1 += case["exceptions"].as_array().map_or(0, Vec::len);
            found.0 += 1;
        }
        // Kyverno's own cases do not have pods with several containers that violate the control.
        let count = problems.len();
        problems.retain(|problem| !problem.contains("without images, Kyverno leaves out"));
        assert_eq!(count - problems.len(), 4, "{problems:#?}");
        assert_eq!(problems.len(), NOT_CONVERTED.len(), "{problems:#?}");
        for (missing, (path, reason)) in problems.iter().zip(NOT_CONVERTED) {
            assert!(missing.starts_with(&format!("{path}: {reason}")), "{missing}");
        }
    }
    assert_eq!(differences, Vec::<String>::new());
    // Each case is evaluated with the action in the rule and in the policy.
    assert_eq!(found, (2 * 38, 2 * 26, 2 * 122));
}
