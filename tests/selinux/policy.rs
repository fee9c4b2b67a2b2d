//! Calls of the policy.

use admission::PolicyEntry;
use rules::selinux::pool::Pool;
use serde_json::{Value, json};
use suite::cases::{Case, CaseOutcome};
use tests::evaluate;

/// The verdict of the policy.
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

    /// The object after admission; `None` if it is denied.
    pub fn object(self, given: &Value) -> Option<Value> {
        match self {
            Self::Admitted => Some(given.clone()),
            Self::Mutated(object) => Some(object),
            Self::Denied => None,
        }
    }
}

fn entry() -> &'static PolicyEntry {
    rules::find("selinux").unwrap()
}

/// The level of the Namespace `shop`, which contains all generated pods.
pub fn own_level() -> String {
    Pool::default().level("namespace:shop").text()
}

/// A case that creates an object.
fn created(object: &Value, settings: &Value) -> Case {
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

/// The outcome of a case.
pub fn outcome(case: &Case) -> CaseOutcome {
    evaluate::natively(entry(), case).unwrap().outcome
}

/// Evaluates the creation of an object.
pub fn evaluate(object: &Value, settings: &Value) -> Verdict {
    let outcome = outcome(&created(object, settings));
    if let Some(mutated) = outcome.mutated {
        assert_ne!(mutated, *object, "mutated without a change");
        return Verdict::Mutated(mutated);
    }
    if outcome.denied.is_some() {
        return Verdict::Denied;
    }
    assert_eq!(outcome.admitted, Some(true), "no verdict of {object} under {settings}: {outcome:?}");
    Verdict::Admitted
}
