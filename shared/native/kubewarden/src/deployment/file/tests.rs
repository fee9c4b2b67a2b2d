use super::*;

#[test]
fn every_policy_has_a_file_that_can_be_read() {
    let ids: Vec<&str> = FILES.iter().map(|(id, _)| *id).collect();
    let known: Vec<&str> = rules::CATALOG.iter().map(|entry| entry.id).collect();
    assert_eq!(ids, known);
    for (id, text) in FILES {
        let read = serde_saphyr::from_str::<Deployment>(text);
        assert!(read.is_ok(), "{id}: {:?}", read.err());
    }
}

/// The fields of an entry are flattened, so serde accepts unknown ones.
#[test]
fn no_entry_has_an_unknown_field() {
    fn check(id: &str, list: &Value, known: &[&str]) {
        for entry in list.as_array().into_iter().flatten() {
            for key in entry.as_object().unwrap().keys() {
                assert!(known.contains(&key.as_str()), "{id}: {key} in {entry}");
            }
            assert!(!entry["expression"].is_string() || entry["anyOf"].is_null(), "{id}: {entry}");
            check(id, &entry["anyOf"], &["expression", "in", "unless", "when"]);
        }
    }
    let rule = &["apiGroups", "apiVersions", "operations", "resources", "unless", "when"];
    for (id, text) in FILES {
        let file: Value = serde_saphyr::from_str(text).unwrap();
        check(id, &file["rules"], rule);
        check(id, &file["audit"]["rules"], rule);
        check(id, &file["matchConditions"], &["anyOf", "expression", "name", "unless", "when"]);
        check(id, &file["contextAwareResources"], &["apiVersion", "kind", "unless", "when"]);
        check(id, &file["clusterRoleRules"], &["apiGroups", "resources", "unless", "verbs", "when"]);
    }
}

#[test]
fn needs_follow_from_the_settings() {
    let names = |id, settings: Value| -> Vec<String> {
        find(id)
            .unwrap()
            .needs(&settings)
            .match_conditions
            .into_iter()
            .map(|condition| condition.name)
            .collect()
    };
    assert_eq!(names("external-ips", json!({})), ["claims-addresses", "changes-addresses"]);
    assert_eq!(names("external-ips", json!({ "conflicts": "DenySamePort" })), ["claims-addresses"]);
    let restrict = json!({ "nodeBoundTokens": "Restrict" });
    assert_eq!(names("node-labels", restrict.clone())[0], "is-a-node-or-bound-to-one");
    let rules = |settings: &Value| find("node-pods").unwrap().needs(settings).rules.len();
    assert_eq!((rules(&json!({})), rules(&restrict)), (3, 5));
    let mutating = |id, settings: Value| find(id).unwrap().needs(&settings).mutating;
    assert!(mutating("selinux", Value::Null) && mutating("node-pods", json!({ "mode": "Munge" })));
    assert!(!mutating("selinux", json!({ "mode": "Validate" })) && !mutating("pod-security", json!({})));
}

/// Returns the stale ones among the conditions that are needed in a place for settings, after
/// an edit of the settings.
fn stale(id: &str, place: Place, before: &Value, after: &Value) -> Vec<String> {
    let policy = find(id).unwrap();
    let needs = policy.needs_in(place, before);
    let conditions = needs.match_conditions.iter();
    let present = conditions.map(|one| (one.name.as_str(), one.expression.as_str()));
    policy.stale_conditions(after, present).into_iter().map(str::to_owned).collect()
}

#[test]
fn a_condition_that_excludes_more_than_the_settings_admit_is_stale() {
    const REGISTERS: &str = "does-more-than-register-an-ordinary-node";
    const OF_NODES: [&str; 2] = ["is-named-as-a-node", "is-in-the-group-of-nodes"];
    let (default, labels) = (json!({}), json!({ "allowedLabelKeys": ["example.com/zone"] }));
    let owners = json!({ "ownerReferenceChanges": "Allow" });
    let deny = json!({ "selfRegistration": "Deny" });
    let restrict = json!({ "nodeBoundTokens": "Restrict" });
    for (place, before, after, names) in [
        (Place::Chart, &labels, &default, &[REGISTERS][..]),
        (Place::Chart, &owners, &default, &[REGISTERS]),
        (Place::Chart, &default, &owners, &[]),
        (Place::Chart, &default, &deny, &[REGISTERS]),
        (Place::Chart, &deny, &default, &[]),
        (Place::Manifest, &default, &labels, &[]),
        (Place::Manifest, &labels, &default, &[]),
        (Place::Manifest, &default, &deny, &[REGISTERS]),
        (
            Place::Manifest,
            &default,
            &restrict,
            &[&OF_NODES[..], &["changes-a-restricted-field", REGISTERS]].concat(),
        ),
    ] {
        assert_eq!(stale("node-labels", place, before, after), names, "{before} {after}");
    }
    // The conditions of these policies do not depend on the place.
    for (id, before, after, names) in [
        ("external-ips", &default, &json!({ "conflicts": "DenySamePort" }), &["changes-addresses"][..]),
        ("external-ips", &json!({ "conflicts": "DenySamePort" }), &default, &[]),
        ("pod-security", &default, &json!({ "namespaceLabels": "Honor" }), &["changes-the-pod-or-template"]),
        ("pod-security", &json!({ "namespaceLabels": "Honor" }), &default, &[]),
    ] {
        assert_eq!(stale(id, Place::Manifest, before, after), names, "{id}: {before} {after}");
    }
}

