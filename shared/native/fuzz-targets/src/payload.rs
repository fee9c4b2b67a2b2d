//! Payloads of `validate` calls.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use admission::{Decision, Outcome, PolicyEntry, bounds};
use kubernetes::objects::Objects;
use serde::de::IgnoredAny;
use serde_json::Value;
use serde_json::value::RawValue;

/// Returns the cluster that answers look-ups, with the objects of the samples.
pub(crate) fn cluster() -> &'static Objects {
    static CLUSTER: LazyLock<Objects> = LazyLock::new(|| {
        let objects = serde_json::from_str(include_str!("../cluster.json")).unwrap();
        Objects::from_values(objects).unwrap()
    });
    &CLUSTER
}

/// Every policy evaluates the payload, with a cluster that answers and one that is unreachable.
pub(crate) fn run(input: &[u8]) -> bool {
    let unreachable = Objects::unreachable("no answer");
    let (mut evaluated, is_json) = (false, is_json(input));
    for entry in rules::CATALOG {
        for cluster in [cluster(), &unreachable] {
            let outcome = (entry.evaluate)(input, cluster);
            assert_eq!(outcome, (entry.evaluate)(input, cluster), "{}: two verdicts", entry.id);
            // No host sends such a text. Where a policy skips a part of it by its structure, the
            // verdict is about the rest.
            if !is_json {
                continue;
            }
            if let Decision::Mutated(object) = &outcome.decision {
                is_settled(entry, input, cluster, object);
            }
            evaluated |= !matches!(outcome.decision, Decision::NotMatched | Decision::Fault(_));
            is_well_formed(entry, outcome);
        }
    }
    evaluated
}

/// Returns whether `serde_json` accepts a text. Fields that are not read need not be UTF-8.
pub(crate) fn is_json(text: &[u8]) -> bool {
    serde_json::from_slice::<IgnoredAny>(text).is_ok()
}

/// Checks that the response has the outcome, in a form that the host reads.
fn is_well_formed(entry: &PolicyEntry, outcome: Outcome) {
    let decision = outcome.decision.clone();
    let annotations = outcome.audit_annotations().to_vec();
    let warnings = outcome.warnings().to_vec();
    let response = (entry.render)(outcome).to_json();
    // Parsed only as far as needed: the object may have numbers that a `Value` cannot hold.
    let fields: BTreeMap<String, &RawValue> = serde_json::from_slice(&response).unwrap();
    let field = |name: &str| fields.get(name).map(|value| value.get());
    let verdict = (field("accepted"), field("code"), field("mutated_object").is_some());
    let expected = match decision {
        Decision::NotMatched => {
            assert_eq!(fields.len(), 1, "{}: more than a verdict: {fields:?}", entry.id);
            (Some("true"), None, false)
        }
        Decision::Admitted => (Some("true"), None, false),
        Decision::Mutated(_) => (Some("true"), None, entry.mutates),
        Decision::Denied(_) => (Some("false"), Some("403"), false),
        Decision::Fault(_) => (Some("false"), Some("500"), false),
    };
    assert_eq!(verdict, expected, "{}", entry.id);
    let message = field("message").map(|message| serde_json::from_str::<String>(message).unwrap());
    let mut annotations = annotations.iter().map(|(key, value)| (*key, value.as_str()));
    let bounds = bounds::check(message.as_deref().unwrap_or_default(), &warnings, &mut annotations);
    assert_eq!(bounds, Ok(()), "{}", entry.id);
    assert_eq!(message.is_some_and(|message| !message.is_empty()), field("code").is_some(), "{}", entry.id);
}

/// Checks that a changed object is admitted without another change.
fn is_settled(entry: &PolicyEntry, payload: &[u8], cluster: &Objects, object: &str) {
    // A `Value` would change numbers that it cannot hold.
    let (Ok(mut payload), Ok(object)) =
        (serde_json::from_slice::<Value>(payload), serde_json::from_str(object))
    else {
        return;
    };
    payload["request"]["object"] = object;
    let again = (entry.evaluate)(payload.to_string().as_bytes(), cluster).decision;
    assert_eq!(again, Decision::Admitted, "{}: {payload}", entry.id);
}
