//! Payloads of `validate` calls.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use admission::{Cluster, Decision, PolicyEntry};
use cluster_objects::Objects;
use serde::de::IgnoredAny;
use serde_json::Value;
use serde_json::value::RawValue;

/// Returns the cluster that answers look-ups, with the objects of the samples.
///
/// # Panics
/// This function does not panic: the objects are part of this crate and valid.
#[must_use]
pub fn cluster() -> &'static Objects {
    static CLUSTER: LazyLock<Objects> = LazyLock::new(|| {
        let objects = serde_json::from_str(include_str!("../cluster.json")).unwrap();
        Objects::from_values(objects).unwrap()
    });
    &CLUSTER
}

/// Every policy judges the payload, with a cluster that answers and one that is unreachable.
pub(crate) fn run(input: &[u8]) -> bool {
    let unreachable = Objects::unreachable("no answer");
    let mut matched = false;
    for entry in rules::CATALOG {
        for cluster in [cluster(), &unreachable] {
            let response = evaluate(entry, input, cluster);
            assert_eq!(response, evaluate(entry, input, cluster), "{}: two verdicts", entry.id);
            if let Some(object) = checked(entry, input, &response) {
                is_settled(entry, input, cluster, object);
            }
        }
        matched |= is_json(input) && matches(entry, input);
    }
    matched
}

/// Returns the response of a policy, as the host receives it.
pub(crate) fn evaluate(entry: &PolicyEntry, payload: &[u8], cluster: &dyn Cluster) -> Vec<u8> {
    entry.evaluate(payload, cluster).to_json()
}

/// Returns whether a payload matches a policy. A payload that cannot be read matches.
#[must_use]
pub fn matches(entry: &PolicyEntry, payload: &[u8]) -> bool {
    (entry.judge)(payload, cluster()).decision != Decision::NotMatched
}

/// Returns whether `serde_json` accepts a text. Fields that are not read need not be UTF-8.
pub(crate) fn is_json(text: &[u8]) -> bool {
    serde_json::from_slice::<IgnoredAny>(text).is_ok()
}

/// Checks a response by itself and returns the changed object.
fn checked<'r>(entry: &PolicyEntry, payload: &[u8], response: &'r [u8]) -> Option<&'r RawValue> {
    // Parsed only as far as needed: the object may have numbers that a `Value` cannot hold.
    let fields: BTreeMap<String, &RawValue> = serde_json::from_slice(response).unwrap();
    let response = String::from_utf8_lossy(response);
    let id = entry.id;
    let field = |name: &str| fields.get(name).map(|value| value.get());
    let accepted = field("accepted") == Some("true");
    let object = fields.get("mutated_object").copied();
    assert!(!accepted || is_json(payload), "{id}: admitted input that is not JSON");
    if accepted {
        assert_eq!((field("code"), field("message")), (None, None), "{id}: {response}");
    } else {
        assert!(matches!(field("code"), Some("403" | "500")), "{id}: {response}");
        assert!(field("message").is_some_and(|message| message.len() > 2), "{id}: {response}");
    }
    assert!(object.is_none() || accepted && entry.mutates, "{id}: {response}");
    if !matches(entry, payload) {
        // Fields that are read in every request may still be malformed.
        assert!(accepted && object.is_none() || field("code") == Some("500"), "{id}: {response}");
    }
    object
}

/// Checks that a changed object is admitted without another change.
fn is_settled(entry: &PolicyEntry, payload: &[u8], cluster: &Objects, object: &RawValue) {
    let (Ok(mut payload), Ok(object)) =
        (serde_json::from_slice::<Value>(payload), serde_json::from_str(object.get()))
    else {
        return;
    };
    payload["request"]["object"] = object;
    let again = evaluate(entry, payload.to_string().as_bytes(), cluster);
    let again: Value = serde_json::from_slice(&again).unwrap();
    let id = entry.id;
    assert!(
        again["accepted"] == true && again.get("mutated_object").is_none(),
        "{id}: the changed object: {again}"
    );
}
