//! The requests that a Kyverno rule evaluates, expressed with the fields of a Kubewarden policy.
//!
//! Where Kubewarden cannot express a field, the policy evaluates more requests than the rule, never
//! fewer: such a condition of `match` is left out, and such a filter of `exclude` excludes nothing.

use std::collections::BTreeSet;

use rules::name::is_label;

use super::condition::{
    self, Condition, LocatedCondition, NO_NAMESPACE_SELECTOR, has_wildcards, namespaces_by_name,
};
use super::exclusion::Exclusion;
use super::kind_pattern::KindPattern;
use super::match_resources::MatchResources;
use super::reach::Reach;
use super::resource_filter::{ResourceFilter, has_pod};
use crate::cel::CelExpression;
use crate::conversion::{Effect, FieldProblem};
use crate::target::{OPERATIONS, Target};
use crate::{LabelSelector, MatchCondition};

/// The largest number of manifests into which `exclude` splits a rule.
const MAX_SELECTIONS: usize = 4;

#[derive(Clone, Debug)]
pub(super) struct RequestScope {
    pub(super) reach: Reach,
    pub(super) namespace_selector: Option<LabelSelector>,
    pub(super) object_selector: Option<LabelSelector>,
    pub(super) conditions: Vec<MatchCondition>,
    /// Whether a match condition is about more than the requesting user and the operation. The
    /// audit scanner ignores match conditions.
    pub(super) audit_differs: bool,
    /// Whether `match` matches a target, before `exclude`.
    pub(super) is_matched: bool,
    pub(super) problems: Vec<FieldProblem>,
}

impl RequestScope {
    /// Converts `match` and `exclude`. The scopes are alternatives: a request is evaluated if one
    /// of them contains it.
    ///
    /// `evaluated` are the targets that the check is about, and `derived` the controllers for which
    /// Kyverno derives a rule.
    pub(super) fn of(
        evaluated: &BTreeSet<Target>,
        matched: &MatchResources,
        excluded: &MatchResources,
        derived: &BTreeSet<Target>,
        is_cluster: bool,
    ) -> Vec<Self> {
        let alternatives = alternatives(matched, is_cluster);
        let mut scopes: Vec<Self> = alternatives
            .iter()
            .flat_map(|matched| Self::of_one(evaluated, matched, excluded, derived, is_cluster))
            .collect();
        // Problems that all scopes share are listed once.
        let mut seen = BTreeSet::new();
        for scope in &mut scopes {
            scope.problems.retain(|problem| seen.insert((problem.path.clone(), problem.problem.clone())));
        }
        scopes
    }

    /// The scope that is a reach, with a selector of objects.
    pub(super) fn within(
        reach: Reach,
        object_selector: Option<LabelSelector>,
        problems: Vec<FieldProblem>,
    ) -> Self {
        let is_matched = !reach.targets.is_empty() && !reach.operations.is_empty();
        let (namespace_selector, conditions) = (None, Vec::new());
        Self {
            reach,
            namespace_selector,
            object_selector,
            conditions,
            audit_differs: false,
            is_matched,
            problems,
        }
    }

    fn of_one(
        evaluated: &BTreeSet<Target>,
        matched: &MatchResources,
        excluded: &MatchResources,
        derived: &BTreeSet<Target>,
        is_cluster: bool,
    ) -> Vec<Self> {
        let named: BTreeSet<Target> =
            matched.filters.iter().flat_map(|filter| filter.targets(&BTreeSet::new())).collect();
        let mut scope = Self {
            reach: Reach {
                targets: BTreeSet::new(),
                operations: BTreeSet::new(),
                derived: derived.clone(),
                named: &named & evaluated,
                is_cluster,
            },
            namespace_selector: None,
            object_selector: None,
            conditions: Vec::new(),
            audit_differs: false,
            is_matched: false,
            problems: [&matched.problems[..], &excluded.problems].concat(),
        };
        scope.check_kinds(evaluated, matched);
        if matched.any && matched.filters.len() > 1 {
            scope.match_any(evaluated, &matched.filters);
        } else {
            scope.match_all(evaluated, &matched.filters);
        }
        scope.is_matched = !scope.reach.targets.is_empty() && !scope.reach.operations.is_empty();
        scope.exclude(excluded)
    }

    pub(super) fn add_condition(&mut self, name: &str, expression: &CelExpression) {
        if !expression.is_always_true() {
            let condition = MatchCondition { name: name.to_owned(), expression: expression.to_string() };
            self.conditions.push(condition);
        }
    }

