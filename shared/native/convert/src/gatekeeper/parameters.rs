//! Rules that the parameters of several kinds share.

use crate::cel::is_pattern;
use crate::controls::Outcome;

pub(super) fn refuses_nothing(outcome: &mut Outcome) {
    outcome.notes.push(
        "The parameters of the constraint refuse nothing, so it adds nothing to the manifests.".to_owned(),
    );
}

/// Notes that a constraint without a parameter refuses nothing: the Rego puts the parameter into
/// its message, which is undefined without it.
pub(super) fn refuses_nothing_without(key: &str, outcome: &mut Outcome) {
    let note = format!(
        "Without {key}, the constraint refuses nothing, because the message of its template is undefined; it adds \
         nothing to the manifests. An empty list refuses everything that the template checks."
    );
    outcome.notes.push(note);
}

/// Returns the texts without wildcards, which Gatekeeper takes literally.
pub(super) fn literal(texts: Vec<String>, path: &str, outcome: &mut Outcome) -> Vec<String> {
    outcome.literal(texts, path, "Gatekeeper")
}

/// Returns the texts with at most a final `*`, the only wildcard of Gatekeeper. The others are
/// listed.
pub(super) fn prefixes(texts: Vec<String>, path: &str, outcome: &mut Outcome) -> Vec<String> {
    let is_kept = |text: &String| !is_pattern(text.strip_suffix('*').unwrap_or(text));
    let (kept, others): (Vec<String>, Vec<String>) = texts.into_iter().partition(is_kept);
    literal(others, path, outcome);
    kept
}
