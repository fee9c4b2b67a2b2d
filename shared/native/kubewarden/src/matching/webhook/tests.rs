use serde_json::json;

use super::*;
use crate::matching::table::rows;

fn spec(fields: &Value) -> Value {
    let mut spec = json!({
        "rules": [{ "apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*/*"], "operations": ["*"] }],
    });
    spec.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    spec
}

fn webhook(fields: &Value) -> Webhook {
    Webhook::from_spec(&spec(fields)).unwrap()
}

#[expect(clippy::needless_pass_by_value, reason = "calls pass literals")]
fn request(resource: &str, namespace: &str, fields: Value) -> Value {
    let mut request = json!({
        "operation": "UPDATE",
        "resource": { "group": "", "version": "v1", "resource": resource },
        "namespace": namespace,
    });
    request.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    request
}

fn labelled(stage: &str) -> Value {
    json!({ "metadata": { "labels": { "stage": stage } } })
}

fn called() -> Decision {
    Decision::Called(Match::default())
}

fn namespace_is_left() -> Decision {
    Decision::NamespaceIsNotSelected("matchLabels stage=test".into())
}

#[test]
fn namespaces_are_selected_by_their_own_labels() {
    let webhook = webhook(&json!({ "namespaceSelector": { "matchLabels": { "stage": "test" } } }));
    let of_pod = request("pods", "shop", json!({}));
    assert_eq!(webhook.decide(&of_pod, Some(&labelled("test"))), called());
    assert_eq!(webhook.decide(&of_pod, Some(&labelled("live"))), namespace_is_left());
    assert_eq!(webhook.decide(&of_pod, Some(&json!({}))), namespace_is_left());
    assert_eq!(
        webhook.decide(&of_pod, None),
        Decision::Unknown(Reason::Namespace("matchLabels stage=test".into())),
    );
    // Nodes have no namespace.
    assert_eq!(webhook.decide(&request("nodes", "", json!({})), None), called());
    // A written Namespace counts with its new labels, one whose status is written or that is
    // deleted with the stored ones.
    let namespace = request("namespaces", "shop", json!({ "object": labelled("test") }));
    assert_eq!(webhook.decide(&namespace, Some(&labelled("live"))), called());
    let status =
        request("namespaces", "shop", json!({ "object": labelled("test"), "subResource": "status" }));
    assert_eq!(webhook.decide(&status, Some(&labelled("live"))), namespace_is_left());
    let deleted =
        request("namespaces", "shop", json!({ "operation": "DELETE", "oldObject": labelled("test") }));
    assert_eq!(webhook.decide(&deleted, Some(&labelled("live"))), namespace_is_left());
    assert_eq!(webhook.decide(&deleted, Some(&labelled("test"))), called());
}

#[test]
fn a_custom_resource_called_namespaces_has_no_label_with_its_name() {
    let named = json!({ "matchLabels": { "kubernetes.io/metadata.name": "shop" } });
    let webhook = webhook(&json!({ "namespaceSelector": named }));
    let custom = json!({ "group": "example.com", "version": "v1", "resource": "namespaces" });
    for (fields, want) in [
        (json!({}), called()),
        (
            json!({ "resource": custom }),
            Decision::NamespaceIsNotSelected("matchLabels kubernetes.io/metadata.name=shop".into()),
        ),
    ] {
        let mut request = request("namespaces", "shop", fields);
        request["object"] = labelled("test");
        assert_eq!(webhook.decide(&request, Some(&labelled("test"))), want, "{request}");
    }
}

#[test]
fn a_missing_namespace_matters_only_if_a_rule_matches() {
    let webhook = webhook(&json!({
        "rules": [{ "apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"], "operations": ["*"] }],
        "namespaceSelector": { "matchLabels": { "stage": "test" } },
        "objectSelector": { "matchLabels": { "app": "web" } },
    }));
    assert_eq!(webhook.decide(&request("services", "shop", json!({})), None), Decision::NoRuleMatches);
    let object = json!({ "object": { "metadata": { "labels": {} } } });
    assert!(matches!(
        webhook.decide(&request("pods", "shop", object), None),
        Decision::ObjectIsNotSelected(_)
    ));
}

