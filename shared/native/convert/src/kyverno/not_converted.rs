//! The fields of policies and rules that have no equivalent.

use serde_json::Value;

use crate::conversion::FieldProblem;
use crate::fields::Fields;

/// The fields of a policy's `spec` that are converted.
const SPEC: [&str; 7] = [
    "rules",
    "validationFailureAction",
    "emitWarning",
    "background",
    "failurePolicy",
    "webhookTimeoutSeconds",
    "webhookConfiguration",
];

/// The fields of a rule that are converted.
const RULE: [&str; 4] = ["name", "match", "exclude", "validate"];

/// The fields of `validate` that are converted.
const VALIDATE: [&str; 3] = ["podSecurity", "failureAction", "allowExistingViolations"];

/// Lists the fields of a policy, a rule and its `validate` that are not converted.
pub(super) fn in_rule(spec: &Fields<'_>, rule: &Fields<'_>, validate: &Fields<'_>) -> Vec<FieldProblem> {
    let is_default = |key: &str, value: &Value| {
        key == "applyRules" && value == "All" || key == "admission" && *value == Value::Bool(true)
    };
    let mut problems = spec.problems(&SPEC, |key, value| (!is_default(key, value)).then(|| reason(key)));
    problems.extend(others(rule, &RULE));
    problems.extend(others(validate, &VALIDATE));
    problems
}

/// Lists the fields with keys other than those that are converted.
pub(super) fn others(fields: &Fields<'_>, converted: &[&str]) -> Vec<FieldProblem> {
    fields.problems(converted, |key, _| Some(reason(key)))
}

/// Why a field is not converted, and what to do instead.
fn reason(key: &str) -> &'static str {
    match key {
        "preconditions" | "celPreconditions" => {
            "the policy judges requests regardless of it; write it as a matchCondition"
        }
        "context" => "nothing in the policy can use it",
        "message" => "the module describes each violation; spec.message would replace its messages",
        "validationFailureActionOverrides" | "failureActionOverrides" => {
            "a policy has a single mode; create a policy for each mode, with a namespaceSelector"
        }
        "skipBackgroundRequests" => "requests of the background controller are judged like any other",
        "applyRules" => {
            "each rule becomes a separate policy, which judges requests independently of the others"
        }
        "admission" => "the policy always judges requests",
        "mutate" | "generate" | "verifyImages" | "pattern" | "anyPattern" | "deny" | "foreach" | "cel"
        | "manifests" | "assert" => "only podSecurity is converted",
        _ => "has no equivalent",
    }
}
