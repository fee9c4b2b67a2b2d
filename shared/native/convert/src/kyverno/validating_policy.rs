//! A `ValidatingPolicy` or a `NamespacedValidatingPolicy` with a check of the library.
//!
//! Source: `pkg/cel/policies/vpol` and `pkg/cel/autogen` in kyverno/kyverno at 111e07b, and
//! `api/policies.kyverno.io/v1beta1/validating_policy.go` in kyverno/api.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::check_settings::Standard;
use super::configuration::KyvernoConfiguration;
use super::library::{Draft, Expressions, Known, LibraryPart, Recognition};
use super::manifests::{AUDITS_MORE, NOTHING_LEFT, RuleManifests, audit_spec, make_names_unique, select};
use super::match_constraints::{self, Evaluated};
use super::not_converted::{self, NotConverted};
use super::request_scope::RequestScope;
use super::validating_exception::ValidatingException;
use super::violation_action::ViolationAction;
use crate::conversion::{Difference, Effect, FieldProblem};
use crate::fields::Fields;
use crate::kubewarden::{PolicyMode, PolicySpec, TargetRule};
use crate::manifest_names::ManifestNames;
use crate::target::Target;
use crate::{InputError, MatchCondition, Operation};

/// The fields of `spec` that are converted, and those that have no influence on verdicts.
const SPEC: [&str; 9] = [
    "matchConstraints",
    "matchConditions",
    "validations",
    "variables",
    "validationActions",
    "failurePolicy",
    "webhookConfiguration",
    "evaluation",
    "autogen",
];

#[derive(Default)]
struct Excepted {
    /// Whether one of them excepts everything.
    is_whole: bool,
    /// Whether the policy evaluates something that they except.
    widens: bool,
    differences: Vec<Difference>,
}

/// A policy with the parts that all its manifests have in common.
struct Policy<'p, 'd> {
    title: &'p str,
    document: &'d str,
    name: &'d str,
    namespace: Option<&'d str>,
    spec: Fields<'d>,
}