#[test]
fn an_object_is_selected_by_its_new_or_its_old_labels() {
    let webhook = webhook(&json!({ "objectSelector": { "matchLabels": { "stage": "test" } } }));
    let left = || Decision::ObjectIsNotSelected("matchLabels stage=test".into());
    for (fields, want) in [
        (json!({ "object": labelled("test"), "oldObject": labelled("live") }), called()),
        (json!({ "object": labelled("live"), "oldObject": labelled("test") }), called()),
        (json!({ "object": labelled("live"), "oldObject": labelled("live") }), left()),
        (json!({ "oldObject": labelled("test") }), called()),
        (json!({}), Decision::ObjectIsNotSelected("the request has no object with metadata".into())),
    ] {
        assert_eq!(webhook.decide(&request("pods", "shop", fields.clone()), None), want, "{fields}");
    }
}

#[test]
fn an_object_without_metadata_meets_no_selector() {
    let selector = json!({ "matchExpressions": [{ "key": "stage", "operator": "DoesNotExist" }] });
    let webhook = webhook(&json!({ "objectSelector": selector }));
    let exec =
        json!({ "operation": "CONNECT", "object": { "kind": "PodExecOptions" }, "subResource": "exec" });
    assert!(!webhook.decide(&request("pods", "shop", exec), None).is_called());
    assert!(
        webhook.decide(&request("pods", "shop", json!({ "object": { "metadata": {} } })), None).is_called()
    );
}

#[test]
fn a_false_condition_outweighs_an_error() {
    let conditions = |expressions: &[&str]| -> Value {
        let named = expressions
            .iter()
            .enumerate()
            .map(|(at, one)| json!({ "name": format!("c{at}"), "expression": one }));
        json!({ "matchConditions": named.collect::<Vec<_>>() })
    };
    let decide = |expressions: &[&str]| {
        webhook(&conditions(expressions)).decide(&request("pods", "shop", json!({ "object": {} })), None)
    };
    assert_eq!(decide(&["true", "true"]), called());
    assert_eq!(decide(&["object.x == 1", "false"]), Decision::ConditionIsFalse("c1".to_owned()));
    assert!(matches!(decide(&["true", "object.x == 1"]), Decision::ConditionFailed(_)));
    // A condition that is not known could be false, which outweighs the error.
    assert!(matches!(
        decide(&["object.x == 1", "authorizer == null"]),
        Decision::Unknown(Reason::Condition(_))
    ));
    assert_eq!(decide(&["authorizer == null", "false"]), Decision::ConditionIsFalse("c1".to_owned()));
}

#[test]
fn what_configures_admission_and_reviews_are_never_sent() {
    let of_kind = |group, kind| json!({ "kind": { "group": group, "version": "v1", "kind": kind } });
    let of_resource =
        |group, plural| json!({ "resource": { "group": group, "version": "v1", "resource": plural } });
    for (fields, want) in [
        (of_kind("admissionregistration.k8s.io", "ValidatingWebhookConfiguration"), Decision::NeverSent),
        (of_kind("admissionregistration.k8s.io", "MutatingAdmissionPolicyBinding"), Decision::NeverSent),
        (of_kind("example.com", "ValidatingWebhookConfiguration"), called()),
        (of_resource("authentication.k8s.io", "tokenreviews"), Decision::NeverSent),
        (of_resource("authorization.k8s.io", "subjectaccessreviews"), Decision::NeverSent),
        (of_resource("example.com", "tokenreviews"), called()),
        (of_resource("", "serviceaccounts"), called()),
    ] {
        let request = request("any", "", fields);
        assert_eq!(webhook(&json!({})).decide(&request, None), want, "{request}");
    }
}

