use serde_json::json;

use super::*;
use crate::matching::decision::{Decision, Match};
use crate::matching::table::rows;

fn rules() -> Value {
    json!([{ "apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods", "nodes"], "operations": ["CREATE"] }])
}

fn manifest(kind: &str, spec: &Value) -> Value {
    let mut manifest = json!({
        "apiVersion": "policies.kubewarden.io/v1",
        "kind": kind,
        "metadata": { "name": "no-root" },
        "spec": { "rules": rules() },
    });
    if !kind.starts_with("Cluster") {
        manifest["metadata"]["namespace"] = json!("shop");
    }
    let fields = manifest["spec"].as_object_mut().unwrap();
    if kind.ends_with("Group") {
        fields.insert("expression".to_owned(), json!("a() && b()"));
        fields.insert("message".to_owned(), json!("neither a nor b"));
        let members = json!({ "a": { "module": "registry://example.com/a:v1" }, "b": { "module": "registry://example.com/b:v1", "settings": { "x": 1 } } });
        fields.insert("policies".to_owned(), members);
    } else {
        fields.insert("module".to_owned(), json!("registry://example.com/no-root:v1"));
        fields.insert("mutating".to_owned(), json!(false));
    }
    fields.extend(spec.as_object().unwrap().clone());
    manifest
}

fn read(kind: &str, spec: &Value) -> PolicyManifest {
    PolicyManifest::read(&manifest(kind, spec)).unwrap_or_else(|error| panic!("{error}"))
}

fn refused(manifest: &Value) -> String {
    PolicyManifest::read(manifest).unwrap_err().to_string()
}

fn creation(resource: &str, namespace: &str) -> Value {
    json!({
        "operation": "CREATE",
        "resource": { "group": "", "version": "v1", "resource": resource },
        "namespace": namespace,
        "object": { "metadata": { "name": "a" } },
    })
}

#[test]
fn reads_every_field_of_a_policy() {
    let mut policy = manifest(
        "ClusterAdmissionPolicy",
        &json!({
            "policyServer": "strict",
            "mode": "monitor",
            "mutating": true,
            "settings": { "users": [1] },
            "contextAwareResources": [{ "apiVersion": "v1", "kind": "Namespace" }],
            "backgroundAudit": false,
            "failurePolicy": "Ignore",
            "timeoutSeconds": 5,
            "timeoutEvalSeconds": 2,
            "message": "ask the team",
            "matchPolicy": "Exact",
            "sideEffects": "None",
            "allowInsideAdmissionControllerNamespace": true,
        }),
    );
    policy["metadata"]["annotations"] = json!({
        "io.kubewarden.policy.severity": "high",
        "io.kubewarden.policy.category": "Pods",
        "io.artifacthub.displayName": "No root",
        "io.kubewarden.policy.description": "Rejects root",
    });
    let read = PolicyManifest::read(&policy).unwrap();
    assert_eq!(
        (read.kind, read.name.as_str(), &read.namespace),
        (PolicyKind::ClusterAdmissionPolicy, "no-root", &None)
    );
    assert_eq!((read.policy_server.as_str(), read.mode, read.is_mutating), ("strict", Mode::Monitor, true));
    assert_eq!((read.background_audit, read.failure_policy), (false, FailurePolicy::Ignore));
    assert_eq!((read.timeout_seconds, read.message.as_deref()), (5, Some("ask the team")));
    let annotations = &read.annotations;
    assert_eq!(
        [&annotations.severity, &annotations.category, &annotations.title, &annotations.description]
            .map(|text| text.as_deref().unwrap()),
        ["high", "Pods", "No root", "Rejects root"],
    );
    let (name, module) = read.modules().next().unwrap();
    assert_eq!((name, module.module.as_str()), (None, "registry://example.com/no-root:v1"));
    assert_eq!(module.settings, json!({ "users": [1] }));
    assert_eq!(module.context_aware_resources.len(), 1);
    assert_eq!(read.warnings, Vec::<String>::new());
}

#[test]
fn absent_fields_have_the_defaults_of_kubewarden() {
    let read = read("ClusterAdmissionPolicy", &json!({ "settings": null }));
    assert_eq!(
        (read.policy_server.as_str(), read.mode, read.background_audit),
        ("default", Mode::Protect, true)
    );
    assert_eq!((read.failure_policy, read.timeout_seconds), (FailurePolicy::Fail, 10));
    let (_, module) = read.modules().next().unwrap();
    assert_eq!(module.settings, json!({}));
}

