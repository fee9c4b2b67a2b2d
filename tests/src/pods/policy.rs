//! Requests to the policy, and its verdicts.

use std::collections::BTreeSet;

use rules::pod_security::standard::CHECKS;
use serde::Deserialize;
use serde_json::{Value, json};
use suite::cases::Case;

use super::{Level, Version};
use crate::evaluate;

/// The verdict of the policy.
#[derive(Debug, Eq, PartialEq)]
pub struct Verdict {
    /// Whether the request is admitted.
    pub admitted: bool,
    /// The ids of the enforced checks that are violated and not excluded.
    pub violated: BTreeSet<&'static str>,
}

impl Verdict {
    /// Returns the verdict on a pod that violates checks.
    #[must_use]
    pub fn of(violated: BTreeSet<&'static str>) -> Self {
        Self { admitted: violated.is_empty(), violated }
    }
}

/// An element of the audit annotation `controls`.
#[derive(Deserialize)]
struct Control {
    id: String,
    outcome: String,
    modes: Vec<String>,
}

/// A request to evaluate.
#[derive(Clone, Debug)]
pub struct TestRequest<'a> {
    /// CREATE or UPDATE.
    pub operation: &'a str,
    /// The subresource; empty for the object itself.
    pub subresource: &'a str,
    /// The object of the request.
    pub object: &'a Value,
    /// The stored object of an update.
    pub old: Option<&'a Value>,
}

impl<'a> TestRequest<'a> {
    /// Returns the request that creates an object.
    #[must_use]
    pub fn create(object: &'a Value) -> Self {
        Self { operation: "CREATE", subresource: "", object, old: None }
    }

    /// Returns the request that updates an object.
    #[must_use]
    pub fn update(old: &'a Value, new: &'a Value) -> Self {
        Self { operation: "UPDATE", subresource: "", object: new, old: Some(old) }
    }
}

/// Evaluates a request with settings, in a cluster that has the namespace `shop`.
///
/// # Panics
/// A request without a verdict.
#[must_use]
pub fn evaluate(request: &TestRequest<'_>, settings: &Value) -> Verdict {
    let case = json!({
        "name": "generated",
        "settings": settings,
        "operation": request.operation,
        "subresource": request.subresource,
        "object": request.object,
        "oldObject": request.old,
        "cluster": { "objects": [{
            "apiVersion": "v1",
            "kind": "Namespace",
            "metadata": { "name": "shop", "labels": { "team": "shop" } },
        }] },
        "want": {},
    });
    let case: Case = serde_json::from_value(case).unwrap();
    let outcome = evaluate::natively(rules::find("pod-security").unwrap(), &case).unwrap().outcome;
    let admitted = outcome.admitted == Some(true);
    assert!(admitted || outcome.denied.is_some(), "no verdict of {request:?} under {settings}: {outcome:?}");
    let controls = outcome.audit_annotations.get("controls").map_or("[]", String::as_str);
    let controls: Vec<Control> = serde_json::from_str(controls).unwrap();
    let enforced = controls.iter().filter(|control| {
        control.outcome == "violated" && control.modes.iter().any(|mode| mode == "enforce")
    });
    let known = |control: &Control| {
        CHECKS.iter().find(|check| check.id == control.id).expect("a check of the standards").id
    };
    Verdict { admitted, violated: enforced.map(known).collect() }
}

/// Returns settings with a level and a version only.
#[must_use]
pub fn settings(level: Level, version: Version) -> Value {
    json!({ "level": level.name(), "version": version.to_string() })
}

/// Evaluates the creation of an object.
///
/// # Panics
/// A request without a verdict.
#[must_use]
pub fn create(object: &Value, level: Level, version: Version) -> Verdict {
    evaluate(&TestRequest::create(object), &settings(level, version))
}