#[test]
fn rules_that_the_settings_need_are_missed() {
    let (default, restrict) = (json!({}), json!({ "nodeBoundTokens": "Restrict" }));
    let missing = |id: &str, before: &Value, after: &Value| {
        let policy = find(id).unwrap();
        let webhook = Webhook::from_spec(&json!({ "rules": policy.needs(before).rules })).unwrap();
        policy.missing_rules(after, &webhook)
    };
    for (id, settings) in [
        ("external-ips", json!({ "fields": ["status.loadBalancer.ingress"] })),
        ("node-pods", restrict.clone()),
        ("pod-security", json!({ "namespaceLabels": "Honor" })),
        ("selinux", json!({ "mode": "Validate", "exempt": { "pods": [{ "images": ["a"] }] } })),
    ] {
        assert_eq!(missing(id, &settings, &settings), [] as [&str; 0], "{id}");
        assert_eq!(missing(id, &settings, &default), [] as [&str; 0], "{id}");
        assert!(!missing(id, &default, &settings).is_empty(), "{id}");
    }
    let status = json!({ "fields": ["status.loadBalancer.ingress"] });
    assert_eq!(missing("external-ips", &default, &status), ["UPDATE of services/status"]);
    let of = |id: &str, rule: Value| {
        let webhook = Webhook::from_spec(&json!({ "rules": [rule] })).unwrap();
        find(id).unwrap().missing_rules(&json!({}), &webhook)
    };
    let all = json!({ "apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*/*"], "operations": ["*"] });
    assert_eq!(of("node-pods", all), [] as [&str; 0]);
    let nodes = json!({ "apiGroups": [""], "apiVersions": ["v1"], "resources": ["nodes"], "operations": ["CREATE", "UPDATE"], "scope": "Cluster" });
    assert_eq!(of("node-labels", nodes), ["DELETE of nodes", "UPDATE of nodes/status"]);
    let namespaced = json!({ "apiGroups": [""], "apiVersions": ["v1"], "resources": ["nodes/*", "nodes"], "operations": ["*"], "scope": "Namespaced" });
    assert_eq!(of("node-labels", namespaced).len(), 4);
    // Rules for pods alone are enough for a policy for pods.
    let pods =
        json!({ "apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"], "operations": ["CREATE"] });
    assert_eq!(of("pod-security", pods.clone()), [] as [&str; 0]);
    let webhook = Webhook::from_spec(&json!({ "rules": [pods] })).unwrap();
    let guard = json!({ "mode": "Validate" });
    assert_eq!(find("selinux").unwrap().missing_rules(&guard, &webhook), [] as [&str; 0]);
}

#[test]
fn only_own_conditions_are_stale_whatever_their_line_breaks() {
    let policy = find("external-ips").unwrap();
    let [claims, changes] =
        <[MatchCondition; 2]>::try_from(policy.needs(&json!({})).match_conditions).unwrap();
    let on_one_line = claims.expression.split_whitespace().collect::<Vec<_>>().join(" ");
    let wider = format!("{on_one_line} || request.name == 'a'");
    let narrower = format!("{} && request.name != 'a'", changes.expression);
    let in_brackets = format!(
        "(request.name == 'b' || {} || request.name == 'c') && request.name != 'a'",
        claims.expression
    );
    let present = [
        (claims.name.as_str(), on_one_line.as_str()),
        (claims.name.as_str(), wider.as_str()),
        (changes.name.as_str(), narrower.as_str()),
        (claims.name.as_str(), in_brackets.as_str()),
        ("is-of-a-user", "request.name != 'a'"),
    ];
    let stale = [changes.name.as_str(), claims.name.as_str()];
    assert_eq!(policy.stale_conditions(&json!({}), present), stale);
    let is_stale = |expression: String| {
        !policy.stale_conditions(&json!({}), [(claims.name.as_str(), expression.as_str())]).is_empty()
    };
    let needed = &claims.expression;
    // A conditional operator and a comment leave alternatives out.
    assert!(is_stale(format!("request.name == 'a' ? false : false ||\n{needed}")));
    assert!(is_stale(format!("request.name == 'a' // || {on_one_line}")));
    // Quotes in comments and texts are not those of a text.
    assert!(!is_stale(format!("request.name == 'a' // the team's own\n|| {needed}")));
    assert!(!is_stale(format!(
        "request.name == 'it\\'s' || r'\\' == '' || \"\"\" ' \"\"\" == '' || {needed}"
    )));
}

#[test]
fn an_expression_contains_settings() {
    let settings = json!({ "keys": ["a/b", "\"'\\"], "other": [] });
    assert_eq!(
        with_settings("key in $(keys) + $(other) + $(absent) || $(keys).size() > 1", &settings),
        r#"key in ["a/b","\"'\\"] + [] + [] || ["a/b","\"'\\"].size() > 1"#
    );
}

/// An edit of the settings in a manifest cannot open a hole by labels that become protected.
#[test]
fn the_conditions_of_a_manifest_contain_no_settings() {
    let settings = json!({ "protectedLabelKeys": ["team"], "allowedLabelKeys": ["kubernetes.io/role"] });
    let conditions = |needs: Needs| json!(needs.match_conditions);
    let deployment = find("node-labels").unwrap();
    assert_eq!(
        conditions(deployment.manifest_needs(&settings)),
        conditions(deployment.manifest_needs(&json!({})))
    );
    assert_ne!(conditions(deployment.needs(&settings)), conditions(deployment.needs(&json!({}))));
}

#[test]
fn audits_are_for_policies_that_do_not_evaluate_users() {
    for (id, audits, background_audit) in [
        ("external-ips", true, true),
        ("node-labels", false, false),
        ("node-pods", false, false),
        ("pod-security", true, false),
        ("selinux", true, false),
    ] {
        let deployment = find(id).unwrap();
        assert_eq!(deployment.audit_needs(&json!({})).is_some(), audits, "{id}");
        assert_eq!(deployment.needs(&json!({})).background_audit, background_audit, "{id}");
    }
}
