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
    /// The policy is not asked.
    Skipped {
        /// The reason, as far as the pods of a workload depend on it.
        about: Skip,
    },
    /// The policy is not asked, because a condition of its own is false: it admits such requests.
    Admitted,
    /// It is not known whether the policy is asked.
    Unknown(String),
}

/// The reason why a policy is not asked.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Skip {
    /// The object or its kind, so that the pods of a workload are another matter.
    Object,
    /// The namespace, which is that of the pods as well.
    Namespace,
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
        Decision::NeverSent | Decision::NoRuleMatches => Consulted::Skipped { about: Skip::Object },
        Decision::ConditionIsFalse(_) => Consulted::Admitted,
        Decision::ConditionFailed(error) if policy.fails_closed => {
            Consulted::Rejected(format!("the API server rejects the request, because the {error}"))
        }
        Decision::NamespaceIsNotSelected(_) => Consulted::Skipped { about: Skip::Namespace },
        // An error about a workload says nothing about its pods.
        Decision::ObjectIsNotSelected(_) | Decision::ConditionFailed(_) => {
            Consulted::Skipped { about: Skip::Object }
        }
        Decision::Unknown(_) => Consulted::Unknown(decision.explain()),
    };
    (consulted, decision)
}
