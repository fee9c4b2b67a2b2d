//! Laws of the conversion, over generated policies and exceptions.

use std::collections::BTreeSet;

use convert::{Class, Conversion, Document, kyverno};
use kubewarden::matching::Webhook;
use proptest::prelude::*;
use rules::pattern::Pattern;
use serde_json::{Value, json};

use super::requests::refusals;

/// One of several values.
fn one_of(values: Vec<Value>) -> BoxedStrategy<Value> {
    prop::sample::select(values).boxed()
}

/// A text or a pattern, with characters that a regular expression could take for others.
fn characters(of: &'static str) -> impl Strategy<Value = String> {
    let character = prop::sample::select(of.chars().collect::<Vec<char>>());
    prop::collection::vec(character, 0..6).prop_map(|text| text.into_iter().collect())
}

/// A filter of `match` or `exclude`, with some of the fields of Kyverno.
fn filter() -> impl Strategy<Value = Value> {
    let kinds = one_of(vec![
        json!(["Pod"]),
        json!(["v1/Pod", "Deployment"]),
        json!(["*/*"]),
        json!(["Pod/ephemeralcontainers"]),
        json!(["apps/v1/*Set"]),
        json!(["Service"]),
        json!(null),
    ]);
    let names = one_of(vec![json!(null), json!(["a", "b-*"]), json!(["it's", "?"])]);
    let namespaces = one_of(vec![json!(null), json!(["shop"]), json!(["team-*", "x"]), json!([])]);
    let labels = one_of(vec![
        json!(null),
        json!({ "matchLabels": { "a": "b" } }),
        json!({ "matchLabels": { "a*": "?" } }),
        json!({ "matchExpressions": [{ "key": "a", "operator": "NotIn", "values": ["b", "c"] }] }),
        json!({ "matchLabels": { "a": "b" }, "matchExpressions": [{ "key": "c", "operator": "Exists" }] }),
    ]);
    let operations =
        one_of(vec![json!(null), json!(["CREATE"]), json!(["DELETE"]), json!(["UPDATE", "CONNECT"])]);
    let subjects = one_of(vec![
        json!(null),
        json!([{ "kind": "User", "name": "ann" }, { "kind": "Group", "name": "g*" }]),
        json!([{ "kind": "ServiceAccount", "name": "a", "namespace": "b" }]),
    ]);
    let resources = (kinds, names, namespaces, labels.clone(), labels, operations).prop_map(
        |(kinds, names, namespaces, selector, namespace_selector, operations)| {
            json!({
                "kinds": kinds,
                "names": names,
                "namespaces": namespaces,
                "selector": selector,
                "namespaceSelector": namespace_selector,
                "operations": operations,
            })
        },
    );
    (resources, subjects, any::<bool>()).prop_map(|(resources, subjects, has_roles)| {
        let mut filter = json!({ "resources": resources, "subjects": subjects });
        if has_roles {
            filter["unknownThing"] = json!([]);
        }
        filter
    })
}

/// `match` or `exclude`.
fn filters() -> impl Strategy<Value = Value> {
    (prop::collection::vec(filter(), 1..4), any::<bool>())
        .prop_map(|(filters, any)| json!({ (if any { "any" } else { "all" }): filters }))
}

fn entries() -> impl Strategy<Value = Value> {
    let entry = one_of(vec![
        json!({ "controlName": "Capabilities", "images": ["*"] }),
        json!({ "controlName": "Capabilities" }),
        json!({ "controlName": "Sysctls", "restrictedField": "spec.nothing", "values": ["a"] }),
        json!({ "controlName": "HostPath Volumes", "restrictedField": "spec.volumes[*].hostPath", "values": ["/a"] }),
        json!({ "controlName": "Nothing", "more": 1 }),
    ]);
    prop::collection::vec(entry, 0..3).prop_map(Value::from)
}

