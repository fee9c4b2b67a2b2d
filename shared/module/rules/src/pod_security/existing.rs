//! The violations that the old object already has, for `existingViolations: Tolerate`.

use admission::{Fault, Lookup, sorted};

use super::examine::ExaminedPod;
use super::finding::{Finding, Problem};
use super::standard::{Allowed, Check, Revision};

/// The most violations of an old object that are remembered. Further ones are not tolerated.
const MOST: usize = 20_000;

/// The violations of an old object by one check, as [keys](key).
#[derive(Debug)]
pub(super) struct ExistingViolations(Vec<String>);

impl ExistingViolations {
    /// Collects the findings of a check in the old object, except those that an exclusion covers.
    pub(super) fn of(
        old: &ExaminedPod<'_>,
        check: &'static Check,
        revision: &'static Revision,
        is_excluded: &mut dyn FnMut(&Finding<'_>) -> bool,
    ) -> Result<Self, Fault> {
        let mut keys = Vec::new();
        old.find(check, revision, &mut |finding| {
            let values = values(&finding);
            if keys.len().saturating_add(values.len()) < MOST && !is_excluded(&finding) {
                if requires_a_value(&finding) {
                    keys.push(key_of_count(&finding, values.len())?);
                }
                for value in values {
                    keys.push(key(&finding, value)?);
                }
            }
            Ok(())
        })?;
        Ok(Self(keys))
    }

    pub(super) fn lookup(&self) -> Lookup<&str> {
        Lookup::of(self.0.iter().map(String::as_str).collect())
    }
}

/// Removes from a finding the values that the old object has in the same place. Returns `None` if
/// none is left.
pub(super) fn new_part<'d>(
    mut finding: Finding<'d>,
    existing: &Lookup<&str>,
) -> Result<Option<Finding<'d>>, Fault> {
    let is_known = |key: String| existing.position(&key.as_str()).is_some();
    if requires_a_value(&finding) {
        let mut count = 0_usize;
        for value in values(&finding) {
            count = count.saturating_add(usize::from(is_known(key(&finding, value)?)));
        }
        let is_tolerated = is_known(key_of_count(&finding, count)?);
        return Ok((!is_tolerated).then_some(finding));
    }
    let mut known = Vec::new();
    for value in finding.values() {
        known.push(is_known(key(&finding, value.unwrap_or_default())?));
    }
    if known.iter().all(|known| *known) {
        return Ok(None);
    }
    if let Problem::Values(values) = &mut finding.problem {
        let mut known = known.into_iter();
        values.retain(|_| known.next() != Some(true));
    }
    Ok(Some(finding))
}

/// Whether the finding is a list without a required value. Such a list is tolerated if it still has
/// all the values that it had.
fn requires_a_value(finding: &Finding<'_>) -> bool {
    matches!(finding.rule.allowed, Allowed::Dropping(_))
}

/// Returns the values of a finding; of a list without a required value, its distinct values.
fn values<'f>(finding: &'f Finding<'_>) -> Vec<&'f str> {
    match &finding.problem {
        Problem::Lacking(_, values) => {
            let held: Vec<&str> = values.iter().filter_map(|held| held.value.as_deref()).collect();
            let mut held = sorted(&held);
            held.dedup();
            held
        }
        Problem::Unset(_) if requires_a_value(finding) => Vec::new(),
        _ => finding.values().into_iter().map(Option::unwrap_or_default).collect(),
    }
}

/// Returns the key of a list without a required value, which holds the number of its values.
fn key_of_count(finding: &Finding<'_>, count: usize) -> Result<String, Fault> {
    let mut text = "\0".to_owned();
    text.push_str(&count.to_string());
    key(finding, &text)
}

/// Returns the identity of a violation: the field, the name of the container or volume, and the
/// value. Positions in lists do not count, as they change.
fn key(finding: &Finding<'_>, value: &str) -> Result<String, Fault> {
    let mut key = finding.field();
    for part in [finding.subject.name()?, value] {
        key.push('\0');
        key.push_str(part);
    }
    Ok(key)
}
