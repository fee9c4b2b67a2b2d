//! Exclusions: which findings are let be.
//!
//! A finding is let be if one entry covers all of it: its control, whose field it is, the field and every value,
//! in a pod and a request that meet the further conditions of the entry. An entry that names containers covers
//! fields of these containers alone, one that names none covers fields of the pod alone, and besides what
//! containers merely leave unset that the pod could set for them.
//!
//! Source: `validate.podSecurity.exclude` of Kyverno, whose entries mean the same here.

mod conditions;
mod settings;

use admission::Fault;

use super::finding::{Finding, Problem, Subject};
use super::standard::{Check, Field, Unset};
use crate::namespace_lookup::NamespaceLookup;
use crate::pattern::Pattern;
use crate::view::ContainerKind;
pub(super) use conditions::{Conditions, EvalContext};
pub(super) use settings::{ENTRY, Standards, read};

/// All entries, in the order of the settings.
#[derive(Debug, Default)]
pub(super) struct Exclusions(pub(super) Vec<ExclusionEntry>);

/// One entry.
#[derive(Debug)]
pub(super) struct ExclusionEntry {
    checks: Vec<&'static Check>,
    containers: Containers,
    field: Option<String>,
    values: Vec<Pattern>,
    conditions: Conditions,
}

/// Which containers an entry names; none of the three if it is about the pod.
#[derive(Debug)]
struct Containers {
    images: Vec<Pattern>,
    names: Vec<Pattern>,
    kinds: Vec<ContainerKind>,
}

impl Exclusions {
    /// Whether an entry names a check.
    pub(super) fn name(&self, check: &Check) -> bool {
        self.0.iter().any(|entry| entry.names(check))
    }

    /// The first entry that lets a finding of a check be.
    ///
    /// # Errors
    /// What cannot be read or looked up that an entry depends on.
    pub(super) fn covering(
        &self,
        check: &Check,
        finding: &Finding<'_>,
        context: &mut EvalContext<'_, '_>,
        lookup: &mut NamespaceLookup<'_>,
    ) -> Result<Option<usize>, Fault> {
        // What needs no look-up is tried first, so that a cluster that does not answer harms no other entry.
        for asks in [false, true] {
            for (number, entry) in self.0.iter().enumerate() {
                if entry.conditions.ask() == asks
                    && entry.names(check)
                    && entry.matches(finding)?
                    && entry.fits_all(finding)
                    && context.meet(number, &entry.conditions, lookup)?
                {
                    return Ok(Some(number));
                }
            }
        }
        Ok(None)
    }

    /// Leaves of a finding that no entry lets be the values that stand in the way: those that do not fit the first
    /// entry that is about it. Nothing is looked up for it, as no verdict depends on it.
    ///
    /// # Errors
    /// What cannot be read.
    pub(super) fn narrow(
        &self,
        finding: &mut Finding<'_>,
        context: &mut EvalContext<'_, '_>,
        lookup: &mut NamespaceLookup<'_>,
    ) -> Result<(), Fault> {
        for (number, entry) in self.0.iter().enumerate() {
            if entry.names(finding.check)
                && !entry.values.is_empty()
                && entry.matches(finding)?
                && !entry.conditions.ask()
                && context.meet(number, &entry.conditions, lookup)?
            {
                if let Problem::Values(offences) = &mut finding.problem {
                    offences.retain(|offence| !any(&entry.values, offence.value.as_deref()));
                }
                return Ok(());
            }
        }
        Ok(())
    }
}

impl ExclusionEntry {
    fn names(&self, check: &Check) -> bool {
        self.checks.iter().any(|known| known.id == check.id)
    }

    /// Whether it is about the field that a finding is in, and whose it is.
    fn matches(&self, finding: &Finding<'_>) -> Result<bool, Fault> {
        let Self { containers, field, .. } = self;
        let concerned = match &finding.subject {
            Subject::Container(container) if containers.are_named() => {
                containers.have(container.image()?, container.name()?, container.kind)
            }
            Subject::Container(_) => {
                finding.is_unset() && finding.rule.unset == Unset::LeftToPod && field.is_none()
            }
            Subject::Pod | Subject::Volume(_) => !containers.are_named(),
        };
        Ok(concerned && field.as_ref().is_none_or(|field| is_named_by(finding, field)))
    }

    /// Whether every value of a finding fits.
    fn fits_all(&self, finding: &Finding<'_>) -> bool {
        self.values.is_empty() || finding.values().into_iter().all(|value| any(&self.values, value))
    }
}

impl Containers {
    fn are_named(&self) -> bool {
        !(self.images.is_empty() && self.names.is_empty() && self.kinds.is_empty())
    }

    fn have(&self, image: &str, name: &str, kind: ContainerKind) -> bool {
        (self.images.is_empty() || any(&self.images, Some(image)))
            && (self.names.is_empty() || any(&self.names, Some(name)))
            && (self.kinds.is_empty() || self.kinds.contains(&kind))
    }
}

/// Whether one of the patterns fits; what has no value is not compared.
fn any(patterns: &[Pattern], text: Option<&str>) -> bool {
    text.is_none_or(|text| patterns.iter().any(|pattern| pattern.matches(text)))
}

/// Whether a finding is in the field that an entry names. Annotations have the name of a container in their key,
/// in which a `*` stands for a run of digits, as everywhere in a field, or for the whole name.
fn is_named_by(finding: &Finding<'_>, field: &str) -> bool {
    let found = finding.field();
    if found == field {
        return true;
    }
    match finding.rule.field {
        Field::Annotations(_) | Field::ContainerAnnotations(_) => {
            starred(&found) == field || finding.rule.field.written().iter().any(|all| all == field)
        }
        _ => false,
    }
}

/// A text with a `*` in place of every run of digits.
fn starred(text: &str) -> String {
    let mut starred = String::new();
    for c in text.chars() {
        if !c.is_ascii_digit() {
            starred.push(c);
        } else if !starred.ends_with('*') {
            starred.push('*');
        }
    }
    starred
}
