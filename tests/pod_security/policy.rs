//! Asking the policy.

use std::collections::BTreeSet;

use harness::{Case, judge};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::oracle::{self, Level, Version};

/// What the policy says.
#[derive(Debug, Eq, PartialEq)]
pub struct Verdict {
    pub admitted: bool,
    /// The ids of the checks that are violated and not excluded.
    pub violated: BTreeSet<&'static str>,
}

impl Verdict {
    /// The verdict that goes with what is violated.
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

/// A request that is to be judged.
#[derive(Clone, Debug)]
pub struct Asked<'a> {
    pub operation: &'a str,
    pub subresource: &'a str,
    pub object: Option<&'a Value>,
    pub old: Option<&'a Value>,
}

impl<'a> Asked<'a> {
    pub fn create(object: &'a Value) -> Self {
        Self { operation: "CREATE", subresource: "", object: Some(object), old: None }
    }

    pub fn update(old: &'a Value, new: &'a Value) -> Self {
        Self { operation: "UPDATE", subresource: "", object: Some(new), old: Some(old) }
    }
}

/// Judges a request under settings, in a cluster that has the namespace `shop`.
pub fn judge(asked: &Asked<'_>, settings: &Value) -> Verdict {
    let case = json!({
        "name": "generated",
        "settings": settings,
        "operation": asked.operation,
        "subresource": asked.subresource,
        "object": asked.object,
        "oldObject": asked.old,
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
    assert!(admitted || outcome.denied.is_some(), "no verdict of {asked:?} under {settings}: {outcome:?}");
    let controls = outcome.audit_annotations.get("controls").map_or("[]", String::as_str);
    let controls: Vec<Control> = serde_json::from_str(controls).unwrap();
    let enforced = controls.iter().filter(|control| {
        control.outcome == "violated" && control.modes.iter().any(|mode| mode == "enforce")
    });
    let known =
        |control: &Control| oracle::ids().find(|id| *id == control.id).expect("a check of the standards");
    Verdict { admitted, violated: enforced.map(known).collect() }
}

/// Settings that say a level and a version and nothing else.
pub fn settings(level: Level, version: Version) -> Value {
    json!({ "level": level.to_string(), "version": version.to_string() })
}

/// Judges the creation of an object.
pub fn create(object: &Value, level: Level, version: Version) -> Verdict {
    judge(&Asked::create(object), &settings(level, version))
}
