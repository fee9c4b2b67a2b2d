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
use super::standard::{Check, Field};
use crate::conditions::{ContainerConditions, EvalContext, PodConditions};
use crate::namespace_lookup::NamespaceLookup;
use crate::pattern::Patterns;
pub(super) use settings::{ENTRY, Standards, read};

/// The entries, in the order of the settings.
#[derive(Debug, Default)]
pub(super) struct Exclusions(pub(super) Vec<ExclusionEntry>);

#[derive(Debug)]
pub(super) struct ExclusionEntry {
    checks: Vec<&'static Check>,
    /// The containers that the entry names. Without them, the entry is about the pod.
    containers: ContainerConditions,
    field: Option<String>,
    values: Patterns,
    /// Whether the entry covers only volumes whose mounts are all read-only.
    read_only: bool,
    conditions: PodConditions,
}

/// The numbers of the entries that name a check. Those without a look-up come first, so that they
/// also work if look-ups fail.
pub(super) type Candidates = Vec<usize>;

impl Exclusions {
    pub(super) fn depend_on_user(&self) -> bool {
        self.0.iter().any(|entry| entry.conditions.depend_on_user())
    }

    pub(super) fn need_lookup(&self, entry: usize) -> bool {
        self.0.get(entry).is_some_and(|entry| entry.conditions.need_lookup())
    }

    pub(super) fn candidates(&self, check: &Check) -> Candidates {
        let mut candidates = Vec::new();
        for needs_lookup in [false, true] {
            for (number, entry) in self.0.iter().enumerate() {
                if entry.conditions.need_lookup() == needs_lookup && entry.names(check) {
                    candidates.push(number);
                }
            }
        }
        candidates
    }

    /// Returns the number of the first candidate that covers a finding.
    pub(super) fn covering(
        &self,
        candidates: &[usize],
        finding: &Finding<'_>,
        context: &mut EvalContext<'_, '_>,
        lookup: &mut NamespaceLookup<'_>,
    ) -> Result<Option<usize>, Fault> {
        let mut names = FieldNames::default();
        for number in candidates {
            if let Some(entry) = self.0.get(*number)
                && entry.matches_field(finding, &mut names)?
                && entry.matches_values(finding)
                && entry.matches_mounts(finding, context)?
                && context.meets(*number, &entry.conditions, lookup)?
            {
                return Ok(Some(*number));
            }
        }
        Ok(None)
    }

    /// Whether a candidate would cover a finding if all mounts of its volume were read-only. Only a
    /// message depends on it, so nothing is looked up for it.
    pub(super) fn cover_read_only(
        &self,
        candidates: &[usize],
        finding: &Finding<'_>,
        context: &mut EvalContext<'_, '_>,
        lookup: &mut NamespaceLookup<'_>,
    ) -> Result<bool, Fault> {
        let mut names = FieldNames::default();
        for number in candidates {
            if let Some(entry) = self.0.get(*number)
                && entry.read_only
                && !entry.conditions.need_lookup()
                && entry.matches_field(finding, &mut names)?
                && entry.matches_values(finding)
                && context.meets(*number, &entry.conditions, lookup)?
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Removes from a finding that no entry covers the values that the first candidate about its
    /// field allows, so that the message names only the others. No verdict depends on it, so
    /// nothing is looked up for it.
    pub(super) fn narrow(
        &self,
        candidates: &[usize],
        finding: &mut Finding<'_>,
        context: &mut EvalContext<'_, '_>,
        lookup: &mut NamespaceLookup<'_>,
    ) -> Result<(), Fault> {
        let mut names = FieldNames::default();
        for number in candidates {
            if let Some(entry) = self.0.get(*number)
                && !entry.values.are_empty()
                && entry.matches_field(finding, &mut names)?
                && entry.matches_mounts(finding, context)?
                && !entry.conditions.need_lookup()
                && context.meets(*number, &entry.conditions, lookup)?
            {
                if let Problem::Values(values) = &mut finding.problem {
                    values.retain(|refused| !entry.allows(refused.value.as_deref()));
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
    fn matches_field(&self, finding: &Finding<'_>, names: &mut FieldNames) -> Result<bool, Fault> {
        let Self { containers, field, .. } = self;
        let is_about_subject = match &finding.subject {
            Subject::Container(container) if !containers.are_empty() => containers.met_by(container)?,
            Subject::Container(_) => {
                finding.is_unset() && finding.rule.unset.is_left_to_pod() && field.is_none()
            }
            Subject::Pod | Subject::Volume(_) => containers.are_empty(),
        };
        Ok(is_about_subject && field.as_ref().is_none_or(|field| names.of(finding).contains(field)))
    }

    /// Whether the patterns of the entry match every value of a finding.
    fn matches_values(&self, finding: &Finding<'_>) -> bool {
        self.values.are_empty() || finding.all_values(&|value| self.allows(value))
    }

    /// Whether the mounts of the volume that a finding is about are read-only, if they must be.
    fn matches_mounts(
        &self,
        finding: &Finding<'_>,
        context: &mut EvalContext<'_, '_>,
    ) -> Result<bool, Fault> {
        Ok(!self.read_only || context.mounts_read_only(finding.subject.name()?)?)
    }

    /// Whether one of the patterns matches a value. A volume source has no value, so every list of
    /// patterns matches it.
    fn allows(&self, value: Option<&str>) -> bool {
        value.is_none_or(|value| self.values.match_text(value))
    }
}

/// The names that an entry can give the field of a finding, once an entry asks for them: the path,
/// and for an annotation, whose key may contain the name of a container, the key with `*` for each
/// run of digits or for the whole name.
#[derive(Default)]
struct FieldNames(Vec<String>);

impl FieldNames {
    fn of(&mut self, finding: &Finding<'_>) -> &[String] {
        if self.0.is_empty() {
            let found = finding.field();
            if let Field::Annotations(_) | Field::ContainerAnnotations(_) = finding.rule.field {
                self.0.push(starred(&found));
                self.0.append(&mut finding.rule.field.paths());
            }
            self.0.push(found);
        }
        &self.0
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
