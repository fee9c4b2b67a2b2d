//! Kyverno's own cases, judged by the manifests that `convert` prints.

use std::collections::BTreeMap;

use harness::{Case, judge};
use matching::{Decision, Webhook};
use serde_json::{Value, json};

use super::converted;

/// The parts that are not converted, by the path and the beginning of the reason, in the order of
/// the cases.
///
/// Kyverno also checks later controls where the version is pinned. The three exceptions of the last
/// source are refused by Kyverno itself.
const NOT_CONVERTED: [(&str, &str); 9] = [
    ("items[0].spec.rules[0].validate.podSecurity.version", LATER),
    ("items[0].spec.rules[0].validate.podSecurity.version", LATER),
    ("items[0].spec.rules[0].validate.podSecurity.version", LATER),
    ("items[0].spec.rules[0].validate.podSecurity.version", LATER),
    ("items[0].spec.rules[0].validate.podSecurity.version", LATER),
    ("items[1].spec.podSecurity[0]", INERT),
    ("items[1].spec.podSecurity[3]", INERT),
    ("items[2].spec.podSecurity[0]", INERT),
    ("items[3].spec.podSecurity[0]", INERT),
];

const LATER: &str = "Kyverno also checks Host Probes / Lifecycle Hooks, which v1.29 does not include";

const INERT: &str = "is left out, because Kyverno refuses it or it excludes nothing";

/// Kyverno's own cases.
fn cases() -> Vec<Value> {
    serde_saphyr::from_str(include_str!("kyverno-cases.yaml")).unwrap()
}

/// The documents of a case: the policy, with the action in the rule or in the policy, and the
/// exceptions.
fn documents(case: &Value, in_rule: bool) -> String {
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
    json!({ "apiVersion": "v1", "kind": "List", "items": items }).to_string()
}

/// The manifests that refuse the creation of an object.
pub(super) fn refusals(manifests: &[Value], object: &Value, plural: &str, labels: &Value) -> Vec<String> {
    refusals_of(manifests, None, object, plural, labels)
}

/// The manifests that refuse the creation of an object or, with an old object, its update.
pub(super) fn refusals_of(
    manifests: &[Value],
    old: Option<&Value>,
    object: &Value,
    plural: &str,
    labels: &Value,
) -> Vec<String> {
    let (group, version) = match object["apiVersion"].as_str().unwrap().split_once('/') {
        Some(parts) => parts,
        None => ("", object["apiVersion"].as_str().unwrap()),
    };
    let namespace = object["metadata"]["namespace"].as_str().unwrap();
    let labels: BTreeMap<String, String> = serde_json::from_value(labels.clone()).unwrap();
    let mut labels: BTreeMap<String, String> = labels;
    labels.insert("kubernetes.io/metadata.name".to_owned(), namespace.to_owned());
    let namespace_object = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": namespace, "labels": labels } });
    let request = json!({
        "uid": "u",
        "operation": if old.is_some() { "UPDATE" } else { "CREATE" },
        "kind": { "group": group, "version": version, "kind": object["kind"] },
        "resource": { "group": group, "version": version, "resource": plural },
        "name": object["metadata"]["name"],
        "namespace": namespace,
        "userInfo": { "username": "ann", "groups": ["system:authenticated"] },
        "object": object,
        "oldObject": old,
    });
    let mut refusals = Vec::new();
    for manifest in manifests {
        let spec = &manifest["spec"];
        if spec["backgroundAudit"] == true {
            continue;
        }
        let webhook = Webhook::from_spec(spec).unwrap();
        let decision = webhook.decide(&request, Some(&namespace_object));
        match decision {
            Decision::Called(_) => {}
            Decision::Unknown(_) | Decision::ConditionFailed(_) => {
                panic!("{}: {manifest}", decision.explain())
            }
            _ => continue,
        }
        let case: Case = serde_json::from_value(json!({
            "name": "converted",
            "settings": spec["settings"],
            "object": object,
            "oldObject": old,
            "cluster": { "objects": [namespace_object] },
            "want": {},
        }))
        .unwrap();
        let outcome = judge::natively(rules::find("pod-security").unwrap(), &case).unwrap().outcome;
        if let Some(denied) = outcome.denied {
            refusals.push(format!("{}: {denied:?}", manifest["metadata"]["name"]));
        }
    }
    refusals
}

