//! Which requests a rule of Kyverno is about, said with what a policy of Kubewarden has for it.
//!
//! Where the two differ, more is judged and never less: a condition of `match` that cannot be said is left out,
//! and a filter of `exclude` that cannot be said excludes nothing.

use std::collections::BTreeSet;

use rules::name::is_label;

use super::cel::{self, Expression};
use super::filter::{Block, Condition, Filter, What, is_wild};
use super::manifest::{MatchCondition, Problem, Requirement, Selector};
use super::target::{Kind, Operation, Target};

/// The label that every Namespace has, with its name.
const NAME: &str = "kubernetes.io/metadata.name";

/// Which requests reach a policy.
#[derive(Debug)]
pub(super) struct Reach {
    pub(super) targets: BTreeSet<Target>,
    pub(super) operations: BTreeSet<Operation>,
    pub(super) namespace_selector: Option<Selector>,
    pub(super) object_selector: Option<Selector>,
    pub(super) conditions: Vec<MatchCondition>,
    pub(super) problems: Vec<Problem>,
    /// Whether the policy is for a whole cluster; one for a namespace cannot select namespaces.
    is_cluster: bool,
    /// What Kyverno derives a rule for from one for pods.
    controllers: BTreeSet<Target>,
}

impl Reach {
    /// What `match` and `exclude` say.
    pub(super) fn of(matched: &Block, excluded: &Block, controllers: Option<&str>, is_cluster: bool) -> Self {
        let mut reach = Self {
            targets: BTreeSet::new(),
            operations: BTreeSet::new(),
            namespace_selector: None,
            object_selector: None,
            conditions: Vec::new(),
            problems: [&matched.problems[..], &excluded.problems].concat(),
            is_cluster,
            controllers: derived(matched, excluded, controllers),
        };
        reach.check_kinds(matched);
        if matched.any && matched.filters.len() > 1 {
            reach.match_any(&matched.filters);
        } else {
            reach.match_all(&matched.filters);
        }
        let exclusions: Vec<&[Filter]> =
            if excluded.any { excluded.filters.chunks(1).collect() } else { vec![&excluded.filters] };
        let excluded = exclusions.into_iter().filter_map(|filters| reach.exclude(filters)).collect();
        reach.condition("is-not-excluded", &Expression::All(excluded));
        reach
    }

    /// Whether it judges templates of pods.
    pub(super) fn has_templates(&self) -> bool {
        self.targets.iter().any(|target| !target.is_pod())
    }

    /// Whether Kyverno judges a target by a rule that it derives from one for pods.
    pub(super) fn is_derived(&self, target: Target) -> bool {
        self.controllers.contains(&target)
    }

    fn condition(&mut self, name: &str, expression: &Expression) {
        if !expression.is_always() {
            let condition = MatchCondition { name: name.to_owned(), expression: expression.to_string() };
            self.conditions.push(condition);
        }
    }

    fn check_kinds(&mut self, matched: &Block) {
        for Condition { path, what } in matched.filters.iter().flat_map(|filter| &filter.conditions) {
            let What::Kinds(kinds) = what else { continue };
            for text in kinds {
                let problem = match Kind::parse(text) {
                    Some(kind) if !kind.targets().is_empty() => kind
                        .old_version()
                        .map(|version| format!("{text} is judged in every version, not in {version} alone")),
                    _ => Some(format!("{text} is no pod and no workload with a template of pods")),
                };
                self.problems.extend(problem.map(|problem| Problem::new(path, problem)));
            }
        }
    }

    fn left_out(&mut self, path: &str, problem: &str) {
        self.problems.push(Problem::new(path, format!("{problem}; without it more is judged")));
    }