/// Decides about a rule and a request for resources such as `apps/v1/deployments`.
fn equivalent(rule: &str, asked: &str, fields: &Value, kinds: &Kinds) -> Decision {
    let parts = |resource: &str| -> [String; 3] {
        resource.split('/').map(str::to_owned).collect::<Vec<_>>().try_into().unwrap()
    };
    let [group, version, resource] = parts(rule);
    let rule = json!({ "apiGroups": [group], "apiVersions": [version], "resources": [resource], "operations": ["*"] });
    let mut of_rules = json!({ "rules": [rule] });
    of_rules.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    let [group, version, resource] = parts(asked);
    let asked = json!({
        "operation": "CREATE",
        "kind": { "group": group, "version": version, "kind": "K" },
        "resource": { "group": group, "version": version, "resource": resource },
        "namespace": "shop",
        "object": { "apiVersion": format!("{group}/{version}"), "metadata": {} },
    });
    webhook(&of_rules).decide_with(kinds, &asked, None)
}

#[test]
fn equivalent_resources_are_converted_or_unknown() {
    for (resources, want) in rows(include_str!("equivalent.txt")) {
        let (rule, asked) = resources.split_once(' ').unwrap();
        let decide = |fields: &Value| equivalent(rule, asked, fields, &Kinds::default());
        assert_eq!(decide(&json!({})).explain(), want, "{resources}");
        assert_eq!(decide(&json!({ "matchPolicy": "Exact" })), Decision::NoRuleMatches, "{resources}");
    }
}

#[test]
fn the_versions_of_custom_resources_come_from_their_definition() {
    let definition = |strategy: &str| {
        json!({
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "spec": {
                "group": "example.com",
                "scope": "Namespaced",
                "names": { "kind": "Widget", "plural": "widgets" },
                "versions": [{ "name": "v1", "served": true }, { "name": "v1beta1", "served": true }, { "name": "v0", "served": false }],
                "conversion": { "strategy": strategy },
            },
        })
    };
    let decide = |strategy, version: &str, fields: Value| {
        let mut kinds = Kinds::default();
        assert_eq!(kinds.add_definition(&definition(strategy)), Ok(true));
        let rule = format!("example.com/{version}/widgets");
        equivalent(&rule, "example.com/v1beta1/widgets", &fields, &kinds)
    };
    let to = || GroupVersion { group: "example.com".to_owned(), version: "v1".to_owned() };
    assert_eq!(decide("None", "v1", json!({})), Decision::Called(Match { rule: 0, converted: Some(to()) }));
    assert_eq!(
        decide("Webhook", "v1", json!({})),
        Decision::Unknown(Reason::Conversion { rule: 0, to: to() })
    );
    assert_eq!(decide("None", "v0", json!({})), Decision::NoRuleMatches);
    // Conditions see the converted object.
    let condition = "object.apiVersion == 'example.com/v1' && request.kind.version == 'v1' && \
                     request.requestKind.version == 'v1beta1'";
    let conditions = json!({ "matchConditions": [{ "name": "c", "expression": condition }] });
    assert!(decide("None", "v1", conditions).is_called());
}

#[test]
fn earlier_rules_win() {
    let rule = |resource: &str| json!({ "apiGroups": [""], "apiVersions": ["v1"], "resources": [resource], "operations": ["*"] });
    let webhook = webhook(&json!({ "rules": [rule("services"), rule("pods"), rule("*")] }));
    for (resource, at) in [("services", 0), ("pods", 1), ("secrets", 2)] {
        let decision = webhook.decide(&request(resource, "shop", json!({})), None);
        assert_eq!(decision, Decision::Called(Match { rule: at, converted: None }));
    }
}

#[test]
fn malformed_specifications_are_refused_with_their_path() {
    let refused = |spec: &Value| Webhook::from_spec(spec).unwrap_err().to_string();
    for (spec, want) in rows(include_str!("refused.txt")) {
        let error = refused(&serde_json::from_str(spec).unwrap());
        assert!(error.starts_with(want), "{spec}: {error}");
    }
    let many = (0..65).map(|at| json!({ "name": format!("c{at}"), "expression": "true" }));
    let error = refused(&spec(&json!({ "matchConditions": many.collect::<Vec<_>>() })));
    assert!(error.starts_with("spec.matchConditions: Invalid value: 65 conditions"), "{error}");
}
