//! Volumes: allowed types and allowed host paths.

use super::{MINOR, Outcome, Requirement, all_keys, allowed_values};
use crate::cel::is_pattern;

pub(crate) const HOST_PATHS: (&str, &str) = ("hostPathVolumes", "spec.volumes[*].hostPath");

const VOLUME_TYPES: &str = "restrictedVolumes";

/// The path of a volume type, as the check of volume types restricts it.
fn volume_of(kind: &str) -> String {
    format!("spec.volumes[*].{kind}")
}

/// Requires volumes of the given types alone. `path` is the path of the list of types.
pub(crate) fn require_types(types: &[String], path: &str, outcome: &mut Outcome) {
    let is_listed = |kind: &str| types.iter().any(|listed| listed == kind);
    if is_listed("*") {
        outcome.notes.push(
            "A policy that allows all types of volumes refuses nothing, so it has no part in a manifest."
                .to_owned(),
        );
        return;
    }
    let allowed = allowed_values(VOLUME_TYPES, MINOR);
    let admitted: Vec<&str> = allowed.iter().copied().filter(|kind| !is_listed(kind)).collect();
    if !admitted.is_empty() {
        let problem = format!(
            "the Pod Security Standards allow {}, which the list does not contain; the manifest admits volumes of these types",
            admitted.join(", ")
        );
        outcome.admits(path, problem);
    }
    let refused: Vec<String> = all_keys(VOLUME_TYPES, MINOR).collect();
    let unknown: Vec<&str> = types
        .iter()
        .map(String::as_str)
        .filter(|kind| !allowed.contains(kind) && !refused.contains(&volume_of(kind)))
        .collect();
    if !unknown.is_empty() {
        let note =
            format!("{} is not a type of volumes in Kubernetes, so no pod has it.", unknown.join(", "));
        outcome.notes.push(note);
    }
    let fields = refused.into_iter().filter(|field| !types.iter().any(|kind| volume_of(kind) == *field));
    outcome.require(Requirement::of(VOLUME_TYPES).only(fields));
}

pub(crate) fn forbid_type(kind: &str, outcome: &mut Outcome) {
    outcome.require(Requirement::of(VOLUME_TYPES).only([volume_of(kind)]));
}

/// The patterns of a path and all paths below it; `None`, with a problem, if the path contains
/// wildcards, which entries would not take literally.
pub(crate) fn patterns_below(prefix: &str, path: &str, outcome: &mut Outcome) -> Option<Vec<String>> {
    if is_pattern(prefix) {
        outcome.refuses(path, format!("{prefix:?} contains a wildcard, which would be a pattern in the manifest; the manifest refuses this path"));
        return None;
    }
    let plain = prefix.trim_matches('/');
    Some(if plain.is_empty() {
        vec!["*".to_owned()]
    } else {
        vec![format!("/{plain}"), format!("/{plain}/*")]
    })
}
