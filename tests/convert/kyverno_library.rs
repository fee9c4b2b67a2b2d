//! The checks of Kyverno's library, evaluated against the manifests for them.

use serde_json::{Map, Value, json};

use super::cases::{convert_kyverno, list};
use super::requests::refusals;

/// A case of the library; see kyverno-library.yaml.
fn cases() -> Vec<Value> {
    serde_saphyr::from_str(include_str!("kyverno-library.yaml")).unwrap()
}

/// A pattern with that of every container written out.
fn pattern(of_pod: &Value) -> Value {
    let mut spec = of_pod.as_object().unwrap().clone();
    if let Some(each) = spec.remove("eachContainer") {
        spec.insert("=(ephemeralContainers)".to_owned(), json!([each]));
        spec.insert("=(initContainers)".to_owned(), json!([each]));
        spec.insert("containers".to_owned(), json!([each]));
    }
    json!({ "spec": spec })
}

/// The check of a rule as Kyverno takes it.
fn check(rule: &Value) -> Map<String, Value> {
    let (key, content) = rule.as_object().unwrap().iter().next().unwrap();
    let (key, content) = match key.as_str() {
        "pattern" => ("pattern", pattern(content)),
        "anyPattern" => ("anyPattern", content.as_array().unwrap().iter().map(pattern).collect()),
        "wholePattern" => ("pattern", content.clone()),
        other => (other, content.clone()),
    };
    Map::from_iter([(key.to_owned(), content)])
}

/// The policy of a case, with a rule for each check.
fn policy(case: &Value) -> Value {
    let rule = |(index, rule): (usize, &Value)| {
        let mut validate = check(rule);
        validate.insert("message".to_owned(), "no".into());
        json!({
            "name": format!("r{index}"),
            "match": { "any": [{ "resources": { "kinds": ["Pod"] } }] },
            "skipBackgroundRequests": true,
            "preconditions": { "all": [{ "key": "{{ request.operation }}", "operator": "NotEquals", "value": "DELETE" }] },
            "validate": validate,
        })
    };
    json!({
        "apiVersion": "kyverno.io/v1",
        "kind": "ClusterPolicy",
        "metadata": { "name": case["policy"] },
        "spec": {
            "background": false,
            "validationFailureAction": "Enforce",
            "rules": pods(case, "rules").iter().enumerate().map(rule).collect::<Vec<Value>>(),
        },
    })
}

/// The pod, the Deployment and the `CronJob` of a case.
fn objects(pod: &Value) -> [Value; 3] {
    let mut spec = pod.as_object().unwrap().clone();
    let annotations = spec.remove("annotations").unwrap_or_else(|| json!({}));
    spec.entry("containers").or_insert_with(|| json!([{ "name": "c", "image": "i" }]));
    let metadata = json!({ "name": "o", "namespace": "shop", "annotations": annotations });
    let template = json!({ "metadata": { "annotations": annotations }, "spec": spec });
    let workload = |api: &str, kind: &str, spec: Value| json!({ "apiVersion": api, "kind": kind, "metadata": { "name": "o", "namespace": "shop" }, "spec": spec });
    [
        json!({ "apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec }),
        workload("apps/v1", "Deployment", json!({ "template": template })),
        workload("batch/v1", "CronJob", json!({ "jobTemplate": { "spec": { "template": template } } })),
    ]
}

fn pods<'c>(case: &'c Value, key: &str) -> &'c Vec<Value> {
    case[key].as_array().unwrap()
}

#[test]
fn manifests_evaluate_pods_as_the_checks_of_the_library_do() {
    let mut evaluated = 0;
    for case in cases() {
        let mut policy = policy(&case);
        policy["metadata"]["name"] = "p".into();
        let converted = convert_kyverno(&policy);
        let lines = case["lines"].as_u64().unwrap_or(0);
        assert_eq!(converted.differences.len() as u64, lines, "{case} {converted:?}");
        assert_eq!(converted.manifests.len(), 1, "{case}: {converted:?}");
        for (key, is_allowed) in [("allowed", true), ("refused", false)] {
            for object in pods(&case, key).iter().flat_map(objects) {
                let refusals = refusals(&converted.manifests, None, &object);
                assert_eq!(refusals.is_empty(), is_allowed, "{}: {object}: {refusals:?}", case["policy"]);
                evaluated += 1;
            }
        }
    }
    assert_eq!(evaluated, 3 * 67);
}

#[test]
fn manifests_that_differ_in_controls_alone_become_one() {
    let mut cases = cases();
    cases.retain(|case| case["lines"].as_u64() != Some(2));
    let converted = convert_kyverno(&list(&cases.iter().map(policy).collect::<Vec<_>>()));
    // restrict-seccomp covers what restrict-seccomp-strict alone would not refuse.
    assert_eq!(converted.problems(), Vec::<String>::new());
    let [manifest] = converted.manifests.as_slice() else { panic!("{converted:?}") };
    assert_eq!(manifest["metadata"]["name"], "pod-security-restricted");
    assert_eq!(manifest["spec"]["mode"], "protect");
    for object in cases.iter().flat_map(|case| pods(case, "refused")).flat_map(objects) {
        assert_eq!(refusals(&converted.manifests, None, &object).len(), 1, "{object}");
    }
    let settings = &manifest["spec"]["settings"];
    assert_eq!(
        (&settings["level"], &settings["version"], &settings["existingViolations"]),
        (&json!("restricted"), &json!("v1.24"), &json!("Tolerate"))
    );
    let everywhere = json!(["*"]);
    assert_eq!(
        settings["exclude"],
        json!([
            { "controlName": "AppArmor" },
            { "controlName": "AppArmor", "images": everywhere },
            { "controlName": "Capabilities", "images": everywhere },
            { "controlName": "HostProcess", "restrictedField": "spec.securityContext.windowsOptions.hostProcess", "values": everywhere },
            { "controlName": "Volume Types" },
            { "controlName": "Running as Non-root", "restrictedField": "spec.securityContext.runAsNonRoot", "values": ["false"] },
        ])
    );
}