#[test]
fn manifests_judge_kyvernos_own_cases_as_kyverno_does() {
    let cases = cases();
    let mut found = (0, 0, 0);
    let mut differences = Vec::new();
    for in_rule in [true, false] {
        let mut not_converted = Vec::new();
        for case in &cases {
            let (_, list) = converted(&documents(case, in_rule));
            let manifests = list["items"].as_array().unwrap();
            not_converted.extend(list["notConverted"].as_array().unwrap().clone());
            for expected in case["pods"].as_array().into_iter().flatten() {
                let metadata = json!({
                    "name": "p",
                    "namespace": expected["namespace"],
                    "annotations": expected.get("annotations").unwrap_or(&json!({})),
                });
                let pod = json!({ "apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": expected["spec"] });
                let refusals = refusals(manifests, &pod, "pods", &json!({}));
                let verdict = if refusals.is_empty() { "Admitted" } else { "Denied" };
                if expected["verdict"] != verdict {
                    differences.push(format!("{}: {expected}: {verdict}: {refusals:?}", case["source"]));
                }
                found.2 += 1;
            }
            found.1 += case["exceptions"].as_array().map_or(0, Vec::len);
            found.0 += 1;
        }
        assert_eq!(not_converted.len(), NOT_CONVERTED.len(), "{not_converted:#?}");
        for (missing, (path, reason)) in not_converted.iter().zip(NOT_CONVERTED) {
            let problem = missing["problem"].as_str().unwrap();
            assert!(missing["path"] == path && problem.starts_with(reason), "{missing}");
        }
    }
    assert_eq!(differences, Vec::<String>::new());
    // Each case is judged with the action in the rule and in the policy.
    assert_eq!(found, (2 * 38, 2 * 26, 2 * 122));
}

/// Source: validate/clusterpolicy/standard/enforce/enforce-validate-existing-pss.
#[test]
fn manifests_judge_updates_of_existing_violations_as_kyverno_does() {
    let policy = json!({
        "apiVersion": "kyverno.io/v1",
        "kind": "ClusterPolicy",
        "metadata": { "name": "p" },
        "spec": {
            "background": false,
            "validationFailureAction": "Enforce",
            "rules": [{
                "name": "r",
                "match": { "any": [{ "resources": { "kinds": ["Pod", "Deployment"] } }] },
                "validate": { "podSecurity": { "level": "restricted", "version": "latest" } },
            }],
        },
    });
    let (status, list) = converted(&policy.to_string());
    assert_eq!(status, 0, "{list}");
    let manifests = list["items"].as_array().unwrap();
    let deployment = |image: &str, escalates: bool| {
        let security = json!({
            "allowPrivilegeEscalation": escalates,
            "runAsNonRoot": true,
            "seccompProfile": { "type": "RuntimeDefault" },
            "capabilities": { "drop": ["ALL"], "add": ["NET_BIND_SERVICE"] },
        });
        let pod = json!({ "containers": [{ "name": "c", "image": image, "securityContext": security }] });
        json!({
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": { "name": "d", "namespace": "shop" },
            "spec": { "template": { "metadata": {}, "spec": pod } },
        })
    };
    let violating = deployment("web:1", true);
    let renewed = deployment("web:2", true);
    let good = deployment("web:1", false);
    for (old, new, is_admitted) in [
        (None, &violating, false),
        (Some(&violating), &renewed, true),
        (Some(&renewed), &good, true),
        (Some(&good), &violating, false),
        (None, &good, true),
    ] {
        let refusals = refusals_of(manifests, old, new, "deployments", &json!({}));
        assert_eq!(refusals.is_empty(), is_admitted, "{old:?} {new}: {refusals:?}");
    }
}
