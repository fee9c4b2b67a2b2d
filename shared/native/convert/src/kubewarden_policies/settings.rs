//! Rules that the settings of several policies share.

use crate::InputError;
use crate::cel::is_pattern;
use crate::controls::Outcome;
use crate::fields::Fields;

pub(super) fn refuses_nothing(outcome: &mut Outcome) {
    outcome
        .notes
        .push("The settings of the policy refuse nothing, so it adds nothing to the manifests.".to_owned());
}

/// Returns the texts of a list that contain no wildcards, and the others. The policy takes those
/// literally, and the manifest would not, so they are listed.
pub(super) fn literal(
    settings: &Fields<'_>,
    key: &str,
    outcome: &mut Outcome,
) -> Result<(Vec<String>, Vec<String>), InputError> {
    let (wild, literal): (Vec<String>, Vec<String>) =
        settings.strings(key)?.into_iter().partition(|text| is_pattern(text));
    for text in &wild {
        let problem = format!(
            "{text:?} is not a pattern for the policy and would be one in the manifest; the manifest refuses it"
        );
        outcome.refuses(settings.path(key), problem);
    }
    Ok((literal, wild))
}