#[test]
fn reads_groups() {
    let context =
        json!({ "a": { "module": "m", "contextAwareResources": [{ "apiVersion": "v1", "kind": "Pod" }] } });
    let group = read("ClusterAdmissionPolicyGroup", &json!({ "policies": context, "expression": "!a()" }));
    assert!(!group.is_mutating);
    let Evaluator::Group(members) = &group.evaluator else { panic!("{group:?}") };
    assert_eq!(members.expression(), "!a()");
    assert_eq!(members.members()["a"].context_aware_resources[0].kind, "Pod");
    assert_eq!(group.message.as_deref(), Some("neither a nor b"));
    let group = read("AdmissionPolicyGroup", &json!({}));
    assert_eq!(group.modules().map(|(name, _)| name.unwrap()).collect::<Vec<_>>(), ["a", "b"]);
}

#[test]
fn the_older_version_has_fewer_fields() {
    let mut old = manifest("ClusterAdmissionPolicy", &json!({}));
    old["apiVersion"] = json!("policies.kubewarden.io/v1alpha2");
    assert!(PolicyManifest::read(&old).is_ok());
    old["spec"]["matchConditions"] = json!([]);
    assert_eq!(refused(&old), "spec.matchConditions: Forbidden: unknown field; remove it");
    let mut group = manifest("AdmissionPolicyGroup", &json!({}));
    group["apiVersion"] = json!("policies.kubewarden.io/v1alpha2");
    assert_eq!(
        refused(&group),
        "apiVersion: Invalid value: AdmissionPolicyGroup has no version v1alpha2; write policies.kubewarden.io/v1",
    );
}

#[test]
fn cluster_wide_policies_leave_kubewarden_out() {
    for kind in ["ClusterAdmissionPolicy", "ClusterAdmissionPolicyGroup"] {
        let policy = read(kind, &json!({}));
        let decide = |request: Value| policy.webhook.decide(&request, None);
        assert!(decide(creation("pods", "shop")).is_called());
        assert!(decide(creation("nodes", "")).is_called());
        let out = decide(creation("pods", "kubewarden"));
        assert_eq!(
            out.explain(),
            "the Namespace does not meet spec.namespaceSelector: matchExpressions[0] kubernetes.io/metadata.name \
             NotIn [kubewarden]",
        );
        let elsewhere = Installation { namespace: "security".to_owned(), ..Installation::default() };
        let policy = PolicyManifest::read_for(&manifest(kind, &json!({})), &elsewhere).unwrap();
        assert!(policy.webhook.decide(&creation("pods", "kubewarden"), None).is_called());
        assert!(!policy.webhook.decide(&creation("pods", "security"), None).is_called());
    }
}

#[test]
fn a_resource_that_kubernetes_does_not_have_is_a_warning() {
    let warnings = |group: &str, resources: Value| {
        let rule = json!({ "apiGroups": [group], "apiVersions": ["v1"], "resources": resources, "operations": ["CREATE"] });
        read("ClusterAdmissionPolicy", &json!({ "rules": [rule] })).warnings
    };
    assert_eq!(
        warnings("", json!(["services", "pod"])),
        ["spec.rules[0].resources: Kubernetes has no pod in these groups; did you mean pods?"],
    );
    assert_eq!(
        warnings("apps", json!(["Deployment/status"])),
        ["spec.rules[0].resources: Kubernetes has no Deployment in these groups; did you mean deployments?"],
    );
    assert_eq!(
        warnings("core", json!(["pods"])),
        ["spec.rules[0].apiGroups: Kubernetes has no API group core; the group of v1 is \"\""],
    );
    assert_eq!(
        warnings("app", json!(["deployments"])),
        ["spec.rules[0].apiGroups: Kubernetes has no API group app; did you mean apps?"],
    );
    let none = [] as [&str; 0];
    assert_eq!(warnings("", json!(["pods", "pods/status", "*/scale"])), none);
    assert_eq!(warnings("apps", json!(["*"])), none);
    assert_eq!(warnings("*", json!(["pod"])), none);
    assert_eq!(warnings("example.com", json!(["pod"])), none);
}

