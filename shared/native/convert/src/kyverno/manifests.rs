//! The manifests of a rule, for requests and for background audits, and what they share with those
//! of a `ValidatingPolicy`.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::check_settings::Standard;
use super::configuration::KyvernoConfiguration;
use super::evaluator::Evaluator;
use super::grant::{self, Grant, Piece};
use super::library::{Draft, LibraryPart};
use super::request_scope::RequestScope;
use super::violation_action::{LocalAction, RuleActions};
use super::webhook;
use crate::cel::CelExpression;
use crate::controls::for_audits;
use crate::conversion::{Conversion, Difference, Effect, FieldProblem};
use crate::fields::Fields;
use crate::kubewarden::{self, PolicyManifest, PolicyMode, PolicySpec, TargetRule};
use crate::manifest_names::ManifestNames;
use crate::target::Target;
use crate::{InputError, LabelSelector, MatchCondition, Operation};

pub(super) const NOTHING_LEFT: &str = "has no manifest, because its exclude, the exceptions for it, the configuration of Kyverno, or \
                            admission and background, which are both false, leave nothing to evaluate.";

/// Why a background audit finds more than the rule.
pub(super) const AUDITS_MORE: &str = "the audit scanner ignores match conditions, so reports also contain the objects that the \
                           conditions leave out";

/// The parts that all manifests of a rule have in common.
pub(super) struct RuleParts<'r, 'd> {
    /// The name of the manifests: those of the policy and of the rule.
    pub(super) name: String,
    pub(super) namespace: Option<&'r str>,
    /// The `spec` of the policy.
    pub(super) spec: &'r Fields<'d>,
    pub(super) configuration: &'r KyvernoConfiguration,
    pub(super) evaluator: Evaluator,
    pub(super) standard: Standard,
    pub(super) entries: Vec<Value>,
    pub(super) grants: Vec<Grant>,
    pub(super) actions: RuleActions,
    pub(super) widens: bool,
}

/// The manifests of a rule, with what readers should know.
#[derive(Default)]
pub(super) struct RuleManifests {
    pub(super) manifests: Vec<PolicyManifest>,
    pub(super) notes: BTreeSet<String>,
    pub(super) problems: Vec<FieldProblem>,
}

impl RuleManifests {
    pub(super) fn of(
        rule: &RuleParts<'_, '_>,
        scopes: Vec<RequestScope>,
        names: &mut ManifestNames,
    ) -> Result<Self, InputError> {
        let mut built = Self::default();
        for scope in scopes {
            built.add_for_requests(rule, scope.clone(), names)?;
            built.add_for_audits(rule, scope, names)?;
        }
        Ok(built)
    }

    /// Returns whether the module accepts the settings of all manifests. If not, the problem at
    /// `path` is what is left of them.
    pub(super) fn check_settings(&mut self, evaluator: Evaluator, path: String) -> bool {
        let rejected = |manifest: &PolicyManifest| evaluator.problem_with(&manifest.spec.settings);
        let Some(error) = self.manifests.iter().find_map(rejected) else { return true };
        self.problems.push(FieldProblem::new(path, format!("the module rejects the settings: {error}")));
        self.manifests.clear();
        false
    }

    /// Returns a draft for each manifest, or one that says why there is none.
    pub(super) fn into_drafts(
        self,
        differences: Vec<Difference>,
        library: Option<&LibraryPart>,
    ) -> Vec<Draft> {
        let notes = self.notes.into_iter().collect();
        let conversions = Conversion { differences, notes, manifest: None }.with(self.manifests).into_iter();
        conversions.map(|conversion| Draft { conversion, library: library.cloned() }).collect()
    }

    fn add_for_requests(
        &mut self,
        rule: &RuleParts<'_, '_>,
        mut scope: RequestScope,
        names: &mut ManifestNames,
    ) -> Result<(), InputError> {
        let known = scope.problems.len();
        let note = rule.configuration.apply(&mut scope, rule.namespace);
        self.problems.extend(scope.problems.drain(known..));
        let widens = rule.widens || self.problems.iter().any(FieldProblem::widens);
        let (pieces, is_incomplete) = grant::pieces(&scope.reach.targets, &rule.grants);
        if is_incomplete {
            let problem = "more than three exceptions have conditions on objects; the others are not applied";
            self.problems.push(FieldProblem::new("metadata.name", problem).with(Effect::Refuses));
        }
        if !rule.spec.boolean("admission")?.unwrap_or(true) {
            return Ok(());
        }
        for local in &rule.actions.local {
            let (mode, of_mode) = rule.evaluator.mode(local.action, widens);
            for piece in &pieces {
                if let Some((spec, mut problems)) = spec_for_requests(rule, &scope, local, piece, mode)? {
                    if self.manifests.is_empty() {
                        self.problems.append(&mut problems);
                    }
                    self.notes.extend(of_mode.map(str::to_owned));
                    self.manifests.push(names.manifest(rule.namespace, &rule.name, spec));
                }
            }
        }
        self.notes.insert(note);
        Ok(())
    }

