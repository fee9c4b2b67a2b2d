//! The requests that a `ValidatingPolicy` evaluates, by its `matchConstraints` and
//! `matchConditions`.

use std::collections::{BTreeMap, BTreeSet};

use kubewarden::matching::Condition;

use super::evaluator::Evaluator;
use super::not_converted::{self, NotConverted};
use super::reach::Reach;
use super::request_scope::RequestScope;
use super::selector;
use crate::conversion::FieldProblem;
use crate::fields::{self, Fields};
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
pub(super) struct Evaluated {
    pub(super) scope: RequestScope,
    pub(super) operations_of: BTreeMap<Target, BTreeSet<Operation>>,
}

/// Reads the requests from the `spec` of a policy.
pub(super) fn read(
    spec: &Fields<'_>,
    is_cluster: bool,
    evaluator: Evaluator,
) -> Result<Evaluated, NotConverted> {
    let constraints = spec.required_object("matchConstraints")?;
    let mut problems = narrowing(&constraints, &CONSTRAINTS);
    let mut operations_of: BTreeMap<Target, BTreeSet<Operation>> = BTreeMap::new();
    let rules = constraints.objects("resourceRules")?;
    for rule in &rules {
        let targets = targets(rule, evaluator)?;
        problems.extend(narrowing(rule, &RESOURCE_RULE));
        if let Some(key) = not_of_pods(rule)? {
            let problem = "matches no resource that the module evaluates; the rule is left out";
            problems.push(FieldProblem::new(rule.path(key), problem));
            continue;
        }
        let operations = operations(rule, &mut problems)?;
        if !rule.texts("resourceNames")?.is_empty() {
            let problem = FieldProblem::new(rule.path("resourceNames"), "has no equivalent");
            problems.push(problem.widening(EVALUATES_MORE));
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
    let derived = derived(spec, &constraints, &rules, object_selector.is_some())?;
    // Only a policy with a single rule, for pods, has derived ones.
    if let Some(of_pods) = operations_of.get(&Target::Pod).cloned() {
        operations_of.extend(derived.iter().map(|target| (*target, of_pods.clone())));
    }
    let reach = Reach {
        named: operations_of.keys().copied().filter(|target| !derived.contains(target)).collect(),
        targets: operations_of.keys().copied().collect(),
        operations: operations_of.values().flatten().copied().collect(),
        derived,
        is_cluster,
    };
    let mut scope = RequestScope::within(reach, object_selector, problems);
    select_namespaces(&constraints, &mut scope)?;
    add_conditions(spec, &mut scope)?;
    Ok(Evaluated { scope, operations_of })
}

/// The targets of a rule. With another resource, nothing of the policy has a manifest.
fn targets(rule: &Fields<'_>, evaluator: Evaluator) -> Result<BTreeSet<Target>, NotConverted> {
    let mut targets = BTreeSet::new();
    for (index, resource) in rule.texts("resources")?.iter().enumerate() {
        let target = evaluator.targets().into_iter().find(|target| target.path() == *resource);
        let is_evaluated = |target: &Target| evaluator == Evaluator::ExternalIps || target.is_pod();
        if let Some(target) = target.filter(is_evaluated) {
            targets.insert(target);
            continue;
        }
        let problem = match evaluator {
            Evaluator::PodSecurity => {
                format!("{resource} is not pods, and the check is about the fields of a pod")
            }
            Evaluator::ExternalIps => {
                format!("{resource} is not services, and the check is about external IPs")
            }
        };
        let path = fields::element(&rule.path("resources"), index);
        return Err(NotConverted::Whole(FieldProblem::new(path, problem)));
    }
    Ok(targets)
}

/// The operations of a rule.
fn operations(
    rule: &Fields<'_>,
    problems: &mut Vec<FieldProblem>,
) -> Result<BTreeSet<Operation>, InputError> {
    let mut operations = BTreeSet::new();
    for operation in rule.texts("operations")? {
        match operation {
            "CREATE" => operations.extend([Operation::Create]),
            "UPDATE" => operations.extend([Operation::Update]),
            _ => {
                if operation == "*" {
                    operations.extend(OPERATIONS);
                }
                let problem = "evaluates deletions, which have no object to check; the module ignores them";
                problems.push(FieldProblem::new(rule.path("operations"), problem));
            }
        }
    }
    Ok(operations)
}

/// Selects the namespaces whose labels match. A namespaced policy cannot, which is a problem.
fn select_namespaces(constraints: &Fields<'_>, scope: &mut RequestScope) -> Result<(), InputError> {
    let Some(labels) = constraints.object("namespaceSelector")? else { return Ok(()) };
    let labels = selector::read(&labels, &mut scope.problems)?;
    if labels.match_labels.is_empty() && labels.match_expressions.is_empty() {
        return Ok(());
    }
    if scope.reach.is_cluster {
        scope.select_namespaces(labels);
    } else {
        let problem = "a namespaced policy cannot select namespaces by label";
        let problem = FieldProblem::new(constraints.path("namespaceSelector"), problem);
        scope.problems.push(problem.widening(EVALUATES_MORE));
    }
    Ok(())
}

/// The workloads for which Kyverno derives a policy from one with these constraints.
fn derived(
    spec: &Fields<'_>,
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
    let autogen = spec.object("autogen")?;
    let chosen = autogen.map(|autogen| autogen.object("podControllers")).transpose()?.flatten();
    let Some(chosen) = chosen.filter(|chosen| chosen.get("controllers").is_some()) else {
        return Ok(BTreeSet::from(CONTROLLERS));
    };
    let chosen = chosen.texts("controllers")?;
    Ok(CONTROLLERS.into_iter().filter(|target| chosen.contains(&target.resource())).collect())
}

/// Adds the match conditions, and lists those that are left out.
fn add_conditions(spec: &Fields<'_>, scope: &mut RequestScope) -> Result<(), InputError> {
    for condition in spec.objects("matchConditions")? {
        let (name, expression) = (condition.required_text("name")?, condition.required_text("expression")?);
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
pub(super) fn refused(expression: &str) -> Option<String> {
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

fn is_about_object(expression: &str) -> bool {
    expression.contains("object") || expression.contains("oldObject")
}