/// The default of Kubewarden's chart.
#[test]
fn policy_servers_admit_each_request_in_their_own_namespace() {
    let inside = json!({ "allowInsideAdmissionControllerNamespace": true });
    let evaluates = Installation { accepts_own_namespace: false, ..Installation::default() };
    let elsewhere = Installation { namespace: "shop".to_owned(), ..Installation::default() };
    for (kind, spec, namespace, installation) in [
        ("ClusterAdmissionPolicy", &inside, "kubewarden", Installation::default()),
        ("ClusterAdmissionPolicyGroup", &inside, "kubewarden", Installation::default()),
        // The policy is in the namespace `shop`.
        ("AdmissionPolicy", &json!({}), "shop", elsewhere.clone()),
        ("AdmissionPolicyGroup", &json!({}), "shop", elsewhere),
    ] {
        let decide = |installation: &Installation, namespace| {
            let policy = PolicyManifest::read_for(&manifest(kind, spec), installation).unwrap();
            policy.webhook.decide(&creation("pods", namespace), None)
        };
        let admitted = decide(&installation, namespace);
        assert_eq!(admitted, Decision::AdmittedByServer, "{kind}");
        assert_eq!(
            admitted.explain(),
            "Kubewarden's policy servers admit each request in their own namespace",
        );
        let asked = Installation { accepts_own_namespace: false, ..installation };
        assert!(decide(&asked, namespace).is_called(), "{kind}");
    }
    let policy = PolicyManifest::read_for(&manifest("ClusterAdmissionPolicy", &inside), &evaluates).unwrap();
    assert!(policy.webhook.decide(&creation("pods", "shop"), None).is_called());
}

/// The controller copies `matchExpressions` alone.
#[test]
fn labels_of_a_namespace_selector_are_lost_unless_kubewarden_is_evaluated_too() {
    let selector = json!({
        "matchLabels": { "stage": "live" },
        "matchExpressions": [{ "key": "team", "operator": "Exists" }],
    });
    let test = json!({ "metadata": { "labels": { "stage": "test", "team": "a" } } });
    let teamless = json!({ "metadata": { "labels": { "stage": "live" } } });
    for kind in ["ClusterAdmissionPolicy", "ClusterAdmissionPolicyGroup"] {
        let policy = read(kind, &json!({ "namespaceSelector": selector }));
        let decide = |namespace| policy.webhook.decide(&creation("pods", "shop"), Some(namespace));
        assert!(decide(&test).is_called());
        assert!(!decide(&teamless).is_called());
        assert_eq!(
            policy.warnings,
            [
                "spec.namespaceSelector.matchLabels: Kubewarden ignores these labels, so the policy also evaluates other \
              namespaces; write them as matchExpressions, such as {key: stage, operator: In, values: [live]}"
            ],
        );
        let inside =
            json!({ "namespaceSelector": selector, "allowInsideAdmissionControllerNamespace": true });
        let installation = Installation { accepts_own_namespace: false, ..Installation::default() };
        let policy = PolicyManifest::read_for(&manifest(kind, &inside), &installation).unwrap();
        let decide = |namespace| policy.webhook.decide(&creation("pods", "kubewarden"), Some(namespace));
        assert!(!decide(&test).is_called());
        assert!(!decide(&teamless).is_called());
        assert!(decide(&json!({ "metadata": { "labels": { "stage": "live", "team": "a" } } })).is_called());
        assert!(policy.warnings.is_empty());
    }
}

#[test]
fn namespaced_policies_evaluate_their_own_namespace() {
    for kind in ["AdmissionPolicy", "AdmissionPolicyGroup"] {
        let policy = read(kind, &json!({}));
        assert_eq!(policy.namespace.as_deref(), Some("shop"));
        let decide = |request: Value| policy.webhook.decide(&request, None);
        assert_eq!(decide(creation("pods", "shop")), Decision::Called(Match::default()));
        assert!(matches!(decide(creation("pods", "other")), Decision::NamespaceIsNotSelected(_)));
        // The scope is Namespaced, whatever the rule says.
        assert_eq!(decide(creation("nodes", "")), Decision::NoRuleMatches);
        let mut unplaced = manifest(kind, &json!({}));
        unplaced["metadata"].as_object_mut().unwrap().remove("namespace");
        assert!(refused(&unplaced).starts_with("metadata.namespace: Required value"));
        let installation =
            Installation { policy_namespace: Some("shop".to_owned()), ..Installation::default() };
        let placed = PolicyManifest::read_for(&unplaced, &installation).unwrap();
        assert_eq!(placed.namespace.as_deref(), Some("shop"));
    }
}