    fn match_all(&mut self, filters: &[Filter]) {
        self.targets = BTreeSet::from(Target::ALL);
        self.operations = BTreeSet::from(Operation::ALL);
        let (mut of_request, mut of_object) = (Vec::new(), Vec::new());
        for filter in filters {
            if filter.is_empty() {
                // As for Kyverno, a filter that asks for nothing finds nothing.
                self.targets.clear();
            }
            self.targets = &self.targets & &filter.targets(&self.controllers);
            self.operations = &self.operations & &filter.operations();
            for Problem { path, problem } in &filter.problems {
                self.left_out(path, problem);
            }
            for Condition { path, what } in &filter.conditions {
                match what {
                    What::Namespaces(names) if self.is_cluster && names.iter().all(|name| is_label(name)) => {
                        self.select_namespaces(named("In", names));
                    }
                    What::NamespaceSelector(selector) if self.is_cluster => {
                        self.select_namespaces(selector.clone());
                    }
                    What::NamespaceSelector(_) => self.left_out(path, NO_NAMESPACES),
                    What::Labels(selector) if !selector.match_labels.iter().any(is_wild) => {
                        self.object_selector.get_or_insert_default().narrow(selector.clone());
                    }
                    what if what.is_of_object() => of_object.push(what),
                    what => of_request.push(what.cel("object")),
                }
            }
        }
        if !of_object.is_empty() {
            of_request.push(Expression::of_either(|object| about(&of_object, object)));
        }
        self.condition("is-matched", &Expression::All(of_request));
    }

    fn match_any(&mut self, filters: &[Filter]) {
        // As for Kyverno, a filter that asks for nothing finds nothing.
        let filters: Vec<&Filter> = filters.iter().filter(|filter| !filter.is_empty()).collect();
        for filter in &filters {
            self.targets.append(&mut filter.targets(&self.controllers));
            self.operations.append(&mut filter.operations());
        }
        let mut ways = Vec::new();
        for filter in filters {
            for Problem { path, problem } in &filter.problems {
                self.left_out(path, problem);
            }
            for Condition { path, what } in &filter.conditions {
                if matches!(what, What::NamespaceSelector(_)) {
                    let problem = "the labels of a namespace cannot be one of several alternatives";
                    self.left_out(path, problem);
                }
            }
            let (targets, operations) = (filter.targets(&self.controllers), filter.operations());
            if targets.is_empty() || operations.is_empty() {
                continue;
            }
            let mut parts = Vec::new();
            if targets != self.targets {
                parts.push(cel::resource(&targets));
            }
            if operations != self.operations {
                parts.push(cel::operation(&operations));
            }
            let (of_object, of_request): (Vec<&What>, Vec<&What>) = filter
                .conditions
                .iter()
                .map(|condition| &condition.what)
                .partition(|what| what.is_of_object());
            parts.extend(of_request.iter().map(|what| what.cel("object")));
            if !of_object.is_empty() {
                parts.push(Expression::of_either(|object| about(&of_object, object)));
            }
            // No condition at all is met by each request, and so is the whole.
            parts.retain(|part| !part.is_always());
            ways.push(Expression::All(parts));
        }
        if !ways.iter().any(Expression::is_always) {
            self.condition("is-matched", &Expression::Any(ways));
        }
    }

    fn select_namespaces(&mut self, selector: Selector) {
        self.namespace_selector.get_or_insert_default().narrow(selector);
    }

