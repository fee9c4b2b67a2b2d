//! Asking the policy.

use admission::PolicyEntry;
use harness::{Case, CaseOutcome, judge};
use rules::selinux::pool::Pool;
use serde_json::{Value, json};

/// What the policy says.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    Admitted,
    /// Admitted, as this object.
    Mutated(Value),
    Denied,
}

impl Verdict {
    pub fn is_admitted(&self) -> bool {
        *self != Self::Denied
    }

    /// What becomes of an object; `None` if it is denied.
    pub fn object(self, given: &Value) -> Option<Value> {
        match self {
            Self::Admitted => Some(given.clone()),
            Self::Mutated(object) => Some(object),
            Self::Denied => None,
        }
    }
}

pub fn entry() -> &'static PolicyEntry {
    rules::find("selinux").unwrap()
}

/// The level of the Namespace `shop`, in which all generated pods are.
pub fn own_level() -> String {
    Pool::default().level("namespace:shop").text()
}

/// The creation of an object as a case.
pub fn created(object: &Value, settings: &Value) -> Case {
    serde_json::from_value(json!({
        "name": "generated",
        "settings": settings,
        "operation": "CREATE",
        "object": object,
        "cluster": { "unreachable": "not needed" },
        "want": {},
    }))
    .unwrap()
}

/// What comes of a case. Nothing is ever changed that is refused.
pub fn outcome(case: &Case) -> CaseOutcome {
    let judged = judge::natively(entry(), case).unwrap();
    if let Some(response) = judged.response {
        let response: Value = serde_json::from_slice(&response).unwrap();
        let is_changed = response.get("mutated_object").is_some();
        assert!(response["accepted"] == true || !is_changed, "refused and changed: {response}");
    }
    judged.outcome
}

/// Judges the creation of an object.
pub fn judge(object: &Value, settings: &Value) -> Verdict {
    let outcome = outcome(&created(object, settings));
    if let Some(mutated) = outcome.mutated {
        assert_ne!(mutated, *object, "changed into itself");
        return Verdict::Mutated(mutated);
    }
    if outcome.denied.is_some() {
        return Verdict::Denied;
    }
    assert_eq!(outcome.admitted, Some(true), "no verdict of {object} under {settings}: {outcome:?}");
    Verdict::Admitted
}
