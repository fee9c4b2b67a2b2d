//! Whether a policy receives a request.

use kinds::Kinds;
use matching::{Decision, Match};
use serde_json::Value;

use crate::policy::Policy;

/// Whether a policy receives a request.
#[derive(Debug)]
pub(crate) enum Consulted {
    /// The policy judges.
    Called(Match),
    /// The API server rejects the request without asking the policy.
    Rejected(String),
    /// The policy is not asked. `by_rules` if no rule matches, so that the policy is not about this
    /// kind of request at all.
    Skipped { by_rules: bool },
    /// It is not known whether the policy is asked.
    Unknown(String),
}

/// Decides whether a policy receives a request, and returns the decision with its reasons.
/// `namespace` has the labels of the Namespace, if they are known.
pub(crate) fn consult(
    policy: &Policy,
    kinds: &Kinds,
    request: &Value,
    namespace: Option<&Value>,
) -> (Consulted, Decision) {
    let decision = policy.webhook.decide_with(kinds, request, namespace);
    let consulted = match &decision {
        Decision::Called(found) => Consulted::Called(found.clone()),
        Decision::NeverSent | Decision::NoRuleMatches => Consulted::Skipped { by_rules: true },
        Decision::NamespaceIsNotSelected(_) | Decision::ObjectIsNotSelected(_) | Decision::ConditionIsFalse(_) => {
            Consulted::Skipped { by_rules: false }
        }
        Decision::ConditionFailed(error) if policy.fails_closed => {
            Consulted::Rejected(format!("the API server rejects the request, because the {error}"))
        }
        Decision::ConditionFailed(_) => Consulted::Skipped { by_rules: false },
        Decision::Unknown(_) => Consulted::Unknown(decision.explain()),
    };
    (consulted, decision)
}