fn rule() -> impl Strategy<Value = Value> {
    let version = one_of(vec![json!("latest"), json!("v1.24"), json!(null), json!("v9")]);
    let overrides = one_of(vec![
        json!(null),
        json!([{ "action": "Enforce", "namespaces": ["a"] }, { "action": "Audit", "namespaces": ["b*"] }]),
        json!([{ "action": "Audit", "namespaceSelector": { "matchLabels": { "a": "b" } } }]),
    ]);
    let check = (one_of(vec![json!("baseline"), json!("restricted")]), version, entries());
    let check = check.prop_map(
        |(level, version, exclude)| json!({ "level": level, "version": version, "exclude": exclude }),
    );
    let others = one_of(vec![json!({ "pattern": {} }), json!({ "deny": {} }), json!(null)]);
    (filters(), prop::option::of(filters()), prop::option::weighted(0.8, check), overrides, others).prop_map(
        |(matched, excluded, check, overrides, other)| match check {
            Some(check) => json!({
                "match": matched,
                "exclude": excluded,
                "validate": { "podSecurity": check, "failureActionOverrides": overrides },
            }),
            None => json!({ "match": matched, "validate": other }),
        },
    )
}

/// A policy with rules, and exceptions for them.
fn documents() -> impl Strategy<Value = Vec<Value>> {
    let exception =
        (filters(), entries(), any::<bool>(), one_of(vec![json!(["*"]), json!(["r0", "autogen-*"])]));
    let exception = exception.prop_map(|(matched, entries, background, rules)| {
        json!({
            "apiVersion": "kyverno.io/v2",
            "kind": "PolicyException",
            "metadata": { "name": "e" },
            "spec": {
                "exceptions": [{ "policyName": "p", "ruleNames": rules }],
                "match": matched,
                "podSecurity": entries,
                "background": background,
            },
        })
    });
    let rules = prop::collection::vec(rule(), 1..3);
    let action = one_of(vec![json!("Enforce"), json!("audit"), json!(null)]);
    let flags = (any::<bool>(), any::<bool>(), any::<bool>());
    (rules, action, flags, prop::collection::vec(exception, 0..4)).prop_map(
        |(mut rules, action, (background, warns, is_cluster), exceptions)| {
            for (index, rule) in rules.iter_mut().enumerate() {
                rule["name"] = format!("r{index}").into();
            }
            let policy = json!({
                "apiVersion": "kyverno.io/v1",
                "kind": if is_cluster { "ClusterPolicy" } else { "Policy" },
                "metadata": { "name": "p", "namespace": if is_cluster { Value::Null } else { "shop".into() } },
                "spec": {
                    "validationFailureAction": action,
                    "background": background,
                    "emitWarning": warns,
                    "rules": rules,
                },
            });
            std::iter::once(policy).chain(exceptions).collect()
        },
    )
}

/// The lines and manifests of conversions, to compare two runs.
pub(super) fn printed(conversions: &[Conversion]) -> String {
    let of = |conversion: &Conversion| {
        json!([conversion.differences, conversion.notes, conversion.manifest]).to_string()
    };
    conversions.iter().map(of).collect::<Vec<_>>().join("\n")
}

