//! `mode: Munge`: mirror pods made to conform instead of being refused.

use admission::{Edits, Fault, ObjectWriter, Verdict, Violations};

use super::answers::Answers;
use super::labels::Labels;
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

/// What the API server takes as the annotations of an object at most; it would refuse a longer record with words
/// about annotations that nobody wrote.
const LONGEST: usize = 256 << 10;

/// Takes labels away and puts the owner right; what cannot be mended is a denial.
pub(super) fn mend<'d>(
    pod: Pod<'d>,
    rules: &Labels,
    mut violations: Violations<'d>,
    answers: &mut Answers<'_>,
) -> Result<Verdict<'d>, Fault> {
    if !violations.is_empty() {
        return Ok(violations.into());
    }
    let metadata = pod.metadata();
    let mut edits = Edits::default();
    let mut removed = Vec::new();
    let mut record = ObjectWriter::new();
    let mut length = 0_usize;
    let mut kept = ObjectWriter::new();
    let mut is_bare = true;
    for (key, at) in metadata.labels().fields()? {
        let value = at.text()?.unwrap_or_default();
        if rules.refusal(key, at, answers)?.is_none() {
            kept = kept.text(key, value);
            is_bare = false;
            continue;
        }
        removed.push(key);
        record = record.text(key, value);
        length = length.saturating_add(key.len()).saturating_add(value.len());
        if length > LONGEST {
            violations.forbid(metadata.labels(), "too much to remove and to keep on record", "remove labels");
            return Ok(violations.into());
        }
    }
    let record = record.finish();
    if !removed.is_empty() {
        if is_bare {
            edits.remove(&metadata.labels())?;
        } else {
            edits.set(&metadata.labels(), kept)?;
        }
        edits.set(&metadata.annotations().at(REMOVED_LABELS), record.as_str())?;
    }
    let owners = metadata.owner_references();
    let is_foreign = owners.items()?.next().is_some();
    let is_right = owners::are_right(pod, answers)?;
    if !is_right {
        let caller = answers.caller();
        let Some(uid) = answers.node()?.uid() else {
            violations.require(
                owners,
                "a mirror pod has to be owned by its Node, and the cluster has no such Node",
                "register the node first",
            );
            return Ok(violations.into());
        };
        if is_foreign {
            edits.set_to_text_of(&metadata.annotations().at(REMOVED_OWNER_REFERENCES), &owners)?;
        }
        edits.set(&owners, owners::reference(caller, uid))?;
    }
    let mut verdict = Verdict::from(edits);
    if !removed.is_empty() {
        let what = "node-pods removed labels of this mirror pod";
        let warning = summary(what, &removed, 0);
        // What the pod says of it may be overwritten, or made up; this cannot.
        verdict = verdict.warn(warning).annotate("removed-labels", record);
    }
    if !is_right && is_foreign {
        verdict = verdict.warn("node-pods replaced the owner references of this mirror pod".to_owned());
    }
    Ok(verdict)
}
