//! `mode: Munge`: mirror pods made to conform instead of being refused.

use admission::{Edits, Fault, ObjectWriter, Verdict, Violations};

use super::answers::Answers;
use super::labels::Refused;
use super::owners;
use crate::summary::summary;
use crate::view::Pod;

/// The annotation that keeps the labels that were removed, as a JSON object.
const REMOVED_LABELS: &str = "kubernetes.io/config.removed-labels";

/// The annotation that keeps the owner references as they came, as a JSON list.
const REMOVED_OWNER_REFERENCES: &str = "kubernetes.io/config.removed-owner-references";

/// Whether an annotation keeps what was removed.
pub(super) fn is_record(key: &str) -> bool {
    [REMOVED_LABELS, REMOVED_OWNER_REFERENCES].contains(&key)
}

/// Takes labels away and puts the owner right; what cannot be mended is a denial.
pub(super) fn mend<'d>(
    pod: Pod<'d>,
    refused: &[Refused<'d>],
    mut violations: Violations<'d>,
    answers: &mut Answers<'_>,
) -> Result<Verdict<'d>, Fault> {
    if !violations.is_empty() {
        return Ok(violations.into());
    }
    let metadata = pod.metadata();
    let mut edits = Edits::default();
    if !refused.is_empty() {
        let mut removed = ObjectWriter::new();
        let mut kept = ObjectWriter::new();
        let mut all_removed = true;
        let mut next = refused.iter().peekable();
        for (key, value) in metadata.labels().fields()? {
            if next.next_if(|refused| refused.key == key).is_none() {
                kept = kept.text(key, value.text()?.unwrap_or_default());
                all_removed = false;
            }
        }
        for Refused { key, value, .. } in refused {
            removed = removed.text(key, value);
        }
        if all_removed {
            edits.remove(&metadata.labels())?;
        } else {
            edits.set(&metadata.labels(), kept)?;
        }
        edits.set(&metadata.annotations().at(REMOVED_LABELS), removed.finish().as_str())?;
    }
    if !owners::are_right(pod, answers)? {
        let caller = answers.caller();
        let Some(uid) = answers.node()?.uid() else {
            violations.require(
                metadata.owner_references(),
                "a mirror pod has to be owned by its Node, and the cluster has no such Node",
                "register the node first",
            );
            return Ok(violations.into());
        };
        if metadata.owner_references().items()?.next().is_some() {
            let kept = metadata.annotations().at(REMOVED_OWNER_REFERENCES);
            edits.set_to_text_of(&kept, &metadata.owner_references())?;
        }
        edits.set(&metadata.owner_references(), owners::reference(caller, uid))?;
    }
    let verdict = Verdict::from(edits);
    if refused.is_empty() {
        return Ok(verdict);
    }
    Ok(verdict
        .warn(summary("node-pods removed labels of this mirror pod", refused.iter().map(|label| label.key))))
}
