//! Whether a policy receives a request.

use matching::Decision;
use serde_json::Value;

use crate::policy::Policy;

/// Whether a policy receives a request.
#[derive(Debug)]
pub(crate) enum Consulted {
    /// The policy judges.
    Called,
    /// The policy is not asked. `by_rules` if no rule matches, so that the policy is not about this
    /// kind of request at all.
    Skipped { by_rules: bool },
    /// It is not known whether the policy is asked.
    Unknown(String),
}

/// Decides whether a policy receives a request. `namespace` has the labels of the Namespace, if
/// they are known. The text says why.
pub(crate) fn consult(policy: &Policy, request: &Value, namespace: Option<&Value>) -> (Consulted, String) {
    match policy.webhook.decide(request, namespace) {
        Decision::Called => (Consulted::Called, "rules, selectors and conditions match".to_owned()),
        Decision::NoRuleMatches => (Consulted::Skipped { by_rules: true }, "no rule matches".to_owned()),
        Decision::NamespaceIsNotSelected => {
            let why = "namespaceSelector does not select the Namespace".to_owned();
            (Consulted::Skipped { by_rules: false }, why)
        }
        Decision::ObjectIsNotSelected => {
            (Consulted::Skipped { by_rules: false }, "objectSelector does not select the object".to_owned())
        }
        Decision::ConditionIsFalse(name) => {
            (Consulted::Skipped { by_rules: false }, format!("the match condition {name} is false"))
        }
        Decision::ConditionFailed(error) => (Consulted::Unknown(error.to_string()), error.to_string()),
    }
}
