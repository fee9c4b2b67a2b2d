//! A `ValidatingPolicy` or a `NamespacedValidatingPolicy` with a check of the library.
//!
//! Source: `pkg/cel/policies/vpol` and `pkg/cel/autogen` in kyverno/kyverno at 111e07b, and
//! `api/policies.kyverno.io/v1beta1/validating_policy.go` in kyverno/api.

use std::collections::{BTreeMap, BTreeSet};

use kubewarden::matching::Condition;

use super::check_settings::Standard;
use super::configuration::KyvernoConfiguration;
use super::evaluator::Evaluator;
use super::library::{Draft, Expressions, Known, LibraryPart, Recognition};
use super::policy::{AUDITS_MORE, NOTHING_LEFT, audit_spec, select};
use super::reach::Reach;
use super::request_scope::RequestScope;
use super::validating_exception::ValidatingException;
use super::violation_action::ViolationAction;
use super::{not_converted, selector};
use crate::conversion::{Conversion, Difference, Effect, FieldProblem};
use crate::fields::Fields;
use crate::kubewarden::{PolicyManifest, PolicySpec, TargetRule};
use crate::manifest_names::ManifestNames;
use crate::target::{OPERATIONS, Target};
use crate::{InputError, MatchCondition, Operation};

/// The workloads for which Kyverno derives a policy from one for pods.
const CONTROLLERS: [Target; 6] = [
    Target::DaemonSet,
    Target::Deployment,
    Target::ReplicaSet,
    Target::StatefulSet,
    Target::CronJob,
    Target::Job,
];

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

/// The fields of `spec.matchConstraints` that are converted. Pods have a single version, so that
/// `matchPolicy` has no influence.
const CONSTRAINTS: [&str; 5] =
    ["resourceRules", "excludeResourceRules", "objectSelector", "namespaceSelector", "matchPolicy"];

/// The fields of a rule in `matchConstraints` that are converted.
const RESOURCE_RULE: [&str; 6] =
    ["apiGroups", "apiVersions", "operations", "resources", "resourceNames", "scope"];

/// The consequence of a condition that is left out.
const EVALUATES_MORE: &str = "without it, the policy evaluates more requests";

/// The requests that a policy evaluates, with the operations of each target.
struct Evaluated {
    scope: RequestScope,
    operations_of: BTreeMap<Target, BTreeSet<Operation>>,
}

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
    policy.convert(configuration, exceptions, names)
}