    fn check_kinds(&mut self, evaluated: &BTreeSet<Target>, matched: &MatchResources) {
        let conditions = matched.filters.iter().flat_map(|filter| &filter.conditions);
        for LocatedCondition { path, condition } in conditions {
            let Condition::Kinds(kinds) = condition else { continue };
            for text in kinds {
                let problem = match KindPattern::parse(text) {
                    Some(kind) if !kind.targets().is_disjoint(evaluated) => {
                        kind.obsolete_version().map(|version| {
                            let problem =
                                format!("{text} is evaluated in every version, not only in {version}");
                            FieldProblem::new(path, problem).with(Effect::Refuses)
                        })
                    }
                    _ if evaluated.contains(&Target::Service) => {
                        Some(FieldProblem::new(path, format!("{text} is not a Service")))
                    }
                    _ => {
                        let problem = format!("{text} is neither a pod nor a workload with a pod template");
                        Some(FieldProblem::new(path, problem))
                    }
                };
                self.problems.extend(problem);
            }
        }
    }

    fn leave_out(&mut self, problem: &FieldProblem) {
        self.problems.push(problem.widening("without it, the policy evaluates more requests"));
    }

    fn match_all(&mut self, evaluated: &BTreeSet<Target>, filters: &[ResourceFilter]) {
        self.reach.targets.clone_from(evaluated);
        self.reach.operations = BTreeSet::from(OPERATIONS);
        let (mut expressions, mut about_object) = (Vec::new(), Vec::new());
        for filter in filters {
            if filter.is_empty() {
                // In Kyverno, an empty filter matches nothing.
                self.reach.targets.clear();
            }
            self.reach.targets = &self.reach.targets & &filter.targets(&self.reach.derived);
            self.reach.operations = &self.reach.operations & &filter.operations();
            for problem in &filter.problems {
                self.leave_out(problem);
            }
            for LocatedCondition { path, condition } in &filter.conditions {
                match condition {
                    Condition::Namespaces(names)
                        if self.reach.is_cluster && names.iter().all(|name| is_label(name)) =>
                    {
                        self.select_namespaces(namespaces_by_name("In", names));
                    }
                    Condition::NamespaceSelector(selector) if self.reach.is_cluster => {
                        self.select_namespaces(selector.clone());
                    }
                    Condition::NamespaceSelector(_) => {
                        self.leave_out(&FieldProblem::new(path, NO_NAMESPACE_SELECTOR));
                    }
                    Condition::Labels(selector) if !has_wildcards(selector) => {
                        self.object_selector.get_or_insert_default().narrow(selector.clone());
                    }
                    condition => {
                        self.audit_differs |= condition.is_seen_in_audits();
                        if condition.is_about_object() {
                            about_object.push(condition);
                        } else {
                            expressions.push(condition.expression("object"));
                        }
                    }
                }
            }
        }
        if !about_object.is_empty() {
            expressions.push(CelExpression::of_either_object(|object| condition::all(&about_object, object)));
        }
        self.add_condition("is-matched", &CelExpression::All(expressions));
    }

    fn match_any(&mut self, evaluated: &BTreeSet<Target>, filters: &[ResourceFilter]) {
        // In Kyverno, an empty filter matches nothing.
        let filters: Vec<&ResourceFilter> = filters.iter().filter(|filter| !filter.is_empty()).collect();
        for filter in &filters {
            self.reach.targets.extend(&filter.targets(&self.reach.derived) & evaluated);
            self.reach.operations.append(&mut filter.operations());
        }
        let mut alternatives = Vec::new();
        for filter in filters {
            for problem in &filter.problems {
                self.leave_out(problem);
            }
            for LocatedCondition { path, condition } in &filter.conditions {
                if matches!(condition, Condition::NamespaceSelector(_)) {
                    self.leave_out(&FieldProblem::new(path, NO_NAMESPACE_SELECTOR));
                }
            }
            let (targets, operations) =
                (&filter.targets(&self.reach.derived) & evaluated, filter.operations());
            if targets.is_empty() || operations.is_empty() {
                continue;
            }
            let mut parts = self.reach.narrowed_to(&targets, &operations);
            let (about_object, about_request): (Vec<&Condition>, Vec<&Condition>) = filter
                .conditions
                .iter()
                .map(|located| &located.condition)
                .partition(|condition| condition.is_about_object());
            parts.extend(about_request.iter().map(|condition| condition.expression("object")));
            if !about_object.is_empty() {
                parts.push(CelExpression::of_either_object(|object| condition::all(&about_object, object)));
            }
            self.audit_differs |=
                filter.conditions.iter().any(|located| located.condition.is_seen_in_audits());
            // An alternative without conditions is always true, and so is the disjunction.
            parts.retain(|part| !part.is_always_true());
            alternatives.push(CelExpression::All(parts));
        }
        if !alternatives.iter().any(CelExpression::is_always_true) {
            self.add_condition("is-matched", &CelExpression::Any(alternatives));
        }
    }

