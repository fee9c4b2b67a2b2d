//! Requests to the policy, and its verdicts.

use std::collections::BTreeSet;

use case_format::Case;
use serde::Deserialize;
use serde_json::{Value, json};
use tests::judge;

use super::oracle::{self, Level, Version};

/// The verdict of the policy.
#[derive(Debug, Eq, PartialEq)]
pub struct Verdict {
    pub admitted: bool,
    /// The ids of the enforced checks that are violated and not excluded.
    pub violated: BTreeSet<&'static str>,
}

impl Verdict {
    /// Returns the verdict on a pod that violates checks.
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

/// A request to judge.
#[derive(Clone, Debug)]
pub struct TestRequest<'a> {
    pub operation: &'a str,
    pub subresource: &'a str,
    pub object: &'a Value,
    pub old: Option<&'a Value>,
}

impl<'a> TestRequest<'a> {
    pub fn create(object: &'a Value) -> Self {
        Self { operation: "CREATE", subresource: "", object, old: None }
    }

    pub fn update(old: &'a Value, new: &'a Value) -> Self {
        Self { operation: "UPDATE", subresource: "", object: new, old: Some(old) }
    }
}

/// Judges a request with settings, in a cluster that has the namespace `shop`.
pub fn judge(request: &TestRequest<'_>, settings: &Value) -> Verdict {
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
    let outcome = judge::natively(rules::find("pod-security").unwrap(), &case).unwrap().outcome;
    let admitted = outcome.admitted == Some(true);
    assert!(admitted || outcome.denied.is_some(), "no verdict of {request:?} under {settings}: {outcome:?}");
    let controls = outcome.audit_annotations.get("controls").map_or("[]", String::as_str);
    let controls: Vec<Control> = serde_json::from_str(controls).unwrap();
    let enforced = controls.iter().filter(|control| {
        control.outcome == "violated" && control.modes.iter().any(|mode| mode == "enforce")
    });
    let known =
        |control: &Control| oracle::ids().find(|id| *id == control.id).expect("a check of the standards");
    Verdict { admitted, violated: enforced.map(known).collect() }
}

/// Returns settings with a level and a version only.
pub fn settings(level: Level, version: Version) -> Value {
    json!({ "level": level.to_string(), "version": version.to_string() })
}

/// Judges the creation of an object.
pub fn create(object: &Value, level: Level, version: Version) -> Verdict {
    judge(&TestRequest::create(object), &settings(level, version))
}