impl Policy<'_, '_> {
    fn convert(
        &self,
        configuration: &KyvernoConfiguration,
        exceptions: &mut [ValidatingException<'_>],
        names: &mut ManifestNames,
    ) -> Result<Vec<Draft>, InputError> {
        let nothing = |problem| Ok(vec![Draft::without_manifest(self.document, self.title, None, problem)]);
        let evaluation = self.spec.object("evaluation")?;
        if let Some(evaluation) = &evaluation
            && evaluation.text("mode")?.is_some_and(|mode| mode == "JSON")
        {
            let problem = "JSON evaluates payloads and no requests of an API server";
            return nothing(FieldProblem::new(evaluation.path("mode"), problem));
        }
        let is_enabled = |key: &str| -> Result<bool, InputError> {
            let Some(evaluation) = &evaluation else { return Ok(true) };
            let Some(fields) = evaluation.object(key)? else { return Ok(true) };
            Ok(fields.boolean("enabled")?.unwrap_or(true))
        };
        let (is_for_requests, is_audited) = (is_enabled("admission")?, is_enabled("background")?);
        let known = match Expressions::read(&self.spec, "validations")?.recognise() {
            Recognition::Known(known) => known,
            Recognition::Changed(problem) => return nothing(problem),
            Recognition::Unknown => {
                let problem = "does not belong to Kyverno's library; only unchanged checks of the library are converted";
                return nothing(FieldProblem::new(self.spec.path("validations"), problem));
            }
        };
        let mut problems = known.refused_by_rule();
        let Evaluated { mut scope, operations_of } = match self.evaluated(known.evaluator)? {
            Ok(evaluated) => evaluated,
            Err(problem) => return nothing(problem),
        };
        problems.append(&mut scope.problems);
        problems.extend(not_converted::others(&self.spec, &SPEC));
        let Excepted { is_whole: is_excepted, widens: exception_widens, differences } =
            self.add_exceptions(exceptions, &mut scope);
        let action = self.action()?;
        problems.extend(known.evaluator.problems(&known.path, false, std::iter::once(action)));
        let mut audited = scope.clone();
        let note = configuration.apply(&mut scope, self.namespace);
        problems.append(&mut scope.problems);
        let widens = exception_widens || problems.iter().any(FieldProblem::widens);
        let mut notes = BTreeSet::new();
        let mut manifests = Vec::new();
        if is_for_requests && !is_excepted {
            manifests.extend(self.request_manifest(
                &scope,
                &operations_of,
                action,
                widens,
                &known,
                names,
                &mut notes,
                &mut problems,
            )?);
            notes.insert(note);
        }
        if is_audited && !is_excepted {
            // A background scan evaluates objects as if they were created.
            let is_created = |target: &Target| {
                operations_of.get(target).is_some_and(|operations| operations.contains(&Operation::Create))
            };
            audited.reach.targets.retain(|target| target.subresource().is_none() && is_created(target));
            let settings = known.settings(Standard::of_library().settings());
            let spec = audit_spec(known.evaluator, &audited.reach.targets, settings, &audited, [].iter());
            if spec.is_some() && audited.audit_differs {
                problems.push(
                    FieldProblem::new(self.spec.path("matchConditions"), AUDITS_MORE).with(Effect::Reports),
                );
            }
            let name = format!("{}-audit", self.name);
            manifests.extend(spec.map(|spec| names.manifest(self.namespace, &name, spec)));
        }
        let rejected = |manifest: &PolicyManifest| known.evaluator.problem_with(&manifest.spec.settings);
        if let Some(error) = manifests.iter().find_map(rejected) {
            let problem = format!("the module rejects the settings: {error}");
            problems.push(FieldProblem::new(self.spec.path("validations"), problem));
            manifests.clear();
        } else if manifests.is_empty() {
            notes = BTreeSet::from([format!("{}, {NOTHING_LEFT}", self.title)]);
        }
        Ok(self.drafts(known, problems, differences, notes, manifests))
    }

    fn drafts(
        &self,
        known: Known,
        problems: Vec<FieldProblem>,
        of_exceptions: Vec<Difference>,
        notes: BTreeSet<String>,
        manifests: Vec<PolicyManifest>,
    ) -> Vec<Draft> {
        let listed = |problem| Difference::new(self.document, self.title, None, problem);
        let part = LibraryPart::of(known, self.title.to_owned(), listed);
        let conversion = Conversion {
            differences: problems.into_iter().map(listed).chain(of_exceptions).collect(),
            notes: notes.into_iter().collect(),
            manifest: None,
        };
        let into_draft = |conversion| Draft { conversion, library: part.clone() };
        conversion.with(manifests).into_iter().map(into_draft).collect()
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

    /// The requests that the policy evaluates, or why they cannot be selected.
    fn evaluated(&self, evaluator: Evaluator) -> Result<Result<Evaluated, FieldProblem>, InputError> {
        let constraints = self.spec.required_object("matchConstraints")?;
        let mut problems = narrowing(&constraints, &CONSTRAINTS);
        let mut operations_of: BTreeMap<Target, BTreeSet<Operation>> = BTreeMap::new();
        let rules = constraints.objects("resourceRules")?;
        for rule in &rules {
            let (mut targets, mut operations) = (BTreeSet::new(), BTreeSet::new());
            for (index, resource) in rule.texts("resources")?.iter().enumerate() {
                let target = evaluator.targets().into_iter().find(|target| target.path() == *resource);
                let is_evaluated = |target: &Target| evaluator == Evaluator::ExternalIps || target.is_pod();
                if let Some(target) = target.filter(is_evaluated) {
                    targets.insert(target);
                } else {
                    let path = crate::fields::element(&rule.path("resources"), index);
                    let problem = match evaluator {
                        Evaluator::PodSecurity => {
                            format!("{resource} is not pods, and the check is about the fields of a pod")
                        }
                        Evaluator::ExternalIps => {
                            format!("{resource} is not services, and the check is about external IPs")
                        }
                    };
                    return Ok(Err(FieldProblem::new(path, problem)));
                }
            }
            problems.extend(narrowing(rule, &RESOURCE_RULE));
            if let Some(key) = not_of_pods(rule)? {
                let problem = "matches no resource that the module evaluates; the rule is left out";
                problems.push(FieldProblem::new(rule.path(key), problem));
                continue;
            }
            for operation in rule.texts("operations")? {
                match operation {
                    "CREATE" => drop(operations.insert(Operation::Create)),
                    "UPDATE" => drop(operations.insert(Operation::Update)),
                    _ => {
                        if operation == "*" {
                            operations.extend(OPERATIONS);
                        }
                        let problem = "evaluates deletions, for which the check has no object; the module evaluates none";
                        problems.push(FieldProblem::new(rule.path("operations"), problem));
                    }
                }
            }
            if !rule.texts("resourceNames")?.is_empty() {
                problems.push(
                    FieldProblem::new(rule.path("resourceNames"), "has no equivalent")
                        .widening(EVALUATES_MORE),
                );
            }
            for target in targets {
                operations_of.entry(target).or_default().extend(&operations);
            }
        }
        if !constraints.objects("excludeResourceRules")?.is_empty() {
            let problem = FieldProblem::new(constraints.path("excludeResourceRules"), "has no equivalent");
            problems.push(problem.widening(EVALUATES_MORE));
        }
        let object_labels = constraints.object("objectSelector")?;
        let object_labels = object_labels.map(|labels| selector::read(&labels, &mut problems)).transpose()?;
        let object_selector = object_labels
            .filter(|labels| !(labels.match_labels.is_empty() && labels.match_expressions.is_empty()));
        let derives = self.derives(&constraints, &rules, object_selector.is_some())?;
        // Only a policy with a single rule, for pods, has derived ones.
        if let Some(of_pods) = operations_of.get(&Target::Pod).cloned() {
            operations_of.extend(derives.iter().map(|target| (*target, of_pods.clone())));
        }
        let reach = Reach {
            named: operations_of.keys().copied().filter(|target| !derives.contains(target)).collect(),
            targets: operations_of.keys().copied().collect(),
            operations: operations_of.values().flatten().copied().collect(),
            derived: derives,
            is_cluster: self.namespace.is_none(),
        };
        let mut scope = RequestScope::within(reach, object_selector, problems);
        if let Some(labels) = constraints.object("namespaceSelector")? {
            let labels = selector::read(&labels, &mut scope.problems)?;
            let is_empty = labels.match_labels.is_empty() && labels.match_expressions.is_empty();
            if self.namespace.is_none() && !is_empty {
                scope.select_namespaces(labels);
            } else if !is_empty {
                let problem = "a namespaced policy cannot select namespaces by label";
                let problem = FieldProblem::new(constraints.path("namespaceSelector"), problem);
                scope.problems.push(problem.widening(EVALUATES_MORE));
            }
        }
        self.add_conditions(&mut scope)?;
        Ok(Ok(Evaluated { scope, operations_of }))
    }

    fn derives(
        &self,
        constraints: &Fields<'_>,
        rules: &[Fields<'_>],
        has_object_selector: bool,
    ) -> Result<BTreeSet<Target>, InputError> {
        let [rule] = rules else { return Ok(BTreeSet::new()) };
        let is_plain = !has_object_selector
            && constraints.objects("excludeResourceRules")?.is_empty()
            && rule.texts("resourceNames")?.is_empty()
            && rule.texts("apiGroups")? == [""]
            && rule.texts("apiVersions")? == ["v1"]
            && rule.texts("resources")? == ["pods"];
        if !is_plain {
            return Ok(BTreeSet::new());
        }
        let autogen = self.spec.object("autogen")?;
        let chosen = autogen.map(|autogen| autogen.object("podControllers")).transpose()?.flatten();
        let Some(chosen) = chosen.filter(|chosen| chosen.get("controllers").is_some()) else {
            return Ok(BTreeSet::from(CONTROLLERS));
        };
        let chosen = chosen.texts("controllers")?;
        Ok(CONTROLLERS.into_iter().filter(|target| chosen.contains(&target.resource())).collect())
    }

    fn add_conditions(&self, scope: &mut RequestScope) -> Result<(), InputError> {
        for condition in self.spec.objects("matchConditions")? {
            let (name, expression) =
                (condition.required_text("name")?, condition.required_text("expression")?);
            let path = condition.path("expression");
            let problem = if let Some(problem) = refused(expression) {
                problem
            } else if is_about_object(expression) && !scope.reach.derived.is_empty() {
                "is about the object, and Kyverno rewrites it for workloads; write it for every kind, and leave it out here"
                    .to_owned()
            } else {
                scope.audit_differs |= is_about_object(expression) || expression.contains("namespace");
                scope
                    .conditions
                    .push(MatchCondition { name: name.to_owned(), expression: expression.to_owned() });
                continue;
            };
            scope.problems.push(FieldProblem::new(path, problem).widening(EVALUATES_MORE));
        }
        Ok(())
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

    #[expect(clippy::too_many_arguments, reason = "the parts of a manifest have different origins")]
    fn request_manifest(
        &self,
        scope: &RequestScope,
        operations_of: &BTreeMap<Target, BTreeSet<Operation>>,
        action: ViolationAction,
        widens: bool,
        known: &Known,
        names: &mut ManifestNames,
        notes: &mut BTreeSet<String>,
        problems: &mut Vec<FieldProblem>,
    ) -> Result<Option<PolicyManifest>, InputError> {
        let mut operations_of = operations_of.clone();
        operations_of.retain(|target, _| scope.reach.targets.contains(target));
        let rules = TargetRule::for_each(&operations_of);
        if rules.is_empty() {
            return Ok(None);
        }
        let (mode, note) = known.evaluator.mode(action, widens);
        notes.extend(note.map(str::to_owned));
        let settings = known.settings(Standard::of_library().settings_for(action, false));
        let mut spec = PolicySpec::new(known.evaluator.id(), mode, rules, settings);
        select(&mut spec, scope, [].iter());
        spec.match_conditions.clone_from(&scope.conditions);
        spec.match_conditions.extend(known.evaluator.match_conditions(&spec.settings));
        spec.background_audit = Some(false);
        match self.spec.text("failurePolicy")? {
            None => {}
            Some(value @ ("Fail" | "Ignore")) => spec.failure_policy = Some(value.to_owned()),
            Some(_) => return Err(self.spec.error("failurePolicy", "expected Fail or Ignore")),
        }
        if let Some(webhook) = self.spec.object("webhookConfiguration")? {
            match webhook.get("timeoutSeconds").map(serde_json::Value::as_u64) {
                None => {}
                Some(Some(seconds @ 2..=30)) => spec.timeout_seconds = Some(seconds),
                Some(_) => problems.push(FieldProblem::new(
                    webhook.path("timeoutSeconds"),
                    "must be between 2 and 30 seconds",
                )),
            }
            problems.extend(not_converted::others(&webhook, &["timeoutSeconds"]));
        }
        Ok(Some(names.manifest(self.namespace, self.name, spec)))
    }
}

/// Lists the fields with other keys, each of which may narrow what the policy evaluates.
fn narrowing(fields: &Fields<'_>, converted: &[&str]) -> Vec<FieldProblem> {
    let others = not_converted::others(fields, converted);
    others.iter().map(|problem| problem.widening(EVALUATES_MORE)).collect()
}

/// Returns the field because of which a rule for pods matches no pods (`Matches` in
/// `pkg/admission/plugin/webhook/predicates/rules/rules.go` of k8s.io/apiserver).
fn not_of_pods(rule: &Fields<'_>) -> Result<Option<&'static str>, InputError> {
    for (key, wanted) in [("apiGroups", ""), ("apiVersions", "v1")] {
        if !rule.texts(key)?.iter().any(|value| [wanted, "*"].contains(value)) {
            return Ok(Some(key));
        }
    }
    let scope = rule.text("scope")?;
    Ok(scope.filter(|scope| !["*", "Namespaced"].contains(scope)).map(|_| "scope"))
}

/// Returns why an API server refuses an expression as a match condition: it is not CEL, or it uses
/// a function, variable or field that Kyverno may have and match conditions lack.
///
/// An expression with `authorizer` is refused, too: policies of Kyverno have no such variable
/// (`createBaseVpolEnv` in `pkg/cel/policies/vpol/compiler/compiler.go`).
fn refused(expression: &str) -> Option<String> {
    match Condition::compile("", expression) {
        Ok(condition) if condition.has_namespace() => {
            Some("uses the variable namespaceObject, which is null in match conditions".to_owned())
        }
        Ok(condition) => condition
            .unknown()
            .map(|unknown| format!("uses {unknown}, which Kyverno or match conditions lack")),
        Err(error) => Some(error.problem),
    }
}

/// Returns the problem with the first expression of an exception that an API server refuses.
fn refusal_of(exception: &ValidatingException<'_>) -> Option<FieldProblem> {
    let refusal = |(path, expression): &(String, String)| Some(FieldProblem::new(path, refused(expression)?));
    let problem = exception.conditions.iter().find_map(refusal);
    problem.map(|problem| problem.widening("the exception is not applied"))
}

fn is_about_object(expression: &str) -> bool {
    expression.contains("object") || expression.contains("oldObject")
}