    /// Converts `exclude`. Returns several scopes if the namespaces that it does not match take
    /// several selectors.
    fn exclude(mut self, excluded: &MatchResources) -> Vec<Self> {
        // If the rule itself matches a controller, too, excluded pods exclude only what the derived
        // rule matches.
        let reach = Reach {
            derived: self.reach.derived.difference(&self.reach.named).copied().collect(),
            ..self.reach.clone()
        };
        let kinds = excluded.filters.iter().flat_map(|filter| &filter.conditions);
        let pods =
            kinds.filter(|located| matches!(&located.condition, Condition::Kinds(kinds) if has_pod(kinds)));
        if reach.derived != self.reach.derived {
            for LocatedCondition { path, .. } in pods {
                let problem = "the rule matches a controller by kind, for which Kyverno also derives a rule";
                let problem = FieldProblem::new(path, problem);
                self.problems.push(
                    problem.widening("the policy evaluates what the derived rule excludes of this kind"),
                );
            }
        }
        let groups: Vec<&[ResourceFilter]> =
            if excluded.any { excluded.filters.chunks(1).collect() } else { vec![&excluded.filters] };
        let mut expressions = Vec::new();
        let mut selections: Vec<Vec<LabelSelector>> = vec![Vec::new()];
        for filters in groups {
            match Exclusion::of(filters, &reach) {
                Exclusion::Nothing => {}
                Exclusion::Targets(targets) => self.reach.targets.retain(|target| !targets.contains(target)),
                Exclusion::OtherNamespaces(selectors)
                    if selections.len().saturating_mul(selectors.len()) > MAX_SELECTIONS =>
                {
                    let conditions = filters.iter().flat_map(|filter| &filter.conditions);
                    let path = conditions.map(|located| located.path.clone()).next_back().unwrap_or_default();
                    let problem =
                        format!("the exclude takes more than {MAX_SELECTIONS} selectors of namespaces");
                    let problem = FieldProblem::new(path, problem);
                    self.problems.push(problem.widening("the policy evaluates what it excludes"));
                }
                Exclusion::OtherNamespaces(selectors) => {
                    let with_each = |selection: Vec<LabelSelector>| {
                        let with = |selector: &LabelSelector| {
                            [&selection[..], std::slice::from_ref(selector)].concat()
                        };
                        selectors.iter().map(with).collect::<Vec<_>>()
                    };
                    selections = selections.into_iter().flat_map(with_each).collect();
                }
                Exclusion::Requests(expression) => {
                    self.audit_differs |= filters
                        .iter()
                        .flat_map(|filter| &filter.conditions)
                        .any(|located| located.condition.is_seen_in_audits());
                    expressions.push(expression.negated());
                }
                Exclusion::NotConverted(problems) => {
                    let excluded =
                        |problem: &FieldProblem| problem.widening("the policy evaluates what it excludes");
                    self.problems.extend(problems.iter().map(excluded));
                }
            }
        }
        self.add_condition("is-not-excluded", &CelExpression::All(expressions));
        let selected = |selection: Vec<LabelSelector>| {
            let mut scope = self.clone();
            for selector in selection {
                scope.select_namespaces(selector);
            }
            scope
        };
        selections.into_iter().map(selected).collect()
    }

    pub(super) fn select_namespaces(&mut self, selector: LabelSelector) {
        self.namespace_selector.get_or_insert_default().narrow(selector);
    }
}

/// Splits alternatives that select namespaces by label from each other, because a policy has only
/// one such selector.
fn alternatives(matched: &MatchResources, is_cluster: bool) -> Vec<MatchResources> {
    if !(is_cluster && matched.any && matched.filters.len() > 1) {
        return vec![matched.clone()];
    }
    let selects_namespaces = |filter: &&ResourceFilter| {
        filter.conditions.iter().any(|located| matches!(located.condition, Condition::NamespaceSelector(_)))
    };
    let (selecting, others): (Vec<&ResourceFilter>, Vec<&ResourceFilter>) =
        matched.filters.iter().partition(selects_namespaces);
    let of = |filters: &[&ResourceFilter]| MatchResources {
        filters: filters.iter().map(|filter| (*filter).clone()).collect(),
        any: true,
        problems: matched.problems.clone(),
    };
    let others = (!others.is_empty()).then(|| of(&others));
    others.into_iter().chain(selecting.into_iter().map(|filter| of(&[filter]))).collect()
}
