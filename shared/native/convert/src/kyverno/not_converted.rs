//! Fields, rules and policies without an equivalent.

use serde_json::Value;

use super::library::{self, Draft};
use crate::InputError;
use crate::conversion::{Effect, FieldProblem};
use crate::fields::Fields;

/// The fields of a policy's `spec` that are converted.
const SPEC: [&str; 9] = [
    "rules",
    "validationFailureAction",
    "validationFailureActionOverrides",
    "admission",
    "emitWarning",
    "background",
    "failurePolicy",
    "webhookTimeoutSeconds",
    "webhookConfiguration",
];

/// The fields of a rule that are converted. `skipBackgroundRequests` concerns rules that generate
/// and mutate alone (`skipBackgroundRequests` in `pkg/webhooks/resource/utils.go` of
/// kyverno/kyverno at 111e07b).
const RULE: [&str; 5] = ["name", "match", "exclude", "validate", "skipBackgroundRequests"];

/// The fields of `validate` that are converted for every check.
const VALIDATE: [&str; 3] = ["failureAction", "failureActionOverrides", "allowExistingViolations"];

pub(super) const NO_CHECK: &str =
    "only podSecurity and the checks of pods and external IPs in Kyverno's library are converted";

/// The fields because of which Kyverno evaluates fewer requests.
const NARROWING: [&str; 3] = ["preconditions", "celPreconditions", "applyRules"];

/// The fields that change messages alone. Nothing that is converted uses the context.
const TEXTS: [&str; 3] = ["message", "context", "auditAnnotations"];

/// Why nothing of a policy or a rule is converted.
pub(super) enum NotConverted {
    Invalid(InputError),
    /// A field has no equivalent, and the rest has no manifest without it.
    Whole(FieldProblem),
}

impl NotConverted {
    /// Returns a draft without a manifest, of the whole document or of a rule.
    pub(super) fn into_drafts(
        self,
        document: &str,
        policy: &str,
        rule: Option<&str>,
    ) -> Result<Vec<Draft>, InputError> {
        match self {
            Self::Invalid(error) => Err(error),
            Self::Whole(problem) => Ok(vec![Draft::without_manifest(document, policy, rule, problem)]),
        }
    }
}

impl From<InputError> for NotConverted {
    fn from(error: InputError) -> Self {
        Self::Invalid(error)
    }
}

/// Lists the fields of a policy, a rule and its `validate` that are not converted. `check` are the
/// keys of `validate` that are, and `is_of_library` says whether that is a check of the library.
pub(super) fn in_rule(
    [spec, rule, validate]: [&Fields<'_>; 3],
    is_only_rule: bool,
    check: &[&str],
    is_of_library: bool,
) -> Vec<FieldProblem> {
    // Without another rule, it makes no difference how many rules are applied.
    let is_default = |key: &str, value: &Value| {
        key == "applyRules" && (value == "All" || is_only_rule)
            || key == "preconditions" && is_of_library && library::leave_out_deletions(value)
    };
    let mut problems = listed(spec, &SPEC, is_default);
    problems.extend(listed(rule, &RULE, is_default));
    problems.extend(others(validate, &[&VALIDATE[..], check].concat()));
    problems
}

/// Lists the fields with keys other than those that are converted.
pub(super) fn others(fields: &Fields<'_>, converted: &[&str]) -> Vec<FieldProblem> {
    listed(fields, converted, |_, _| false)
}

fn listed(
    fields: &Fields<'_>,
    converted: &[&str],
    is_default: impl Fn(&str, &Value) -> bool,
) -> Vec<FieldProblem> {
    let problem = |(key, value): (&str, &Value)| {
        let effect = if NARROWING.contains(&key) {
            Effect::Refuses
        } else if TEXTS.contains(&key) {
            Effect::Text
        } else {
            Effect::NotConverted
        };
        (!is_default(key, value)).then(|| FieldProblem::new(fields.path(key), reason(key)).with(effect))
    };
    fields.others(converted).filter_map(problem).collect()
}

/// Why a field is not converted, and what to do instead.
fn reason(key: &str) -> &'static str {
    match key {
        "preconditions" | "celPreconditions" => {
            "the policy evaluates requests regardless of it; write it as a matchCondition"
        }
        "context" => "nothing in the policy can use it",
        "message" => "the module describes each violation; spec.message would replace its messages",
        "applyRules" => {
            "each rule becomes a separate policy, which evaluates requests independently of the others"
        }
        "mutate" | "generate" | "verifyImages" | "pattern" | "anyPattern" | "deny" | "foreach" | "cel"
        | "manifests" | "assert" => NO_CHECK,
        _ => "has no equivalent",
    }
}
