//! The webhook configuration of a policy.

use serde_json::Value;

use super::not_converted;
use crate::conversion::FieldProblem;
use crate::fields::Fields;
use crate::{InputError, MatchCondition, PolicySpec};

/// Converts the failure policy, the timeout and the match conditions in the `spec` of a policy.
///
/// The fields of `webhookConfiguration` take precedence over the older fields of `spec`.
pub(super) fn convert(
    spec: &Fields<'_>,
    converted: &mut PolicySpec,
    problems: &mut Vec<FieldProblem>,
) -> Result<(), InputError> {
    let webhook = spec.object("webhookConfiguration")?;
    let mut fields = vec![(spec, "failurePolicy", "webhookTimeoutSeconds")];
    fields.extend(webhook.as_ref().map(|webhook| (webhook, "failurePolicy", "timeoutSeconds")));
    for (fields, policy, timeout) in fields {
        match fields.text(policy)? {
            None => {}
            Some(value @ ("Fail" | "Ignore")) => converted.failure_policy = Some(value.to_owned()),
            Some(_) => return Err(fields.error(policy, "expected Fail or Ignore")),
        }
        match fields.get(timeout).map(Value::as_u64) {
            None => {}
            Some(Some(seconds @ 2..=30)) => converted.timeout_seconds = Some(seconds),
            Some(_) => {
                problems.push(FieldProblem::new(fields.path(timeout), "must be between 2 and 30 seconds"));
            }
        }
    }
    let Some(webhook) = webhook else { return Ok(()) };
    for condition in webhook.objects("matchConditions")? {
        let name = condition.required_text("name")?.to_owned();
        let expression = condition.required_text("expression")?.to_owned();
        converted.match_conditions.push(MatchCondition { name, expression });
    }
    let known = ["failurePolicy", "timeoutSeconds", "matchConditions"];
    problems.extend(not_converted::others(&webhook, &known));
    Ok(())
}
