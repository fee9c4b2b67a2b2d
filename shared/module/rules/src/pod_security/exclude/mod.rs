//! Exclusions: the entries of the setting `exclude`, which cover findings.
//!
//! An entry covers a finding if it names the control, the subject and the field, if its patterns
//! match every value, and if the pod and the request meet its further conditions. An entry that
//! names containers covers only fields of those containers. An entry without containers covers only
//! fields of the pod and, if it names no field, unset fields that containers leave to the pod.
//!
//! Source: `validate.podSecurity.exclude` of Kyverno, whose entries have the same meaning here.

mod settings;

use admission::Fault;

use super::finding::{Finding, Problem, Subject};
use super::standard::{Check, Field, Unset};
use crate::conditions::{ContainerConditions, EvalContext, PodConditions};
use crate::namespace_lookup::NamespaceLookup;
use crate::pattern::Pattern;
pub(super) use settings::{ENTRY, Standards, read};

/// The entries, in the order of the settings.
#[derive(Debug, Default)]
pub(super) struct Exclusions(pub(super) Vec<ExclusionEntry>);

/// An entry.
#[derive(Debug)]
pub(super) struct ExclusionEntry {
    checks: Vec<&'static Check>,
    /// The containers that the entry names. Without them, the entry is about the pod.
    containers: ContainerConditions,
    field: Option<String>,
    values: Vec<Pattern>,
    conditions: PodConditions,
}

impl Exclusions {
    /// Whether an entry names a check.
    pub(super) fn name(&self, check: &Check) -> bool {
        self.0.iter().any(|entry| entry.names(check))
    }

    /// Returns the number of the first entry that covers a finding, taken as one of a check.
    ///
    /// # Errors
    /// When something that an entry depends on cannot be read or looked up.
    pub(super) fn covering(
        &self,
        check: &Check,
        finding: &Finding<'_>,
        context: &mut EvalContext<'_, '_>,
        lookup: &mut NamespaceLookup<'_>,
    ) -> Result<Option<usize>, Fault> {
        // Entries without a look-up come first, so that they also work if look-ups fail.
        for needs_lookup in [false, true] {
            for (number, entry) in self.0.iter().enumerate() {
                if entry.conditions.need_lookup() == needs_lookup
                    && entry.names(check)
                    && entry.matches_field(finding)?
                    && entry.matches_values(finding)
                    && context.meets(number, &entry.conditions, lookup)?
                {
                    return Ok(Some(number));
                }
            }
        }
        Ok(None)
    }

    /// Removes from a finding that no entry covers the values that the first entry about its field
    /// allows, so that the message names only the others. No verdict depends on it, so nothing is
    /// looked up for it.
    ///
    /// # Errors
    /// When something that an entry depends on cannot be read.
    pub(super) fn narrow(
        &self,
        finding: &mut Finding<'_>,
        context: &mut EvalContext<'_, '_>,
        lookup: &mut NamespaceLookup<'_>,
    ) -> Result<(), Fault> {
        for (number, entry) in self.0.iter().enumerate() {
            if entry.names(finding.check)
                && !entry.values.is_empty()
                && entry.matches_field(finding)?
                && !entry.conditions.need_lookup()
                && context.meets(number, &entry.conditions, lookup)?
            {
                if let Problem::Values(values) = &mut finding.problem {
                    values.retain(|refused| !match_any(&entry.values, refused.value.as_deref()));
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

    /// Whether the entry is about the subject and the field of a finding.
    fn matches_field(&self, finding: &Finding<'_>) -> Result<bool, Fault> {
        let Self { containers, field, .. } = self;
        let is_about_subject = match &finding.subject {
            Subject::Container(container) if !containers.are_empty() => containers.met_by(container)?,
            Subject::Container(_) => {
                finding.is_unset() && finding.rule.unset == Unset::LeftToPod && field.is_none()
            }
            Subject::Pod | Subject::Volume(_) => containers.are_empty(),
        };
        Ok(is_about_subject && field.as_ref().is_none_or(|field| is_named_by(finding, field)))
    }

    /// Whether the patterns of the entry match every value of a finding.
    fn matches_values(&self, finding: &Finding<'_>) -> bool {
        self.values.is_empty() || finding.values().into_iter().all(|value| match_any(&self.values, value))
    }
}

/// Whether one of the patterns matches a value. A volume source has no value, so every list of
/// patterns matches it.
fn match_any(patterns: &[Pattern], value: Option<&str>) -> bool {
    value.is_none_or(|value| patterns.iter().any(|pattern| pattern.matches(value)))
}

/// Whether a finding is in the field that an entry names. In the key of an annotation, which may
/// contain the name of a container, `*` stands for a run of digits or for the whole name.
fn is_named_by(finding: &Finding<'_>, field: &str) -> bool {
    let found = finding.field();
    if found == field {
        return true;
    }
    match finding.rule.field {
        Field::Annotations(_) | Field::ContainerAnnotations(_) => {
            starred(&found) == field || finding.rule.field.paths().iter().any(|all| all == field)
        }
        _ => false,
    }
}

/// Replaces every run of digits by `*`.
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
