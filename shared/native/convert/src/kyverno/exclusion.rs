//! The requests that filters of `exclude` exclude.

use std::collections::BTreeSet;

use rules::name::is_label;

use super::condition::{self, Condition, LocatedCondition, NO_NAMESPACE_SELECTOR, namespaces_by_name};
use super::reach::Reach;
use super::resource_filter::ResourceFilter;
use crate::cel::CelExpression;
use crate::conversion::FieldProblem;
use crate::target::Target;
use crate::{LabelSelector, LabelSelectorRequirement};

/// The requests that filters exclude from a reach.
#[derive(Debug)]
pub(super) enum Exclusion {
    /// The filters match nothing in the reach.
    Nothing,
    Targets(BTreeSet<Target>),
    /// The filters exclude all namespaces but those that one of the selectors selects.
    OtherNamespaces(Vec<LabelSelector>),
    /// The filters exclude the requests that meet the expression.
    Requests(CelExpression),
    /// Kubewarden cannot express the filters, so they exclude nothing.
    NotConverted(Vec<FieldProblem>),
}

impl Exclusion {
    pub(super) fn of(filters: &[ResourceFilter], reach: &Reach) -> Self {
        // In the rule for CronJobs, Kyverno gives every filter that kind (`generateCronJobRule` in
        // `pkg/autogen/v1/rule.go`). In other rules, an empty filter matches nothing.
        let has_empty = filters.iter().any(ResourceFilter::is_empty);
        if filters.is_empty() || has_empty && !reach.is_derived(Target::CronJob) {
            return Self::Nothing;
        }
        let problems: Vec<FieldProblem> = filters.iter().flat_map(|filter| filter.problems.clone()).collect();
        if !problems.is_empty() {
            return Self::NotConverted(problems);
        }
        let (mut targets, mut operations) = (reach.targets.clone(), reach.operations.clone());
        if has_empty {
            targets.retain(|target| *target == Target::CronJob);
        }
        for filter in filters {
            targets = &targets & &filter.targets(&reach.derived);
            operations = &operations & &filter.operations();
        }
        if targets.is_empty() || operations.is_empty() {
            return Self::Nothing;
        }
        let mut parts = reach.narrowed_to(&targets, &operations);
        let conditions = || filters.iter().flat_map(|filter| &filter.conditions);
        let narrowing: Vec<&LocatedCondition> = conditions()
            .filter(|located| !matches!(located.condition, Condition::Kinds(_) | Condition::Operations(_)))
            .collect();
        if narrowing.is_empty() && operations == reach.operations {
            return Self::Targets(targets);
        }
        if parts.is_empty()
            && reach.is_cluster
            && let [only] = narrowing.as_slice()
            && let Some(selectors) = other_namespaces(&only.condition)
        {
            return Self::OtherNamespaces(selectors);
        }
        let is_selector =
            |located: &&&LocatedCondition| matches!(located.condition, Condition::NamespaceSelector(_));
        if let Some(LocatedCondition { path, .. }) = narrowing.iter().find(is_selector) {
            let problem = if reach.is_cluster {
                "requirements on namespace labels can only be inverted without other conditions"
            } else {
                NO_NAMESPACE_SELECTOR
            };
            return Self::not_converted(path.clone(), problem);
        }
        let (about_object, about_request): (Vec<&Condition>, Vec<&Condition>) = narrowing
            .iter()
            .map(|located| &located.condition)
            .partition(|condition| condition.is_about_object());
        parts.extend(about_request.iter().map(|condition| condition.expression("object")));
        if !about_object.is_empty() {
            parts.push(CelExpression::of_both_objects(|object| condition::all(&about_object, object)));
        }
        Self::Requests(CelExpression::All(parts))
    }

    fn not_converted(path: String, problem: &str) -> Self {
        Self::NotConverted(vec![FieldProblem::new(path, problem)])
    }
}

/// Returns selectors that together select all namespaces that a condition does not match; `None` if
/// no selector expresses it.
fn other_namespaces(condition: &Condition) -> Option<Vec<LabelSelector>> {
    match condition {
        Condition::Namespaces(names) if names.iter().all(|name| is_label(name)) => {
            Some(vec![namespaces_by_name("NotIn", names)])
        }
        Condition::NamespaceSelector(selector) => {
            let requirements = selector.clone().into_expressions().match_expressions;
            // One requirement that is not met is enough.
            (!requirements.is_empty()).then(|| requirements.into_iter().map(inverted).collect())
        }
        _ => None,
    }
}

/// Returns the only selector of all namespaces that a condition does not match; `None` if it takes
/// several selectors, or none expresses it.
pub(super) fn only_other_namespaces(condition: &Condition) -> Option<LabelSelector> {
    let mut selectors = other_namespaces(condition)?;
    let last = selectors.pop();
    last.filter(|_| selectors.is_empty())
}

fn inverted(requirement: LabelSelectorRequirement) -> LabelSelector {
    let operator = match requirement.operator.as_str() {
        "In" => "NotIn",
        "NotIn" => "In",
        "Exists" => "DoesNotExist",
        _ => "Exists",
    };
    LabelSelector::of(LabelSelectorRequirement { operator: operator.to_owned(), ..requirement })
}