    /// What is not excluded by all of some filters; `None` if no expression is needed for it.
    fn exclude(&mut self, filters: &[Filter]) -> Option<Expression> {
        if filters.is_empty() || filters.iter().any(Filter::is_empty) {
            return None;
        }
        let problems: Vec<Problem> = filters.iter().flat_map(|filter| filter.problems.clone()).collect();
        if !problems.is_empty() {
            for Problem { path, problem } in problems {
                self.judged_all_the_same(&path, &problem);
            }
            return None;
        }
        let mut parts = Vec::new();
        for filter in filters {
            let targets = &filter.targets(&self.controllers) & &self.targets;
            let operations = &filter.operations() & &self.operations;
            if targets.is_empty() || operations.is_empty() {
                return None;
            }
            if targets != self.targets {
                parts.push(cel::resource(&targets));
            }
            if operations != self.operations {
                parts.push(cel::operation(&operations));
            }
        }
        let conditions: Vec<&Condition> = filters.iter().flat_map(|filter| &filter.conditions).collect();
        let narrowing: Vec<&Condition> = conditions
            .iter()
            .copied()
            .filter(|condition| !matches!(condition.what, What::Kinds(_) | What::Operations(_)))
            .collect();
        if parts.is_empty() {
            match narrowing.as_slice() {
                [] => {
                    let path = conditions.first().map(|condition| condition.path.clone()).unwrap_or_default();
                    self.judged_all_the_same(&path, "excludes all that is matched");
                    return None;
                }
                [Condition { what, .. }] if self.is_cluster => {
                    if let Some(selector) = unselected(what) {
                        self.select_namespaces(selector);
                        return None;
                    }
                }
                _ => {}
            }
        }
        let labels = |condition: &&&Condition| matches!(condition.what, What::NamespaceSelector(_));
        if let Some(Condition { path, .. }) = narrowing.iter().find(labels) {
            let problem = if self.is_cluster {
                "only a single requirement on the labels of a namespace, alone, can be turned round"
            } else {
                NO_NAMESPACES
            };
            self.judged_all_the_same(path, problem);
            return None;
        }
        let (of_object, of_request): (Vec<&What>, Vec<&What>) =
            narrowing.iter().map(|condition| &condition.what).partition(|what| what.is_of_object());
        parts.extend(of_request.iter().map(|what| what.cel("object")));
        if !of_object.is_empty() {
            parts.push(Expression::of_both(|object| about(&of_object, object)));
        }
        Some(Expression::All(parts).negated())
    }

    fn judged_all_the_same(&mut self, path: &str, problem: &str) {
        self.problems.push(Problem::new(path, format!("{problem}; what it excludes is judged")));
    }
}

const NO_NAMESPACES: &str = "a policy of a namespace cannot select namespaces by their labels";

fn about(conditions: &[&What], object: &str) -> Expression {
    Expression::All(conditions.iter().map(|what| what.cel(object)).collect())
}

/// The selector of namespaces with some names, or of all others.
fn named(operator: &str, names: &[String]) -> Selector {
    let requirement =
        Requirement { key: NAME.to_owned(), operator: operator.to_owned(), values: names.to_vec() };
    Selector { match_expressions: vec![requirement], ..Selector::default() }
}

/// The selector of all namespaces that a condition does not select.
fn unselected(what: &What) -> Option<Selector> {
    match what {
        What::Namespaces(names) if names.iter().all(|name| is_label(name)) => Some(named("NotIn", names)),
        What::NamespaceSelector(Selector { match_labels, match_expressions }) => {
            let labels = match_labels.iter().map(|(key, value)| Requirement {
                key: key.clone(),
                operator: "In".to_owned(),
                values: value.as_str().map(str::to_owned).into_iter().collect(),
            });
            let mut requirements: Vec<Requirement> =
                labels.chain(match_expressions.iter().cloned()).collect();
            let only = requirements.pop().filter(|_| requirements.is_empty())?;
            let operator = match only.operator.as_str() {
                "In" => "NotIn",
                "NotIn" => "In",
                "Exists" => "DoesNotExist",
                _ => "Exists",
            };
            let turned = Requirement { operator: operator.to_owned(), ..only };
            Some(Selector { match_expressions: vec![turned], ..Selector::default() })
        }
        _ => None,
    }
}

/// The controllers for which Kyverno derives rules, from all that an annotation names.
fn derived(matched: &Block, excluded: &Block, annotation: Option<&str>) -> BTreeSet<Target> {
    let mut filters = matched.filters.iter().chain(&excluded.filters);
    if !filters.all(Filter::lets_derive) || !matched.filters.iter().any(Filter::asks_for_pods) {
        return BTreeSet::new();
    }
    let chosen = |target: &Target| match annotation {
        None | Some("" | "all") => true,
        Some(kinds) => kinds.split(',').any(|kind| kind.trim() == target.kind()),
    };
    Target::CONTROLLERS.into_iter().filter(chosen).collect()
}