    /// Adds the manifests for background audits, which the audit scanner alone evaluates.
    fn add_for_audits(
        &mut self,
        rule: &RuleParts<'_, '_>,
        mut scope: RequestScope,
        names: &mut ManifestNames,
    ) -> Result<(), InputError> {
        if !rule.spec.boolean("background")?.unwrap_or(true)
            || !scope.reach.operations.contains(&Operation::Create)
        {
            return Ok(());
        }
        scope.reach.targets.retain(|target| target.subresource().is_none());
        let (pieces, differs) = grant::audit_pieces(&scope.reach.targets, &rule.grants);
        let known = self.manifests.len();
        let name = format!("{}-audit", rule.name);
        for piece in &pieces {
            let settings = match rule.evaluator {
                Evaluator::PodSecurity => with_entries(rule.standard.settings(), rule, piece),
                Evaluator::ExternalIps => Map::new(),
            };
            let spec = audit_spec(rule.evaluator, &piece.targets, settings, &scope, piece.selectors.iter());
            self.manifests.extend(spec.map(|spec| names.manifest(rule.namespace, &name, spec)));
        }
        if self.manifests.len() > known && (differs || scope.audit_differs) {
            let problem = FieldProblem::new(rule.spec.path("background"), AUDITS_MORE);
            self.problems.push(problem.with(Effect::Reports));
        }
        Ok(())
    }
}

/// The policy that evaluates requests, and the problems with its webhook; `None` if it would
/// evaluate none.
fn spec_for_requests(
    rule: &RuleParts<'_, '_>,
    scope: &RequestScope,
    local: &LocalAction,
    piece: &Piece,
    mode: PolicyMode,
) -> Result<Option<(PolicySpec, Vec<FieldProblem>)>, InputError> {
    let rules = TargetRule::for_targets(&piece.targets, &scope.reach.operations);
    if rules.is_empty() {
        return Ok(None);
    }
    let settings = match rule.evaluator {
        Evaluator::PodSecurity => {
            let settings = rule.standard.settings_for(local.action, rule.actions.tolerates);
            with_entries(settings, rule, piece)
        }
        Evaluator::ExternalIps => Map::new(),
    };
    let mut spec = PolicySpec::new(rule.evaluator.id(), mode, rules, settings);
    let selectors = local.selectors.iter().chain(&piece.selectors);
    select(&mut spec, scope, selectors);
    spec.match_conditions.clone_from(&scope.conditions);
    let conditions = [
        ("has-the-action", CelExpression::All(local.conditions.clone())),
        ("is-in-this-part", CelExpression::All(piece.conditions.clone())),
    ];
    for (name, expression) in conditions {
        if !expression.is_always_true() {
            let condition = MatchCondition { name: name.to_owned(), expression: expression.to_string() };
            spec.match_conditions.push(condition);
        }
    }
    let own = rule.evaluator.match_conditions(&spec.settings);
    spec.match_conditions.extend(own.iter().cloned());
    spec.background_audit = Some(false);
    let mut problems = Vec::new();
    webhook::convert(rule.spec, &mut spec, &mut problems)?;
    make_names_unique(&mut spec.match_conditions, &own);
    Ok(Some((spec, problems)))
}

/// Adds the entries of a rule and of the exceptions in a piece to settings, and that templates are
/// not evaluated if the piece has none.
fn with_entries(
    mut settings: Map<String, Value>,
    rule: &RuleParts<'_, '_>,
    piece: &Piece,
) -> Map<String, Value> {
    let entries: Vec<Value> = rule.entries.iter().chain(&piece.entries).cloned().collect();
    if !entries.is_empty() {
        settings.insert("exclude".to_owned(), entries.into());
    }
    if piece.targets.iter().all(|target| target.is_pod()) {
        settings.insert("templates".to_owned(), "Ignore".into());
    }
    settings
}

/// Removes repeated conditions, and appends a number to a name that another condition has. The
/// module's own conditions keep their names, because a scan finds them by name. Those of the
/// input come last and are named first, so that they keep theirs where they can.
pub(super) fn make_names_unique(conditions: &mut Vec<MatchCondition>, own: &[MatchCondition]) {
    let mut passed: Vec<MatchCondition> = Vec::new();
    conditions.retain(|condition| {
        let is_first = !passed.contains(condition);
        passed.push(condition.clone());
        is_first
    });
    let mut names: BTreeSet<String> = own.iter().map(|condition| condition.name.clone()).collect();
    for condition in conditions.iter_mut().rev().filter(|condition| !own.contains(condition)) {
        let name = condition.name.clone();
        let mut count = 1_usize;
        while !names.insert(condition.name.clone()) {
            count += 1;
            condition.name = format!("{name}-{count}");
        }
    }
}

/// Returns the specification of a policy that the audit scanner alone asks, about the objects of a
/// scope; `None` if it would evaluate nothing.
pub(super) fn audit_spec<'s>(
    evaluator: Evaluator,
    targets: &BTreeSet<Target>,
    settings: Map<String, Value>,
    scope: &RequestScope,
    selectors: impl Iterator<Item = &'s LabelSelector>,
) -> Option<PolicySpec> {
    let rules = TargetRule::for_targets(targets, &BTreeSet::from([Operation::Create]));
    if rules.is_empty() {
        return None;
    }
    let mut spec = PolicySpec::new(evaluator.id(), PolicyMode::Monitor, rules, settings);
    select(&mut spec, scope, selectors);
    Some(for_audits(spec))
}

/// Selects the namespaces and objects of a scope, in the namespaces that selectors select.
pub(super) fn select<'s>(
    spec: &mut PolicySpec,
    scope: &RequestScope,
    selectors: impl Iterator<Item = &'s LabelSelector>,
) {
    let mut namespaces = scope.namespace_selector.clone();
    for selector in selectors {
        namespaces.get_or_insert_default().narrow(selector.clone());
    }
    spec.namespace_selector = namespaces.map(LabelSelector::into_expressions);
    spec.object_selector.clone_from(&scope.object_selector);
    let exclude = spec.settings.get("exclude").and_then(Value::as_array);
    if exclude.into_iter().flatten().any(|entry| entry.get("namespaceSelector").is_some()) {
        // Selectors of namespaces read their labels.
        spec.context_aware_resources.push(kubewarden::of_core("Namespace"));
    }
}
