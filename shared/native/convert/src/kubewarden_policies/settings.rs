//! Rules that the settings of several policies share.

use crate::InputError;
use crate::controls::Outcome;
use crate::fields::Fields;

pub(super) fn refuses_nothing(outcome: &mut Outcome) {
    outcome
        .notes
        .push("The settings of the policy refuse nothing, so it adds nothing to the manifests.".to_owned());
}

/// Returns the texts of a list without wildcards, which the policy takes literally.
pub(super) fn literal(
    settings: &Fields<'_>,
    key: &str,
    outcome: &mut Outcome,
) -> Result<Vec<String>, InputError> {
    Ok(outcome.literal(settings.strings(key)?, &settings.path(key), "the policy"))
}
