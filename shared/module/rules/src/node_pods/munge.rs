//! `mode: Munge`: corrects the labels and the owner of mirror pods instead of denying them.

use admission::bounds::ANNOTATION;
use admission::{Edits, Fault, Json, ObjectWriter, Verdict, Violations};

use super::labels::Labels;
use super::lookups::Lookups;
use super::owners;
use super::rule;
use crate::summary::summary;
use crate::view::Pod;

/// The annotation that records the removed labels, as a JSON object.
const REMOVED_LABELS: &str = "kubernetes.io/config.removed-labels";

/// The annotation that records the replaced owner references, as a JSON list.
const REMOVED_OWNER_REFERENCES: &str = "kubernetes.io/config.removed-owner-references";

/// The limit of the API server for all annotations of an object, in bytes. A longer record would be
/// rejected with a message about annotations that nobody wrote.
const LONGEST: usize = 256 << 10;

pub(super) fn is_record(key: &str) -> bool {
    [REMOVED_LABELS, REMOVED_OWNER_REFERENCES].contains(&key)
}

/// Removes the labels that are not allowed and sets the owner. Denies the request if there are
/// `violations` already or if the pod cannot be corrected.
pub(super) fn munge<'d>(
    pod: Pod<'d>,
    rules: &Labels,
    mut violations: Violations<'d>,
    lookups: &mut Lookups<'_>,
) -> Result<Verdict<'d>, Fault> {
    if !violations.is_empty() {
        return Ok(violations.into());
    }
    let mut edits = Edits::default();
    let removed = remove_labels(pod, rules, lookups, &mut edits, &mut violations)?;
    if !violations.is_empty() {
        return Ok(violations.into());
    }
    let replaced_owners = set_owner(pod, lookups, &mut edits, &mut violations)?;
    if !violations.is_empty() {
        return Ok(violations.into());
    }
    let mut verdict = Verdict::from(edits);
    if !removed.is_empty() {
        // The number of the other labels is up to the node: they must not hide these.
        let (mut removed, others): (Vec<_>, Vec<_>) =
            removed.into_iter().partition(|(key, _)| rules.denies(key));
        removed.extend(others);
        let keys: Vec<&str> = removed.iter().map(|(key, _)| key.as_str()).collect();
        let warning = summary("node-pods removed labels of this mirror pod", &keys, 0);
        // Unlike the record on the pod, the audit log cannot be overwritten or forged by a node.
        verdict = verdict.warn(warning).annotate("removed-labels", record(ANNOTATION, &removed));
    }
    if replaced_owners {
        verdict = verdict.warn("node-pods replaced the owner references of this mirror pod".to_owned());
    }
    Ok(verdict)
}

/// Returns labels as a JSON object of at most `longest` bytes.
fn record(longest: usize, labels: &[(String, String)]) -> String {
    Json::object_within(longest, labels).into_text()
}

/// Removes the labels that are not allowed, records them in an annotation and returns them.
fn remove_labels<'d>(
    pod: Pod<'d>,
    rules: &Labels,
    lookups: &mut Lookups<'_>,
    edits: &mut Edits,
    violations: &mut Violations<'d>,
) -> Result<Vec<(String, String)>, Fault> {
    let metadata = pod.metadata();
    let mut removed = Vec::new();
    let mut length = 0_usize;
    let mut kept = ObjectWriter::new();
    let mut keeps_none = true;
    for (key, at) in metadata.labels().fields()? {
        let value = at.text()?.unwrap_or_default();
        if rules.reason(key, at, lookups)?.is_none() {
            kept = kept.text(key, value);
            keeps_none = false;
            continue;
        }
        removed.push((key.to_owned(), value.to_owned()));
        length = length.saturating_add(key.len()).saturating_add(value.len());
        if length > LONGEST {
            violations.forbid(
                rule::MIRROR_LABEL,
                metadata.labels(),
                "the record of the removed labels would exceed the size limit of annotations",
                "remove labels from the static pod",
            );
            break;
        }
    }
    if !removed.is_empty() {
        if keeps_none {
            edits.remove(&metadata.labels())?;
        } else {
            edits.set(&metadata.labels(), kept)?;
        }
        edits.set(&metadata.annotations().at(REMOVED_LABELS), record(usize::MAX, &removed).as_str())?;
    }
    Ok(removed)
}

/// Makes the Node the owner of the pod, and records other owner references in an annotation.
/// Returns whether there were others.
fn set_owner<'d>(
    pod: Pod<'d>,
    lookups: &mut Lookups<'_>,
    edits: &mut Edits,
    violations: &mut Violations<'d>,
) -> Result<bool, Fault> {
    if owners::is_owned_by_its_node(pod, lookups)? {
        return Ok(false);
    }
    let metadata = pod.metadata();
    let references = metadata.owner_references();
    let caller = lookups.caller();
    let Some(uid) = lookups.node()?.uid() else {
        violations.require(
            rule::MIRROR_OWNER_MISSING,
            references,
            "a mirror pod must be owned by its Node, and the cluster has no such Node",
            "register the node first",
        );
        return Ok(false);
    };
    let has_others = references.items()?.next().is_some();
    if has_others {
        edits.set_to_text_of(&metadata.annotations().at(REMOVED_OWNER_REFERENCES), &references)?;
    }
    edits.set(&references, owners::reference(caller, uid))?;
    Ok(has_others)
}