proptest! {
    #![proptest_config(tests::bounded(192))]

    #[test]
    fn conversions_are_complete_valid_and_reproducible(values in documents()) {
        let named = |(index, value): (usize, &Value)| Document { name: format!("d{index}"), value: value.clone() };
        let documents: Vec<Document> = values.iter().enumerate().map(named).collect();
        let conversions = kyverno(&documents).unwrap();
        prop_assert_eq!(printed(&conversions), printed(&kyverno(&documents).unwrap()));

        // Nothing is skipped without a word: each rule has a manifest, a problem or a note.
        for rule in values[0]["spec"]["rules"].as_array().unwrap() {
            let name = rule["name"].as_str().unwrap();
            let is_about = |conversion: &&Conversion| {
                let manifest = conversion.manifest.as_ref();
                manifest.is_some_and(|manifest| manifest.metadata.name.starts_with(&format!("p-{name}")))
                    || conversion.differences.iter().any(|part| part.rule.as_deref() == Some(name))
                    || conversion.notes.iter().any(|note| note.contains(&format!("rule {name},")))
            };
            prop_assert!(conversions.iter().any(|conversion| is_about(&conversion)), "{}", name);
        }

        let mut names = BTreeSet::new();
        for manifest in conversions.iter().filter_map(|conversion| conversion.manifest.as_ref()) {
            prop_assert!(names.insert(manifest.metadata.name.clone()), "{}", manifest.metadata.name);
            let spec = serde_json::to_value(&manifest.spec).unwrap();
            // The API server compiles the match conditions.
            prop_assert!(Webhook::from_spec(&spec).is_ok(), "{}", spec);
            let settings = spec["settings"].to_string();
            let checked = admission::check_settings::<rules::pod_security::PodSecurity>(settings.as_bytes());
            prop_assert!(checked.is_ok(), "{}", settings);
            let conditions = spec["matchConditions"].as_array().into_iter().flatten();
            let conditions: Vec<String> = conditions.map(|condition| condition["name"].to_string()).collect();
            prop_assert_eq!(conditions.iter().collect::<BTreeSet<_>>().len(), conditions.len());
        }

        // A manifest that evaluates more than the rule denies nothing.
        let mut differences = conversions.iter().flat_map(|conversion| &conversion.differences);
        let widens = differences.any(|difference| {
            // Reports alone contain more.
            difference.class == Class::Stricter && !difference.problem.starts_with("the audit scanner")
        });
        let is_single = values[0]["spec"]["rules"].as_array().unwrap().len() == 1;
        for manifest in conversions.iter().filter_map(|conversion| conversion.manifest.as_ref()) {
            let spec = serde_json::to_value(&manifest.spec).unwrap();
            let denies = spec["mode"] == "protect" && spec["settings"]["level"] != "privileged";
            prop_assert!(!(widens && is_single && denies), "{}", spec);
        }
    }
}

proptest! {
    #![proptest_config(tests::bounded(1_000))]

    /// The expression that is written, and not only the matcher, which the tool uses itself.
    #[test]
    fn written_patterns_match_what_the_matcher_matches(
        pattern in characters("ab.*?\n\\^$(🔒"),
        fillers in prop::collection::vec(characters("ab.\n\\^$(🔒"), 6),
    ) {
        // Texts that match nearly always, and those with another number of characters for a `?`.
        let text: String = pattern
            .chars()
            .zip(&fillers)
            .map(|(c, filler)| if matches!(c, '*' | '?') { filler.clone() } else { c.to_string() })
            .collect();
        let rule = json!({
            "name": "r",
            "match": { "any": [{ "resources": { "kinds": ["Pod"], "annotations": { "a": &pattern } } }] },
            "validate": { "failureAction": "Enforce", "podSecurity": { "level": "baseline", "version": "v1.34" } },
        });
        let value = json!({
            "apiVersion": "kyverno.io/v1",
            "kind": "ClusterPolicy",
            "metadata": { "name": "p" },
            "spec": { "background": false, "rules": [rule] },
        });
        let conversions = kyverno(&[Document { name: "input".to_owned(), value }]).unwrap();
        let manifests: Vec<Value> = conversions
            .iter()
            .filter_map(|conversion| conversion.manifest.as_ref())
            .map(|manifest| serde_json::to_value(manifest).unwrap())
            .collect();
        let pod = json!({
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": { "name": "p", "namespace": "shop", "annotations": { "a": &text } },
            "spec": { "hostPID": true, "containers": [{ "name": "a", "image": "a" }] },
        });
        let is_evaluated = !refusals(&manifests, None, &pod).is_empty();
        prop_assert_eq!(is_evaluated, Pattern::of(&pattern).matches(&text), "{:?}", conversions);
    }
}
