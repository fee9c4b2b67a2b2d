//! The checks of Kyverno's library, judged by the manifests that `convert` prints.

use serde_json::{Map, Value, json};

use super::conformance::refusals;
use super::{converted, missing};

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

/// A `ClusterPolicy` with a rule for each check.
fn policy<'r>(name: &str, rules: impl IntoIterator<Item = &'r Value>) -> Value {
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
        "metadata": { "name": name },
        "spec": {
            "background": false,
            "validationFailureAction": "Enforce",
            "rules": rules.into_iter().enumerate().map(rule).collect::<Vec<Value>>(),
        },
    })
}

/// The policy of a case.
fn policy_of(case: &Value) -> Value {
    policy("p", pods(case, "rules"))
}

fn list(items: &[Value]) -> String {
    json!({ "apiVersion": "v1", "kind": "List", "items": items }).to_string()
}

/// The pod, the Deployment and the `CronJob` of a case.
fn objects(pod: &Value) -> Vec<(Value, &'static str)> {
    let mut spec = pod.as_object().unwrap().clone();
    let annotations = spec.remove("annotations").unwrap_or_else(|| json!({}));
    spec.entry("containers").or_insert_with(|| json!([{ "name": "c", "image": "i" }]));
    let metadata = json!({ "name": "o", "namespace": "shop", "annotations": annotations });
    let template = json!({ "metadata": { "annotations": annotations }, "spec": spec });
    let workload = |api: &str, kind: &str, spec: Value| json!({ "apiVersion": api, "kind": kind, "metadata": { "name": "o", "namespace": "shop" }, "spec": spec });
    vec![
        (json!({ "apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec }), "pods"),
        (workload("apps/v1", "Deployment", json!({ "template": template })), "deployments"),
        (
            workload("batch/v1", "CronJob", json!({ "jobTemplate": { "spec": { "template": template } } })),
            "cronjobs",
        ),
    ]
}

fn pods<'c>(case: &'c Value, key: &str) -> &'c Vec<Value> {
    case[key].as_array().unwrap()
}

#[test]
fn manifests_judge_pods_as_the_checks_of_the_library_do() {
    let mut judged = 0;
    for case in cases() {
        let (_, converted) = converted(&policy_of(&case).to_string());
        assert_eq!(
            missing(&converted).len() as u64,
            case["lines"].as_u64().unwrap_or(0),
            "{case} {converted}"
        );
        let manifests = converted["items"].as_array().unwrap();
        assert_eq!(manifests.len(), 1, "{case}: {converted}");
        for (key, is_allowed) in [("allowed", true), ("refused", false)] {
            for pod in pods(&case, key) {
                for (object, plural) in objects(pod) {
                    let refusals = refusals(manifests, &object, plural, &json!({}));
                    assert_eq!(refusals.is_empty(), is_allowed, "{}: {object}: {refusals:?}", case["policy"]);
                    judged += 1;
                }
            }
        }
    }
    assert_eq!(judged, 3 * 67);
}

#[test]
fn manifests_that_differ_in_controls_alone_become_one() {
    let cases = cases();
    let with_one_line = |case: &&Value| case["lines"].as_u64() != Some(2);
    let policies: Vec<Value> = cases
        .iter()
        .filter(with_one_line)
        .map(|case| policy(case["policy"].as_str().unwrap(), pods(case, "rules")))
        .collect();
    let (status, converted) = converted(&list(&policies));
    // restrict-seccomp covers what restrict-seccomp-strict alone would not refuse.
    assert_eq!(status, 0, "{converted}");
    let manifests = converted["items"].as_array().unwrap();
    assert_eq!(manifests.len(), 1, "{converted}");
    assert_eq!(manifests[0]["metadata"]["name"], "pod-security-restricted");
    assert_eq!(manifests[0]["spec"]["mode"], "protect");
    for case in cases.iter().filter(with_one_line) {
        for pod in pods(case, "refused") {
            for (object, plural) in objects(pod) {
                let refusals = refusals(manifests, &object, plural, &json!({}));
                assert_eq!(refusals.len(), 1, "{object}");
            }
        }
    }
    let settings = &manifests[0]["spec"]["settings"];
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

#[test]
fn rules_that_differ_in_more_than_controls_stay_apart() {
    let cases = cases();
    let [first, second] = [&cases[0], &cases[1]].map(|case| policy("p", pods(case, "rules")));
    for (path, value) in [
        ("/spec/validationFailureAction", json!("Audit")),
        ("/spec/rules/0/match/any/0/resources", json!({ "kinds": ["Pod"], "namespaces": ["shop"] })),
        ("/metadata/annotations", json!({ "pod-policies.kyverno.io/autogen-controllers": "Job" })),
    ] {
        let mut other = second.clone();
        other["metadata"]["name"] = "q".into();
        other["metadata"]["annotations"] = json!({});
        *other.pointer_mut(path).unwrap() = value;
        let (status, converted) = converted(&list(&[first.clone(), other]));
        assert_eq!(status, 0, "{converted}");
        assert_eq!(converted["items"].as_array().unwrap().len(), 2, "{path}: {converted}");
    }
}

/// Where the manifest would refuse more than the rule, it does not deny, and the others do.
#[test]
fn a_check_that_allows_more_than_the_control_monitors() {
    let cases = cases();
    let by_name = |name: &str| {
        let case = cases.iter().find(|case| case["policy"] == name).unwrap();
        policy(name, pods(case, "rules"))
    };
    let policies = [by_name("restrict-seccomp-strict"), by_name("disallow-host-path")];
    let (status, converted) = converted(&list(&policies));
    assert_eq!(status, 1);
    let modes: Vec<(&Value, &Value)> = converted["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| (&item["metadata"]["name"], &item["spec"]["mode"]))
        .collect();
    assert_eq!(
        modes,
        [
            (&json!("restrict-seccomp-strict-r0"), &json!("monitor")),
            (&json!("disallow-host-path-r0"), &json!("protect")),
        ]
    );
    assert!(missing(&converted)[0].starts_with(
        "items[0].spec.rules[0].validate.anyPattern: Kyverno allows any spec.securityContext.seccompProfile.type"
    ));
}

#[test]
fn a_changed_check_is_not_converted_and_the_first_difference_has_a_path() {
    let allowed =
        json!({ "pattern": { "eachContainer": { "=(securityContext)": { "=(privileged)": "false" } } } });
    let policy = policy("p", [&allowed]);
    for (path, value, line) in [
        (
            "/spec/rules/0/validate/pattern/spec/=(initContainers)/0/=(securityContext)/=(privileged)",
            json!("true"),
            "spec.rules[0].validate.pattern.spec[\"=(initContainers)\"][0][\"=(securityContext)\"][\"=(privileged)\"]: is another text: the check resembles disallow-privileged-containers",
        ),
        (
            "/spec/rules/0/validate/pattern/spec",
            json!({ "containers": [{ "=(securityContext)": { "=(privileged)": "false" } }], "=(initContainers)": [{ "=(securityContext)": { "=(privileged)": "false" } }] }),
            "spec.rules[0].validate.pattern.spec: has no field =(ephemeralContainers): the check resembles disallow-privileged-containers",
        ),
        (
            "/spec/rules/0/validate/pattern/spec/containers/0/=(securityContext)",
            json!({ "=(privileged)": "false", "runAsUser": 5 }),
            "spec.rules[0].validate.pattern.spec.containers[0][\"=(securityContext)\"].runAsUser: has no counterpart there: the check resembles disallow-privileged-containers",
        ),
        (
            "/spec/rules/0/validate/pattern/spec/containers/0/=(securityContext)",
            json!({ "=(privileged)": "false", "runAsUser": null }),
            "spec.rules[0].validate.pattern.spec.containers[0][\"=(securityContext)\"].runAsUser: has no counterpart there: the check resembles disallow-privileged-containers",
        ),
        (
            "/spec/rules/0/match/any/0/resources/kinds",
            json!(["Pod", "Deployment"]),
            "spec.rules[0].match: matches deployments by kind, and the check is about the fields of a pod",
        ),
        (
            "/spec/rules/0/preconditions/all/0/value",
            json!("UPDATE"),
            "spec.rules[0].preconditions: the policy judges requests regardless of it; write it as a matchCondition",
        ),
    ] {
        let mut changed = policy.clone();
        *changed.pointer_mut(path).unwrap() = value;
        let (status, converted) = converted(&changed.to_string());
        assert_eq!(status, 1, "{path}");
        let lines = missing(&converted);
        assert_eq!(lines.len(), 1, "{lines:?}");
        assert!(lines[0].starts_with(line), "{lines:?}");
        for manifest in converted["items"].as_array().unwrap() {
            assert_eq!(manifest["spec"]["mode"], "monitor", "{path}: {manifest}");
        }
    }
}

/// An exception from a rule of the library skips the whole rule, whatever controls it names.
#[test]
fn an_exception_from_a_check_of_the_library_is_one_from_the_whole_rule() {
    let cases = cases();
    let policy = policy("p", pods(&cases[0], "rules"));
    let exception = json!({
        "apiVersion": "kyverno.io/v2",
        "kind": "PolicyException",
        "metadata": { "name": "e" },
        "spec": {
            "exceptions": [{ "policyName": "p", "ruleNames": ["*"] }],
            "match": { "any": [{ "resources": { "namespaces": ["shop"] } }] },
            "podSecurity": [{ "controlName": "Sysctls" }],
        },
    });
    let (status, converted) = converted(&list(&[policy, exception]));
    assert_eq!(status, 0, "{converted}");
    let manifests = converted["items"].as_array().unwrap();
    let (pod, plural) = objects(&json!({ "hostPID": true })).remove(0);
    assert_eq!(refusals(manifests, &pod, plural, &json!({})), Vec::<String>::new());
    let mut other = pod;
    other["metadata"]["namespace"] = "other".into();
    assert_eq!(refusals(manifests, &other, plural, &json!({})).len(), 1);
}

/// A `ValidatingPolicy` that refuses volumes of the host.
fn validating(spec: &Value) -> Value {
    let mut whole = json!({
        "evaluation": { "background": { "enabled": false } },
        "matchConstraints": { "resourceRules": [
            { "apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE", "UPDATE"], "resources": ["pods"] },
        ] },
        "validations": [{ "expression": "object.spec.?volumes.orValue([])\n  .all(volume, !has(volume.hostPath))", "message": "no" }],
    });
    for (key, value) in spec.as_object().unwrap() {
        whole[key] = value.clone();
    }
    json!({ "apiVersion": "policies.kyverno.io/v1", "kind": "ValidatingPolicy", "metadata": { "name": "p" }, "spec": whole })
}

#[test]
fn a_validating_policy_of_the_library_is_converted() {
    let bad = json!({ "volumes": [{ "name": "v", "hostPath": { "path": "/srv" } }] });
    let (status, converted) = converted(&validating(&json!({})).to_string());
    assert_eq!(status, 0, "{converted}");
    let manifests = converted["items"].as_array().unwrap();
    assert_eq!(manifests[0]["spec"]["mode"], "protect");
    // Expressions are not compared with the old object.
    assert_eq!(manifests[0]["spec"]["settings"]["existingViolations"], "Recheck");
    for (object, plural) in objects(&bad) {
        assert_eq!(refusals(manifests, &object, plural, &json!({})).len(), 1, "{object}");
    }
    for (object, plural) in objects(&json!({ "hostPID": true })) {
        assert_eq!(refusals(manifests, &object, plural, &json!({})), Vec::<String>::new());
    }
    let resources: Vec<&str> = manifests[0]["spec"]["rules"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|rule| rule["resources"].as_array().unwrap())
        .map(|resource| resource.as_str().unwrap())
        .collect();
    assert_eq!(
        resources,
        ["pods", "daemonsets", "deployments", "replicasets", "statefulsets", "cronjobs", "jobs"]
    );
}

/// Each rule of a `ValidatingPolicy` has its own operations, and a background scan judges what may
/// be created.
#[test]
fn resources_of_a_validating_policy_keep_their_operations() {
    let rule = |operation: &str, resource: &str| json!({ "apiGroups": [""], "apiVersions": ["v1"], "operations": [operation], "resources": [resource] });
    let judged = |rules: Value| {
        let spec = json!({ "matchConstraints": { "resourceRules": rules }, "evaluation": {} });
        let (status, converted) = converted(&validating(&spec).to_string());
        assert_eq!(status, 0, "{converted}");
        let manifests = converted["items"].as_array().unwrap();
        manifests.iter().map(|manifest| manifest["spec"]["rules"].clone()).collect::<Vec<Value>>()
    };
    let (created, updated) = (rule("CREATE", "pods"), rule("UPDATE", "pods/ephemeralcontainers"));
    assert_eq!(
        judged(json!([created, updated])),
        [json!([created, updated]), json!([created])],
        "requests, and audits"
    );
    let changed = rule("UPDATE", "pods");
    assert_eq!(judged(json!([changed, updated])), [json!([changed, updated])], "nothing is created");
}

#[test]
fn actions_and_constraints_of_a_validating_policy_are_converted() {
    let pods = |more: Value| {
        let mut rule = json!({ "apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"] });
        rule.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!([rule])
    };
    for (spec, status, mode, line) in [
        (json!({ "validationActions": ["Audit"] }), 0, "monitor", ""),
        (json!({ "validationActions": ["Warn"] }), 0, "protect", ""),
        (json!({ "validationActions": ["Deny", "Audit"] }), 0, "protect", ""),
        (
            json!({ "matchConstraints": { "resourceRules": pods(json!({})), "objectSelector": { "matchLabels": { "a": "b" } } } }),
            0,
            "protect",
            "",
        ),
        (
            json!({ "matchConditions": [{ "name": "c", "expression": "request.namespace != 'shop'" }] }),
            0,
            "protect",
            "",
        ),
        (
            json!({ "matchConditions": [{ "name": "c", "expression": "object.metadata.name != 'x'" }] }),
            1,
            "monitor",
            "spec.matchConditions[0].expression: is about the object",
        ),
        (
            json!({ "matchConditions": [{ "name": "c", "expression": "resource.Get('v1', 'pods', 'a', 'b') == null" }] }),
            1,
            "monitor",
            "spec.matchConditions[0].expression: column 1: resource is not a variable of match conditions; without it",
        ),
        (
            json!({ "matchConstraints": { "resourceRules": pods(json!({ "resourceNames": ["x"] })) } }),
            1,
            "monitor",
            "spec.matchConstraints.resourceRules[0].resourceNames: has no equivalent",
        ),
        (
            json!({ "matchConstraints": { "resourceRules": pods(json!({})), "excludeResourceRules": pods(json!({})) } }),
            1,
            "monitor",
            "spec.matchConstraints.excludeResourceRules: has no equivalent",
        ),
        (
            json!({ "matchConstraints": { "resourceRules": pods(json!({ "shiny": 1 })) } }),
            1,
            "monitor",
            "spec.matchConstraints.resourceRules[0].shiny: has no equivalent",
        ),
        (
            json!({ "matchConstraints": { "resourceRules": pods(json!({ "scope": "Namespaced" })), "matchPolicy": "Exact", "shiny": 1 } }),
            1,
            "monitor",
            "spec.matchConstraints.shiny: has no equivalent",
        ),
        (json!({ "auditAnnotations": [] }), 1, "protect", "spec.auditAnnotations: has no equivalent"),
    ] {
        let (found, converted) = converted(&validating(&spec).to_string());
        let lines = missing(&converted);
        assert_eq!(found, status, "{spec} {lines:?}");
        assert_eq!(converted["items"][0]["spec"]["mode"], mode, "{spec}");
        assert!(lines.first().is_none_or(|found| found.starts_with(line)), "{lines:?}");
    }
    for (spec, line) in [
        (
            json!({ "matchConstraints": { "resourceRules": pods(json!({ "resources": ["deployments"] })) } }),
            "spec.matchConstraints.resourceRules[0].resources[0]: deployments is not pods",
        ),
        (
            json!({ "matchConstraints": { "resourceRules": pods(json!({ "apiGroups": ["apps"] })) } }),
            "spec.matchConstraints.resourceRules[0].apiGroups: matches no resource that the module judges",
        ),
        (
            json!({ "matchConstraints": { "resourceRules": pods(json!({ "apiVersions": ["v2"] })) } }),
            "spec.matchConstraints.resourceRules[0].apiVersions: matches no resource that the module judges",
        ),
        (
            json!({ "matchConstraints": { "resourceRules": pods(json!({ "scope": "Cluster" })) } }),
            "spec.matchConstraints.resourceRules[0].scope: matches no resource that the module judges",
        ),
        (json!({ "evaluation": { "mode": "JSON" } }), "spec.evaluation.mode: JSON judges payloads"),
        (
            json!({ "validations": [{ "expression": "true" }] }),
            "spec.validations: does not belong to Kyverno's library",
        ),
    ] {
        let (status, converted) = converted(&validating(&spec).to_string());
        let lines = missing(&converted);
        assert!(status == 1 && lines.len() == 1 && lines[0].starts_with(line), "{lines:?}");
        assert_eq!(converted["items"], json!([]));
    }
}

/// Conditions that Kyverno may evaluate, and an API server refuses or cannot parse.
#[test]
fn conditions_that_an_api_server_refuses_are_listed() {
    for (expression, problem) in [
        ("namespaceObject.metadata.name == 'shop'", "uses the variable namespaceObject"),
        ("variables.x", "column 1: variables is not a variable of match conditions"),
        ("sha256(request.name) == 'a'", "column 7: match conditions have no function sha256"),
        ("json.unmarshal('{}') == {}", "column 1: json is not a variable of match conditions"),
        ("yaml.parse('a') == {}", "column 1: yaml is not a variable of match conditions"),
        ("math.round(1.5, 1) == 2.0", "column 1: math is not a variable of match conditions"),
        ("random() == 'a'", "column 7: match conditions have no function random"),
        ("now() > timestamp('2024-01-01T00:00:00Z')", "column 4: match conditions have no function now"),
        ("request.name.to_upper() == 'A'", "column 22: match conditions have no function to_upper"),
        // Kyverno has no such variable.
        ("authorizer.path('/').check('get').allowed()", "uses the function authorizer.path"),
        ("request.name ==", "is not a CEL expression"),
        ("", "is not a CEL expression"),
    ] {
        let conditions = json!([{ "name": "c", "expression": expression }]);
        let (status, converted) =
            converted(&validating(&json!({ "matchConditions": conditions })).to_string());
        let lines = missing(&converted);
        let line = format!("spec.matchConditions[0].expression: {problem}");
        assert!(status == 1 && lines.len() == 1 && lines[0].starts_with(&line), "{expression}: {lines:?}");
        let spec = &converted["items"][0]["spec"];
        assert_eq!(spec["mode"], "monitor", "{expression}");
        assert_eq!(spec["matchConditions"], Value::Null, "{expression}");
    }
    for expression in [
        "request.userInfo.groups.exists(group, group.startsWith('a'))",
        "request.?name.orValue('') != 'a' && request.resource.resource == 'pods'",
    ] {
        let conditions = json!([{ "name": "c", "expression": expression }]);
        let (status, converted) =
            converted(&validating(&json!({ "matchConditions": conditions })).to_string());
        assert_eq!(status, 0, "{expression}: {converted}");
        assert_eq!(converted["items"][0]["spec"]["matchConditions"], conditions);
    }
}

#[test]
fn exceptions_from_validating_policies_are_converted() {
    let exception = |spec: Value| {
        let mut whole = json!({ "policyRefs": [{ "kind": "ValidatingPolicy", "name": "p" }] });
        whole.as_object_mut().unwrap().extend(spec.as_object().unwrap().clone());
        json!({ "apiVersion": "policies.kyverno.io/v1", "kind": "PolicyException", "metadata": { "name": "e" }, "spec": whole })
    };
    let in_shop = json!([{ "name": "c", "expression": "request.namespace == 'shop'" }]);
    let (bad, plural) =
        objects(&json!({ "volumes": [{ "name": "v", "hostPath": { "path": "/srv" } }] })).remove(0);
    for (spec, status, refused, line) in [
        (json!({ "matchConditions": in_shop }), 0, 0, ""),
        (
            json!({ "matchConditions": [{ "name": "c", "expression": "request.namespace == 'other'" }] }),
            0,
            1,
            "",
        ),
        (
            json!({ "matchConditions": in_shop, "images": ["*"] }),
            1,
            1,
            "items[1].spec.images: excludes nothing",
        ),
        (
            json!({ "matchConditions": in_shop, "expires": "x" }),
            1,
            1,
            "items[1].spec.expires: has no equivalent",
        ),
        (
            json!({ "matchConditions": [{ "name": "c", "expression": "namespaceObject == null" }] }),
            1,
            1,
            "items[1].spec.matchConditions[0].expression: uses the variable namespaceObject",
        ),
        (json!({}), 0, 0, ""),
    ] {
        let (found, converted) = converted(&list(&[validating(&json!({})), exception(spec.clone())]));
        let lines = missing(&converted);
        assert_eq!(found, status, "{spec} {lines:?}");
        assert!(lines.first().is_none_or(|found| found.starts_with(line)), "{lines:?}");
        // The lines are about the exception, not about the policy.
        for line in converted["notConverted"].as_array().unwrap() {
            assert_eq!(line["policy"], "PolicyException e", "{line}");
        }
        let manifests = converted["items"].as_array().unwrap();
        assert_eq!(refusals(manifests, &bad, plural, &json!({})).len(), refused, "{spec} {converted}");
    }
    let (status, converted) = converted(&exception(json!({})).to_string());
    assert_eq!(status, 1);
    assert_eq!(missing(&converted), ["spec.policyRefs: names no policy in the input that is converted"]);
}
