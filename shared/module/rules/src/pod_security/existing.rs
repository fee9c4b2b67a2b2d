//! What an object violates already, for `existingViolations: Tolerate`.

use admission::{Fault, Lookup, sorted};

use super::examine::Examined;
use super::finding::{Finding, Problem};
use super::standard::{Allows, Check, Revision};

/// The most violations that are remembered of an old object; what is beyond is not tolerated.
const MOST: usize = 20_000;

/// The violations of an old object, of one check.
#[derive(Debug)]
pub(super) struct Existing(Vec<String>);

impl Existing {
    /// What a check finds in the old object, without what was let be.
    ///
    /// # Errors
    /// What cannot be read.
    pub(super) fn of(
        old: &Examined<'_>,
        check: &'static Check,
        revision: &'static Revision,
        was_let_be: &mut dyn FnMut(&Finding<'_>) -> bool,
    ) -> Result<Self, Fault> {
        let mut keys = Vec::new();
        old.find(check, revision, &mut |finding| {
            let values = values(&finding);
            if keys.len().saturating_add(values.len()) < MOST && !was_let_be(&finding) {
                if lacks(&finding) {
                    keys.push(key_of_all(&finding, values.len())?);
                }
                for value in values {
                    keys.push(key(&finding, value)?);
                }
            }
            Ok(())
        })?;
        Ok(Self(keys))
    }

    /// The violations to look others up in.
    pub(super) fn lookup(&self) -> Lookup<&str> {
        Lookup::of(self.0.iter().map(String::as_str).collect())
    }
}

/// What is left of a finding when the values are taken away that the old object has at the same place.
///
/// # Errors
/// What cannot be read.
pub(super) fn new_part<'d>(
    mut finding: Finding<'d>,
    existing: &Lookup<&str>,
) -> Result<Option<Finding<'d>>, Fault> {
    let is_known = |key: String| existing.position(&key.as_str()).is_some();
    if lacks(&finding) {
        let mut count = 0_usize;
        for value in values(&finding) {
            count = count.saturating_add(usize::from(is_known(key(&finding, value)?)));
        }
        let is_tolerated = is_known(key_of_all(&finding, count)?);
        return Ok((!is_tolerated).then_some(finding));
    }
    let mut known = Vec::new();
    for value in finding.values() {
        known.push(is_known(key(&finding, value.unwrap_or_default())?));
    }
    if known.iter().all(|known| *known) {
        return Ok(None);
    }
    if let Problem::Values(offences) = &mut finding.problem {
        let mut known = known.into_iter();
        offences.retain(|_| known.next() != Some(true));
    }
    Ok(Some(finding))
}

/// Whether a list lacks a value. It is as bad as it was if it has all that it had.
fn lacks(finding: &Finding<'_>) -> bool {
    matches!(finding.rule.allows, Allows::With(_))
}

/// The values of a finding; of a list that lacks one what it has, each once.
fn values<'f>(finding: &'f Finding<'_>) -> Vec<&'f str> {
    match &finding.problem {
        Problem::Lacking(_, offences) => {
            let held: Vec<&str> = offences.iter().filter_map(|offence| offence.value.as_deref()).collect();
            let mut held = sorted(&held);
            held.dedup();
            held
        }
        Problem::Unset(..) if lacks(finding) => Vec::new(),
        _ => finding.values().into_iter().map(Option::unwrap_or_default).collect(),
    }
}

/// Stands for a list that lacks a value: how many it has.
fn key_of_all(finding: &Finding<'_>, count: usize) -> Result<String, Fault> {
    let mut text = "\0".to_owned();
    text.push_str(&count.to_string());
    key(finding, &text)
}

/// What makes two violations the same: the control, the field, whose it is by name, and the value. Positions in
/// lists do not matter, as they move.
fn key(finding: &Finding<'_>, value: &str) -> Result<String, Fault> {
    let mut key = finding.field();
    for part in [finding.subject.name()?, value] {
        key.push('\0');
        key.push_str(part);
    }
    Ok(key)
}