#[test]
fn mutating_policies_come_first_in_the_order_of_their_configurations() {
    let named = |kind: &str, name: &str, mutating: bool| {
        let spec = if kind.ends_with("Group") { json!({}) } else { json!({ "mutating": mutating }) };
        let mut manifest = manifest(kind, &spec);
        manifest["metadata"]["name"] = json!(name);
        PolicyManifest::read(&manifest).unwrap()
    };
    let mut policies = vec![
        named("AdmissionPolicyGroup", "a", false),
        named("ClusterAdmissionPolicyGroup", "z", false),
        named("ClusterAdmissionPolicy", "b", false),
        named("AdmissionPolicy", "a", true),
        named("ClusterAdmissionPolicy", "z", true),
    ];
    PolicyManifest::sort(&mut policies);
    assert_eq!(
        policies.iter().map(PolicyManifest::configuration_name).collect::<Vec<_>>(),
        [
            "clusterwide-z",
            "namespaced-shop-a",
            "clusterwide-b",
            "clusterwide-group-z",
            "namespaced-group-shop-a"
        ],
    );
}

#[test]
fn malformed_manifests_are_refused_with_path_and_remedy() {
    for (fields, want) in rows(include_str!("tests.txt")) {
        let (kind, spec) = fields.split_once(' ').unwrap();
        let manifest = manifest(kind, &serde_json::from_str(spec).unwrap());
        match PolicyManifest::read(&manifest).map_err(|error| error.to_string()) {
            Ok(_) => assert_eq!(want, "accepted", "{fields}"),
            Err(error) => assert!(error.starts_with(want) && error.contains("; "), "{fields}: {error}"),
        }
    }
    let mut indented = manifest("ClusterAdmissionPolicy", &json!({}));
    indented["rules"] = rules();
    assert!(refused(&indented).starts_with("rules: Forbidden: unknown field"));
    for (object, want) in [
        (json!({ "apiVersion": "v1", "kind": "Pod" }), "kind: Invalid value: not a policy"),
        (json!([]), "kind: Invalid value: not a policy"),
        (
            json!({ "apiVersion": "policies.kubewarden.io/v1", "kind": "AdmissionPolicy", "metadata": {} }),
            "spec: Required value",
        ),
    ] {
        assert!(refused(&object).starts_with(want), "{}", refused(&object));
        assert_eq!(PolicyKind::of(&object).is_some(), object["kind"] == "AdmissionPolicy");
    }
    let mut unnamed = manifest("ClusterAdmissionPolicy", &json!({}));
    unnamed["metadata"] = json!({});
    assert_eq!(refused(&unnamed), "metadata.name: Required value: a policy has a name; add it");
}

#[test]
fn misspelt_policies_are_known_from_other_objects() {
    let names = "ClusterAdmissionPolicy, AdmissionPolicy, ClusterAdmissionPolicyGroup, AdmissionPolicyGroup";
    let kind = format!("is not a kind of policy and evaluates nothing; write {names}");
    let group = "is not a policy of Kubewarden and evaluates nothing; write policies.kubewarden.io/v1";
    for (version, of, problem) in [
        ("policies.kubewarden.io/v1", "ClusterAdmisionPolicy", kind.as_str()),
        ("policies.kubewarden.io/v1", "AdmissionPolicies", &kind),
        ("policy.kubewarden.io/v1", "ClusterAdmissionPolicy", group),
        ("policy.kubewarden.io/v1", "AdmissionPolicy", group),
        ("v1", "ClusterAdmissionPolicyGroup", group),
        ("policies.kubewarden.io/v1", "ClusterAdmissionPolicy", ""),
        ("policies.kubewarden.io/v1alpha2", "AdmissionPolicy", ""),
        ("policies.kubewarden.io/v1", "PolicyServer", ""),
        ("example.com/v1", "AdmissionPolicy", ""),
        ("rbac.authorization.k8s.io/v1", "ClusterRole", ""),
    ] {
        let found = PolicyKind::misspelt(&json!({ "apiVersion": version, "kind": of }));
        let want = (!problem.is_empty()).then(|| format!("{of} of {version} {problem}"));
        assert_eq!(found, want);
    }
    assert_eq!(PolicyKind::misspelt(&json!([])), None);
}
