use super::*;

#[test]
fn a_policy_of_portcullis_has_its_needs() {
    let policy = Policy::of_id("selinux", &Value::Null).unwrap();
    let module = policy.modules().next().unwrap();
    assert!(policy.is_mutating && matches!(module.engine, Engine::Native(_)));
    assert!(module.look_ups.contains(&("v1".to_owned(), "Namespace".to_owned())));
    let policy = Policy::of_id("selinux", &json!({ "mode": "Mutated" })).unwrap();
    assert!(policy.unavailable().unwrap().contains("did you mean Mutate?"));
    assert!(Policy::of_id("other", &Value::Null).is_none());
}

#[test]
fn only_this_version_of_an_own_policy_is_carried() {
    let version = env!("CARGO_PKG_VERSION");
    for (reference, id) in [
        (format!("registry://ghcr.io/portcullis/policies/selinux:v{version}"), Some("selinux")),
        (format!("ghcr.io/portcullis/policies/node-pods:v{version}"), Some("node-pods")),
        ("registry://ghcr.io/portcullis/policies/selinux:v0.0.1".to_owned(), None),
        (format!("registry://ghcr.io/portcullis/policies/selinux:{version}"), None),
        (format!("registry://ghcr.io/portcullis/policies/other:v{version}"), None),
        (format!("registry://ghcr.io/other/policies/selinux:v{version}"), None),
        (format!("example.com/ghcr.io/portcullis/policies/selinux:v{version}"), None),
        ("ghcr.io/portcullis/policies/selinux".to_owned(), None),
    ] {
        assert_eq!(Engine::carried(&reference).map(|entry| entry.id), id, "{reference}");
    }
}

#[test]
fn a_condition_for_other_settings_has_a_warning() {
    let deployed = json!({ "allowedLabelKeys": ["example.com/zone"] });
    let needs = kubewarden::deployment::find("node-labels").unwrap().needs(&deployed);
    let warnings = |settings: &Value| {
        let manifest = json!({
            "apiVersion": "policies.kubewarden.io/v1",
            "kind": "ClusterAdmissionPolicy",
            "metadata": { "name": "node-labels" },
            "spec": {
                "module": "registry://registry.example/node-labels:v0.1.0",
                "settings": settings,
                "mutating": false,
                "rules": needs.rules,
                "matchConditions": needs.match_conditions,
            },
        });
        let manifest = PolicyManifest::read(&manifest).unwrap();
        let entry = rules::find("node-labels").unwrap();
        Policy::of_manifest(manifest, &mut |_, _| Engine::Native(entry)).warnings
    };
    assert!(warnings(&deployed).is_empty());
    let edited = warnings(&json!({ "allowedLabelKeys": [] }));
    assert!(
        matches!(edited.as_slice(), [one] if one.contains("deny: does-more-than-register-an-ordinary-node;")),
        "{edited:?}"
    );
}

#[test]
fn a_policy_without_a_deployment_receives_every_request() {
    let policy = Policy::of_rules("external-ips", &Value::Null).unwrap();
    let request = json!({
        "operation": "CONNECT",
        "resource": { "group": "x", "version": "v2", "resource": "a" },
        "subResource": "b",
    });
    assert!(policy.webhook.decide(&request, None).is_called());
    assert!(!Policy::of_id("external-ips", &Value::Null).unwrap().webhook.decide(&request, None).is_called());
}

#[test]
fn mutating_policies_come_first_then_names_of_configurations_count() {
    let policy = |name: &str, namespace: Option<&str>, is_mutating| {
        let mut policy = Policy::of_id("pod-security", &Value::Null).unwrap();
        policy.reference.name = name.to_owned();
        policy.reference.namespace = namespace.map(str::to_owned);
        Policy { is_mutating, ..policy }
    };
    let mut policies = [
        policy("b", None, false),
        policy("a", Some("n"), true),
        policy("a", None, false),
        policy("z", None, true),
    ];
    policies.sort_by_key(Policy::order);
    let names: Vec<String> = policies.iter().map(|policy| policy.order().1).collect();
    assert_eq!(names, ["clusterwide-z", "namespaced-n-a", "clusterwide-a", "clusterwide-b"]);
}
