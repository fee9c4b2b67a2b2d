//! Manifests for rules of the library, joined if they differ in nothing but the controls.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Coverage, Covered, Known};
use crate::conversion::{Conversion, Difference, FieldProblem};
use crate::kyverno::MONITORS;
use crate::kyverno::evaluator::Evaluator;
use crate::manifest_names::ManifestNames;
use crate::settings::POD_SECURITY;
use crate::{PolicyManifest, PolicyMode};

const NOTE: &str = "Kyverno's library has the Pod Security Standards of v1.24, without what exclude lists. To follow the \
                    standards, remove version and exclude. The messages are those of the module.";

/// A conversion whose manifest may be joined with others.
#[derive(Debug)]
pub(in crate::kyverno) struct Draft {
    pub(in crate::kyverno) conversion: Conversion,
    /// The controls that the manifest runs, for a rule of the library.
    pub(in crate::kyverno) library: Option<LibraryPart>,
}

/// The controls that a manifest for a rule of the library runs.
#[derive(Clone, Debug)]
pub(in crate::kyverno) struct LibraryPart {
    pub(in crate::kyverno) coverage: Coverage,
    /// The policy and the rule, for messages.
    pub(in crate::kyverno) rule: String,
    /// Differences because of which the manifest refuses more than the rule, with the fields that
    /// remove them if another rule covers these.
    pub(in crate::kyverno) widened: Vec<(Difference, Option<Covered>)>,
}

impl Draft {
    /// A draft without a manifest, of the whole document or of a rule.
    pub(in crate::kyverno) fn without_manifest(
        document: &str,
        policy: &str,
        rule: Option<&str>,
        problem: FieldProblem,
    ) -> Self {
        Self { conversion: Conversion::none(document, policy, rule, problem), library: None }
    }

    fn denies(&self) -> bool {
        self.conversion.manifest.as_ref().is_some_and(denies)
    }
}

/// Whether a policy denies requests; a policy that only warns is in mode protect, too.
fn denies(manifest: &PolicyManifest) -> bool {
    manifest.spec.mode == PolicyMode::Protect && !manifest.spec.settings.contains_key("warn")
}

impl LibraryPart {
    /// The part of a check of the library; `None` for one that is not about pods.
    pub(in crate::kyverno) fn of(
        known: Known,
        rule: String,
        listed: impl Fn(FieldProblem) -> Difference,
    ) -> Option<Self> {
        let widened = known.refused_by_checks().into_iter();
        (known.evaluator == Evaluator::PodSecurity).then(|| Self {
            widened: widened.map(|(problem, unless)| (listed(problem), unless)).collect(),
            coverage: known.coverage,
            rule,
        })
    }

    /// The differences because of which the manifest refuses more than its rule, where it runs
    /// together with others.
    fn widened_beside(&self, all: &Coverage) -> Vec<Difference> {
        let is_left = |(_, unless): &&(Difference, Option<Covered>)| {
            !unless.as_ref().is_some_and(|fields| all.includes(fields))
        };
        self.widened.iter().filter(is_left).map(|(problem, _)| problem.clone()).collect()
    }
}

pub(in crate::kyverno) fn merged(mut drafts: Vec<Draft>, names: &mut ManifestNames) -> Vec<Conversion> {
    let mut groups: Vec<(String, Vec<usize>)> = Vec::new();
    for (index, draft) in drafts.iter().enumerate() {
        let (Some(manifest), Some(_)) = (&draft.conversion.manifest, &draft.library) else { continue };
        let key = without_controls(manifest);
        match groups.iter_mut().find(|(other, _)| *other == key) {
            Some((_, members)) => members.push(index),
            None => groups.push((key, vec![index])),
        }
    }
    let mut listed = BTreeSet::new();
    for (_, members) in groups {
        let all = united(&drafts, &members);
        // A rule for which the manifest would refuse more stays apart, so that the others deny.
        let is_denying = members.first().and_then(|index| drafts.get(*index)).is_some_and(Draft::denies);
        let (apart, together): (Vec<usize>, Vec<usize>) = members.into_iter().partition(|index| {
            let library = library(&drafts, *index);
            is_denying && library.is_some_and(|library| !library.widened_beside(&all).is_empty())
        });
        for members in [together, apart] {
            join(&mut drafts, &members, names, &mut listed);
        }
    }
    drafts.into_iter().map(|draft| draft.conversion).collect()
}

fn library(drafts: &[Draft], index: usize) -> Option<&LibraryPart> {
    drafts.get(index)?.library.as_ref()
}

fn united(drafts: &[Draft], members: &[usize]) -> Coverage {
    let mut all = Coverage::default();
    for part in members.iter().filter_map(|index| library(drafts, *index)) {
        all.unite(&part.coverage);
    }
    all
}

/// Joins the manifests of some drafts into that of the first one.
fn join(
    drafts: &mut [Draft],
    members: &[usize],
    names: &mut ManifestNames,
    listed: &mut BTreeSet<(String, String, String)>,
) {
    let Some((first, others)) = members.split_first() else { return };
    let all = united(drafts, members);
    let parts: Vec<LibraryPart> =
        members.iter().filter_map(|index| library(drafts, *index)).cloned().collect();
    for index in others {
        if let Some(draft) = drafts.get_mut(*index) {
            draft.conversion.manifest = None;
        }
    }
    let Some(Draft { conversion, .. }) = drafts.get_mut(*first) else { return };
    let Some(manifest) = &mut conversion.manifest else { return };
    all.write(&mut manifest.spec.settings);
    // The manifest for audits is next to that for requests, whose notes are enough.
    let is_for_audits = manifest.spec.background_audit == Some(true);
    let mut notes = if is_for_audits { Vec::new() } else { vec![NOTE.to_owned()] };
    if !others.is_empty() {
        let suffix = if is_for_audits { "-audit" } else { "" };
        let name = format!("{POD_SECURITY}-{}{suffix}", all.level().name());
        manifest.metadata.name = names.unique(manifest.metadata.namespace.as_deref(), &name, POD_SECURITY);
        let rules: Vec<&str> = parts.iter().map(|part| part.rule.as_str()).collect();
        notes.push(format!("This policy takes the place of {}.", rules.join("; ")));
    }
    for problem in parts.iter().flat_map(|part| part.widened_beside(&all)) {
        if denies(manifest) {
            manifest.spec.mode = PolicyMode::Monitor;
            notes.push(MONITORS.to_owned());
        }
        // A rule has several manifests, and one line for each problem.
        if listed.insert((problem.document.clone(), problem.path.clone(), problem.problem.clone())) {
            conversion.differences.push(problem);
        }
    }
    conversion.notes.extend(notes);
}

/// A manifest without its name and the settings that controls make, as a text to compare.
fn without_controls(manifest: &PolicyManifest) -> String {
    let mut manifest = manifest.clone();
    manifest.metadata.name.clear();
    let warns = manifest.spec.settings.contains_key("warn");
    for key in ["level", "version", "exclude", "audit", "warn"] {
        manifest.spec.settings.remove(key);
    }
    manifest.spec.settings.insert("warn".to_owned(), Value::Bool(warns));
    // A manifest has no values that JSON cannot express.
    serde_json::to_string(&manifest).unwrap_or_default()
}