pub(super) fn convert(
    document: &Fields<'_>,
    title: &str,
    is_cluster: bool,
    configuration: &KyvernoConfiguration,
    exceptions: &mut [ValidatingException<'_>],
    names: &mut ManifestNames,
) -> Result<Vec<Draft>, InputError> {
    let metadata = document.required_object("metadata")?;
    let namespace = metadata.text("namespace")?.filter(|namespace| !namespace.is_empty() && !is_cluster);
    if !is_cluster && namespace.is_none() {
        let problem = "is missing; the policy evaluates its own namespace, so write the namespace into it";
        return Err(metadata.error("namespace", problem));
    }
    let policy = Policy {
        title,
        document: document.document(),
        name: metadata.required_text("name")?,
        namespace,
        spec: document.required_object("spec")?,
    };
    let drafts = policy.drafts(configuration, exceptions, names);
    drafts.or_else(|why| why.into_drafts(document.document(), title, None))
}

impl Policy<'_, '_> {
    fn drafts(
        &self,
        configuration: &KyvernoConfiguration,
        exceptions: &mut [ValidatingException<'_>],
        names: &mut ManifestNames,
    ) -> Result<Vec<Draft>, NotConverted> {
        let [is_for_requests, is_audited] = self.evaluation()?;
        let known = self.check()?;
        let mut problems = known.refused_by_rule();
        let Evaluated { mut scope, operations_of } =
            match_constraints::read(&self.spec, self.namespace.is_none(), known.evaluator)?;
        problems.append(&mut scope.problems);
        problems.extend(not_converted::others(&self.spec, &SPEC));
        let Excepted { is_whole: is_excepted, widens: exception_widens, differences } =
            self.add_exceptions(exceptions, &mut scope);
        let action = self.action()?;
        problems.extend(known.evaluator.problems(&known.path, false, std::iter::once(action)));
        let audited = scope.clone();
        let note = configuration.apply(&mut scope, self.namespace);
        problems.append(&mut scope.problems);
        let widens = exception_widens || problems.iter().any(FieldProblem::widens);
        let mut built = RuleManifests { problems, ..RuleManifests::default() };
        if is_for_requests && !is_excepted {
            let (mode, of_mode) = known.evaluator.mode(action, widens);
            let settings = known.settings(Standard::of_library().settings_for(action, false));
            let spec = self.spec_for_requests(&known, mode, settings, &scope, &operations_of, &mut built)?;
            if let Some(spec) = spec {
                built.notes.extend(of_mode.map(str::to_owned));
                built.manifests.push(names.manifest(self.namespace, self.name, spec));
            }
            built.notes.insert(note);
        }
        if is_audited && !is_excepted {
            let spec = self.spec_for_audits(&known, audited, &operations_of, &mut built);
            let name = format!("{}-audit", self.name);
            built.manifests.extend(spec.map(|spec| names.manifest(self.namespace, &name, spec)));
        }
        if built.check_settings(known.evaluator, self.spec.path("validations")) && built.manifests.is_empty()
        {
            built.notes = BTreeSet::from([format!("{}, {NOTHING_LEFT}", self.title)]);
        }
        let listed = |problem| Difference::new(self.document, self.title, None, problem);
        let library = LibraryPart::of(known, self.title.to_owned(), listed);
        let differences = built.problems.drain(..).map(listed).chain(differences).collect();
        Ok(built.into_drafts(differences, library.as_ref()))
    }

    /// The policy that evaluates requests; `None` if it would evaluate none.
    fn spec_for_requests(
        &self,
        known: &Known,
        mode: PolicyMode,
        settings: Map<String, Value>,
        scope: &RequestScope,
        operations_of: &BTreeMap<Target, BTreeSet<Operation>>,
        built: &mut RuleManifests,
    ) -> Result<Option<PolicySpec>, InputError> {
        let mut operations_of = operations_of.clone();
        operations_of.retain(|target, _| scope.reach.targets.contains(target));
        let rules = TargetRule::for_each(&operations_of);
        if rules.is_empty() {
            return Ok(None);
        }
        let mut spec = PolicySpec::new(known.evaluator.id(), mode, rules, settings);
        select(&mut spec, scope, [].iter());
        spec.match_conditions.clone_from(&scope.conditions);
        let own = known.evaluator.match_conditions(&spec.settings);
        spec.match_conditions.extend(own.iter().cloned());
        spec.background_audit = Some(false);
        self.set_webhook(&mut spec, &mut built.problems)?;
        make_names_unique(&mut spec.match_conditions, &own);
        Ok(Some(spec))
    }

    /// The policy that background scans evaluate, which take objects as if they were created.
    fn spec_for_audits(
        &self,
        known: &Known,
        mut scope: RequestScope,
        operations_of: &BTreeMap<Target, BTreeSet<Operation>>,
        built: &mut RuleManifests,
    ) -> Option<PolicySpec> {
        let is_created = |target: &Target| {
            operations_of.get(target).is_some_and(|operations| operations.contains(&Operation::Create))
        };
        scope.reach.targets.retain(|target| target.subresource().is_none() && is_created(target));
        let settings = known.settings(Standard::of_library().settings());
        let spec = audit_spec(known.evaluator, &scope.reach.targets, settings, &scope, [].iter());
        if spec.is_some() && scope.audit_differs {
            let problem = FieldProblem::new(self.spec.path("matchConditions"), AUDITS_MORE);
            built.problems.push(problem.with(Effect::Reports));
        }
        spec
    }

    /// Whether the policy evaluates requests, and whether it evaluates objects in the background.
    fn evaluation(&self) -> Result<[bool; 2], NotConverted> {
        let Some(evaluation) = self.spec.object("evaluation")? else { return Ok([true; 2]) };
        if evaluation.text("mode")?.is_some_and(|mode| mode == "JSON") {
            let problem = "JSON evaluates payloads and no requests of an API server";
            return Err(NotConverted::Whole(FieldProblem::new(evaluation.path("mode"), problem)));
        }
        let mut is_enabled = [true; 2];
        for (key, is_enabled) in ["admission", "background"].into_iter().zip(&mut is_enabled) {
            if let Some(fields) = evaluation.object(key)? {
                *is_enabled = fields.boolean("enabled")?.unwrap_or(true);
            }
        }
        Ok(is_enabled)
    }

    /// The check of the library that the policy contains.
    fn check(&self) -> Result<Known, NotConverted> {
        match Expressions::read(&self.spec, "validations")?.recognise() {
            Recognition::Known(known) => Ok(known),
            Recognition::Changed(problem) => Err(NotConverted::Whole(problem)),
            Recognition::Unknown => {
                let problem = "does not belong to Kyverno's library; only unchanged checks of the library are converted";
                Err(NotConverted::Whole(FieldProblem::new(self.spec.path("validations"), problem)))
            }
        }
    }

    /// The action on violations. Of several, the one that denies counts, and then the one that
    /// warns.
    fn action(&self) -> Result<ViolationAction, InputError> {
        let actions = self.spec.texts("validationActions")?;
        for (index, action) in actions.iter().enumerate() {
            if !["Deny", "Audit", "Warn"].contains(action) {
                return Err(self.spec.element_error(
                    "validationActions",
                    index,
                    "expected Deny, Audit or Warn",
                ));
            }
        }
        Ok(if actions.is_empty() || actions.contains(&"Deny") {
            ViolationAction::Deny
        } else if actions.contains(&"Warn") {
            ViolationAction::Warn
        } else {
            ViolationAction::Report
        })
    }

    fn add_exceptions(
        &self,
        exceptions: &mut [ValidatingException<'_>],
        scope: &mut RequestScope,
    ) -> Excepted {
        let kind = if self.namespace.is_some() { "NamespacedValidatingPolicy" } else { "ValidatingPolicy" };
        let mut excepted = Excepted::default();
        for exception in exceptions {
            if !exception.applies_to(kind, self.name) {
                continue;
            }
            // An exception from several policies is listed once.
            let is_first = !std::mem::replace(&mut exception.is_used, true);
            let refusal = exception.is_whole.then(|| refusal_of(exception)).flatten();
            let is_applied = exception.is_whole && refusal.is_none();
            for problem in exception.problems.iter().cloned().chain(refusal) {
                excepted.widens |= problem.widens();
                if is_first {
                    let listed = Difference::new(exception.document, &exception.title, None, problem);
                    excepted.differences.push(listed);
                }
            }
            if !is_applied {
                continue;
            }
            let expressions: Vec<&str> =
                exception.conditions.iter().map(|(_, expression)| expression.as_str()).collect();
            excepted.is_whole |= expressions.is_empty();
            if !expressions.is_empty() {
                scope.audit_differs = true;
                let joined: Vec<String> =
                    expressions.iter().map(|expression| format!("({expression})")).collect();
                scope.conditions.push(MatchCondition {
                    name: format!("is-not-excepted-{}", scope.conditions.len()),
                    expression: format!("!({})", joined.join(" && ")),
                });
            }
        }
        excepted
    }

    /// Sets the failure policy and the timeout.
    fn set_webhook(&self, spec: &mut PolicySpec, problems: &mut Vec<FieldProblem>) -> Result<(), InputError> {
        match self.spec.text("failurePolicy")? {
            None => {}
            Some(value @ ("Fail" | "Ignore")) => spec.failure_policy = Some(value.to_owned()),
            Some(_) => return Err(self.spec.error("failurePolicy", "expected Fail or Ignore")),
        }
        if let Some(webhook) = self.spec.object("webhookConfiguration")? {
            match webhook.get("timeoutSeconds").map(Value::as_u64) {
                None => {}
                Some(Some(seconds @ 2..=30)) => spec.timeout_seconds = Some(seconds),
                Some(_) => problems.push(FieldProblem::new(
                    webhook.path("timeoutSeconds"),
                    "must be between 2 and 30 seconds",
                )),
            }
            problems.extend(not_converted::others(&webhook, &["timeoutSeconds"]));
        }
        Ok(())
    }
}

/// Returns the problem with the first expression of an exception that an API server refuses.
fn refusal_of(exception: &ValidatingException<'_>) -> Option<FieldProblem> {
    let refusal = |(path, expression): &(String, String)| {
        Some(FieldProblem::new(path, match_constraints::refused(expression)?))
    };
    let problem = exception.conditions.iter().find_map(refusal);
    problem.map(|problem| problem.widening("the exception is not applied"))
}
