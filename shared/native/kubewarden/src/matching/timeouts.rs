//! The timeouts of policies and of the members of groups.

use crate::matching::webhook_spec::InvalidWebhook;

/// The seconds that a policy server has by default.
pub(super) const DEFAULT_TIMEOUT: u8 = 10;

fn check_one(path: &str, seconds: u8) -> Result<(), InvalidWebhook> {
    if (2..=30).contains(&seconds) {
        return Ok(());
    }
    let problem =
        format!("Invalid value: {seconds}: the time is between 2 and 30 seconds; choose one of them");
    Err(InvalidWebhook::at(path, &problem))
}

pub(super) fn check(of_webhook: Option<u8>, of_evaluation: Option<u8>) -> Result<(), InvalidWebhook> {
    let timeouts = [("timeoutSeconds", of_webhook), ("timeoutEvalSeconds", of_evaluation)];
    for (name, seconds) in timeouts {
        if let Some(seconds) = seconds {
            check_one(&format!("spec.{name}"), seconds)?;
        }
    }
    match timeouts {
        [(_, all), (name, Some(evaluation))] if evaluation > all.unwrap_or(DEFAULT_TIMEOUT) => {
            Err(InvalidWebhook::at(
                &format!("spec.{name}"),
                &format!("Invalid value: {evaluation}: an evaluation ends before timeoutSeconds; lower it"),
            ))
        }
        _ => Ok(()),
    }
}

/// Checks the timeouts of members, which the policy server calls in turn.
///
/// Source: `validatePolicyGroupMembersTimeouts`. The group has a timeout: the definition of its
/// kind has a default.
pub(super) fn check_members<'m>(
    group: Option<u8>,
    members: impl Iterator<Item = (&'m str, u8)>,
) -> Result<(), InvalidWebhook> {
    let group = group.unwrap_or(DEFAULT_TIMEOUT);
    let mut sum = 0_u32;
    for (name, seconds) in members {
        let path = format!("spec.policies.{name}.timeoutEvalSeconds");
        check_one(&path, seconds)?;
        if seconds > group {
            return Err(InvalidWebhook::at(
                &path,
                &format!(
                    "Invalid value: {seconds}: a member ends before the timeoutSeconds of its group; lower it"
                ),
            ));
        }
        sum += u32::from(seconds);
    }
    if sum > u32::from(group) {
        let problem = format!(
            "Invalid value: {sum}: the timeoutEvalSeconds of all members together are at most the timeoutSeconds of \
             the group, {group}; lower them"
        );
        return Err(InvalidWebhook::at("spec.policies", &problem));
    }
    Ok(())
}
