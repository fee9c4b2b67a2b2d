//! The conditions of `exclude` entries that express the filters of an exception.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::condition::{Condition, LocatedCondition, has_wildcards};
use super::reach::Reach;
use super::resource_filter::ResourceFilter;
use crate::cel::is_pattern;
use crate::conversion::FieldProblem;
use crate::target::Target;

/// The rule whose exceptions are converted.
#[derive(Debug)]
pub(super) struct ExceptedRule<'r> {
    /// The name of the policy as an exception spells it: `policy`, or `namespace/policy`.
    pub(super) policy: &'r str,
    pub(super) name: &'r str,
    /// Whether the policy is cluster-wide.
    pub(super) is_cluster: bool,
    pub(super) reach: &'r Reach,
}

/// The problem with a field that has no equivalent in an entry.
pub(super) const NOT_EXPRESSIBLE: &str = "exclude cannot express it";

/// The problem with entries that would also apply to some targets.
pub(super) fn too_wide(targets: &[Target]) -> String {
    let paths: Vec<&str> = targets.iter().map(|target| target.path()).collect();
    format!("an exclude entry would also apply to {}", paths.join(", "))
}

/// Returns the conditions for filters that have to match together, one map for each alternative.
///
/// Adds to `problems` what entries cannot express, and to `notes` what they exclude in addition.
pub(super) fn conditions(
    filters: &[&ResourceFilter],
    rule: &ExceptedRule<'_>,
    problems: &mut Vec<FieldProblem>,
    notes: &mut Vec<FieldProblem>,
) -> Vec<Map<String, Value>> {
    if filters.is_empty() || filters.iter().any(|filter| filter.is_empty()) {
        problems.push(FieldProblem::new("spec.match", "is empty, which matches nothing"));
    }
    let mut alternatives = vec![Map::new()];
    let mut used = BTreeSet::new();
    for LocatedCondition { path, condition } in filters.iter().flat_map(|filter| &filter.conditions) {
        // Filters are compared with the scope of the rule as a whole.
        if matches!(condition, Condition::Kinds(_) | Condition::Operations(_)) {
            continue;
        }
        let fields = match entry_fields(condition, rule) {
            Ok(fields) => fields,
            Err(problem) => {
                problems.push(FieldProblem::new(path, problem));
                continue;
            }
        };
        if fields.iter().filter(|(key, _)| !used.insert(*key)).count() > 0 {
            problems.push(FieldProblem::new(path, "an exclude entry can contain this condition only once"));
        }
        let with = |alternative: &Map<String, Value>| -> Vec<Map<String, Value>> {
            let with = |(key, value): &(&str, Value)| {
                let mut alternative = alternative.clone();
                alternative.insert((*key).to_owned(), value.clone());
                alternative
            };
            fields.iter().map(with).collect()
        };
        alternatives = alternatives.iter().flat_map(with).collect();
    }
    for filter in filters {
        compare_with_scope(filter, rule, problems, notes);
    }
    alternatives
}

/// Returns the fields of an entry that express a condition; each of them is an alternative.
fn entry_fields(
    condition: &Condition,
    rule: &ExceptedRule<'_>,
) -> Result<Vec<(&'static str, Value)>, &'static str> {
    match condition {
        Condition::Namespaces(names) => Ok(vec![("namespaces", json!(names))]),
        Condition::NamespaceSelector(selector) if rule.is_cluster => {
            Ok(vec![("namespaceSelector", json!(selector))])
        }
        Condition::Labels(_) if rule.reach.has_templates() => {
            Err("an exclude entry reads the labels of the template, not those of the workload")
        }
        Condition::Labels(selector) if !has_wildcards(selector) => Ok(vec![("podSelector", json!(selector))]),
        Condition::Subjects { users, groups } if !users.iter().chain(groups).any(|name| is_pattern(name)) => {
            let subjects = [("users", users), ("groups", groups)].into_iter();
            let subjects = subjects.filter(|(_, names)| !names.is_empty());
            Ok(subjects.map(|(key, names)| (key, json!(names))).collect())
        }
        _ => Err(NOT_EXPRESSIBLE),
    }
}

/// Checks that a filter covers the targets and operations of the rule.
fn compare_with_scope(
    filter: &ResourceFilter,
    rule: &ExceptedRule<'_>,
    problems: &mut Vec<FieldProblem>,
    notes: &mut Vec<FieldProblem>,
) {
    let path = |is_wanted: fn(&Condition) -> bool| {
        let located = filter.conditions.iter().find(|located| is_wanted(&located.condition));
        located.map(|located| located.path.clone()).unwrap_or_default()
    };
    let kinds = path(|condition| matches!(condition, Condition::Kinds(_)));
    let matched = filter.targets(&BTreeSet::new());
    let uncovered: Vec<Target> = rule.reach.targets.difference(&matched).copied().collect();
    if !uncovered.is_empty() {
        problems.push(FieldProblem::new(kinds, too_wide(&uncovered)));
    } else if !filter.names_ephemeral_containers()
        && rule.reach.targets.contains(&Target::EphemeralContainers)
    {
        let note =
            "an exclude entry also applies to pods/ephemeralcontainers, which the exception does not name";
        notes.push(FieldProblem::new(kinds, note));
    }
    if !rule.reach.operations.is_subset(&filter.operations()) {
        let operations = path(|condition| matches!(condition, Condition::Operations(_)));
        problems.push(FieldProblem::new(operations, "an exclude entry applies to every operation"));
    }
}
