//! The grants of exceptions, as entries of `exclude` and as match conditions.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::condition::{Condition, LocatedCondition, has_wildcards};
use super::entry::Entry;
use super::exclusion::only_other_namespaces;
use super::reach::Reach;
use super::resource_filter::ResourceFilter;
use crate::LabelSelector;
use crate::cel::{self, CelExpression};
use crate::conversion::FieldProblem;
use crate::target::Target;

#[derive(Debug)]
pub(super) struct ExceptedRule<'r> {
    /// The name of the policy as an exception spells it: `policy`, or `namespace/policy`.
    pub(super) policy: &'r str,
    pub(super) name: &'r str,
    /// The settings without entries, with which entries are checked.
    pub(super) settings: &'r Map<String, Value>,
    pub(super) reach: &'r Reach,
    /// Whether an exception may allow some violations of the rule and not all.
    pub(super) takes_entries: bool,
}

/// The violations that an exception allows for some of the targets.
#[derive(Clone, Debug)]
pub(super) struct Grant {
    targets: BTreeSet<Target>,
    /// The requests to which the grant applies; all if it is always true.
    guard: CelExpression,
    /// Whether the guard has a result in background audits.
    guard_is_seen_in_audits: bool,
    allowed: Allowed,
    pub(super) in_background: bool,
}

#[derive(Clone, Debug)]
enum Allowed {
    /// The violations that the entries cover.
    Entries(Vec<Value>),
    Everything,
    /// Everything outside of the namespaces that the selector selects.
    EverythingOutside(LabelSelector),
}

/// The largest number of conditions whose combinations get manifests of their own.
const MAX_GUARDS: usize = 3;

impl Grant {
    /// Grants of what entries cover, to requests that filters match together.
    pub(super) fn of_entries(
        entries: &[Entry],
        filters: &[&ResourceFilter],
        targets: &BTreeSet<Target>,
        rule: &ExceptedRule<'_>,
        problems: &mut Vec<FieldProblem>,
    ) -> Result<Vec<Self>, FieldProblem> {
        // The labels of a workload are not those of its template, which an entry reads.
        let (pods, templates): (BTreeSet<Target>, BTreeSet<Target>) =
            targets.iter().partition(|target| target.is_pod());
        let has_labels = conditions(filters).any(|located| matches!(located.condition, Condition::Labels(_)));
        let parts = if has_labels { vec![pods, templates] } else { vec![targets.clone()] };
        let mut grants = Vec::new();
        for targets in parts.into_iter().filter(|targets| !targets.is_empty()) {
            let SplitConditions { alternatives, guard, guard_is_seen_in_audits } =
                split_conditions(filters, &targets, rule)?;
            let mut allowed = Vec::new();
            for conditions in alternatives {
                for entry in entries {
                    allowed.extend(entry.setting(entries, rule.settings, &conditions, problems));
                }
            }
            if !allowed.is_empty() {
                let allowed = Allowed::Entries(allowed);
                grants.push(Self { targets, guard, guard_is_seen_in_audits, allowed, in_background: true });
            }
        }
        // Entries that are left out are the same for each part.
        let mut seen = BTreeSet::new();
        problems.retain(|problem| seen.insert((problem.path.clone(), problem.problem.clone())));
        Ok(grants)
    }

    /// Grants of everything to requests that filters match together.
    pub(super) fn of_whole_rule(
        filters: &[&ResourceFilter],
        targets: &BTreeSet<Target>,
        rule: &ExceptedRule<'_>,
    ) -> Result<Vec<Self>, FieldProblem> {
        let narrowing: Vec<&LocatedCondition> = conditions(filters).collect();
        if *targets == rule.reach.targets
            && rule.reach.is_cluster
            && let [only] = narrowing.as_slice()
            && let Some(selector) = only_other_namespaces(&only.condition)
        {
            return Ok(vec![Self::of(targets.clone(), Allowed::EverythingOutside(selector))]);
        }
        let is_selector =
            |located: &&&LocatedCondition| matches!(located.condition, Condition::NamespaceSelector(_));
        if let Some(selector) = narrowing.iter().find(is_selector) {
            let problem = "an exception from the whole rule by namespace labels can only be inverted if it is from all \
                           kinds of a cluster-wide policy, by a single requirement without other conditions";
            return Err(FieldProblem::new(&selector.path, problem));
        }
        let mut grant = Self::of(targets.clone(), Allowed::Everything);
        let expressions = narrowing.iter().map(|located| located.condition.expression("object"));
        grant.guard = CelExpression::All(expressions.collect());
        grant.guard_is_seen_in_audits = narrowing.iter().any(|located| located.condition.is_seen_in_audits());
        Ok(vec![grant])
    }

    fn of(targets: BTreeSet<Target>, allowed: Allowed) -> Self {
        let guard = CelExpression::All(Vec::new());
        Self { targets, guard, guard_is_seen_in_audits: false, allowed, in_background: true }
    }
}

/// The conditions of filters on more than the kind. Exceptions have no operations.
fn conditions<'f>(filters: &[&'f ResourceFilter]) -> impl Iterator<Item = &'f LocatedCondition> {
    let conditions = filters.iter().copied().flat_map(|filter| &filter.conditions);
    conditions.filter(|located| !matches!(located.condition, Condition::Kinds(_) | Condition::Operations(_)))
}

/// The conditions of filters, as entries and match conditions express them.
struct SplitConditions {
    /// The conditions of entries, one map for each alternative.
    alternatives: Vec<Map<String, Value>>,
    guard: CelExpression,
    guard_is_seen_in_audits: bool,
}

/// Splits the conditions of filters into those that entries express and all others.
fn split_conditions(
    filters: &[&ResourceFilter],
    targets: &BTreeSet<Target>,
    rule: &ExceptedRule<'_>,
) -> Result<SplitConditions, FieldProblem> {
    let mut alternatives = vec![Map::new()];
    let mut used = BTreeSet::new();
    let mut guards = Vec::new();
    let mut is_seen_in_audits = false;
    for LocatedCondition { path, condition } in conditions(filters) {
        let fields = entry_fields(condition, targets, rule);
        if fields.is_empty() || fields.iter().any(|(key, _)| used.contains(key)) {
            if let Condition::NamespaceSelector(_) = condition {
                let problem = if rule.reach.is_cluster {
                    "an entry can select namespaces only once"
                } else {
                    "a namespaced policy cannot look up the labels of its namespace"
                };
                return Err(FieldProblem::new(path, problem));
            }
            guards.push(condition.expression("object"));
            is_seen_in_audits |= condition.is_seen_in_audits();
            continue;
        }
        used.extend(fields.iter().map(|(key, _)| *key));
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
    Ok(SplitConditions {
        alternatives,
        guard: CelExpression::All(guards),
        guard_is_seen_in_audits: is_seen_in_audits,
    })
}

/// Returns the fields of an entry that express a condition, each of them an alternative; none if
/// an entry cannot express it.
fn entry_fields(
    condition: &Condition,
    targets: &BTreeSet<Target>,
    rule: &ExceptedRule<'_>,
) -> Vec<(&'static str, Value)> {
    match condition {
        Condition::Namespaces(names) => vec![("namespaces", json!(names))],
        Condition::NamespaceSelector(selector) if rule.reach.is_cluster => {
            vec![("namespaceSelector", json!(selector))]
        }
        Condition::Labels(selector)
            if !has_wildcards(selector) && targets.iter().all(|target| target.is_pod()) =>
        {
            vec![("podSelector", json!(selector))]
        }
        Condition::Subjects { users, groups }
            if !users.iter().chain(groups).any(|name| cel::is_pattern(name)) =>
        {
            let subjects = [("users", users), ("groups", groups)].into_iter();
            let subjects = subjects.filter(|(_, names)| !names.is_empty());
            subjects.map(|(key, names)| (key, json!(names))).collect()
        }
        _ => Vec::new(),
    }
}

/// Requests of a rule to which the same grants apply, so that one manifest can evaluate them.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub(super) targets: BTreeSet<Target>,
    pub(super) conditions: Vec<CelExpression>,
    pub(super) selectors: Vec<LabelSelector>,
    pub(super) entries: Vec<Value>,
}

/// Splits the targets of a rule by grants, for requests. The second value is whether there are
/// more conditions than can be combined.
pub(super) fn pieces(targets: &BTreeSet<Target>, grants: &[Grant]) -> (Vec<Piece>, bool) {
    split(targets, &grants.iter().collect::<Vec<_>>())
}

/// Splits the targets of a rule by grants, for background audits. The audit scanner ignores match
/// conditions; the second value is whether reports therefore contain what a condition excepts.
pub(super) fn audit_pieces(targets: &BTreeSet<Target>, grants: &[Grant]) -> (Vec<Piece>, bool) {
    let in_background = grants.iter().filter(|grant| grant.in_background);
    let (grants, guarded): (Vec<&Grant>, Vec<&Grant>) =
        in_background.partition(|grant| grant.guard.is_always_true());
    (split(targets, &grants).0, guarded.iter().any(|grant| grant.guard_is_seen_in_audits))
}

fn split(targets: &BTreeSet<Target>, grants: &[&Grant]) -> (Vec<Piece>, bool) {
    // Targets with the same grants, in the order of the targets.
    let mut groups: Vec<(Vec<usize>, BTreeSet<Target>)> = Vec::new();
    for target in targets {
        let applicable = grants.iter().enumerate().filter(|(_, grant)| grant.targets.contains(target));
        let applicable: Vec<usize> = applicable.map(|(index, _)| index).collect();
        match groups.iter_mut().find(|(others, _)| *others == applicable) {
            Some((_, targets)) => drop(targets.insert(*target)),
            None => groups.push((applicable, BTreeSet::from([*target]))),
        }
    }
    let mut pieces = Vec::new();
    let mut is_incomplete = false;
    for (applicable, targets) in groups {
        let grants = applicable.into_iter().filter_map(|index| grants.get(index).copied());
        let (mut combined, is_short) = combine(targets, grants);
        pieces.append(&mut combined);
        is_incomplete |= is_short;
    }
    (pieces, is_incomplete)
}

/// Returns a piece for each combination of the guards of grants.
fn combine<'g>(targets: BTreeSet<Target>, grants: impl Iterator<Item = &'g Grant>) -> (Vec<Piece>, bool) {
    let mut piece = Piece { targets, conditions: Vec::new(), selectors: Vec::new(), entries: Vec::new() };
    let mut guarded: BTreeMap<String, (CelExpression, Vec<Value>)> = BTreeMap::new();
    for grant in grants {
        let is_guarded = !grant.guard.is_always_true();
        match &grant.allowed {
            Allowed::EverythingOutside(selector) => piece.selectors.push(selector.clone()),
            Allowed::Everything if is_guarded => piece.conditions.push(grant.guard.clone().negated()),
            Allowed::Everything => return (Vec::new(), false),
            Allowed::Entries(entries) if is_guarded => {
                let (_, all) = guarded
                    .entry(grant.guard.to_string())
                    .or_insert_with(|| (grant.guard.clone(), Vec::new()));
                all.extend(entries.iter().cloned());
            }
            Allowed::Entries(entries) => piece.entries.extend(entries.iter().cloned()),
        }
    }
    let is_incomplete = guarded.len() > MAX_GUARDS;
    let mut pieces = vec![piece];
    for (guard, entries) in guarded.into_values().take(MAX_GUARDS) {
        let split = |piece: Piece| {
            let mut outside = piece.clone();
            outside.conditions.push(guard.clone().negated());
            let mut inside = piece;
            inside.conditions.push(guard.clone());
            inside.entries.extend(entries.iter().cloned());
            [outside, inside]
        };
        pieces = pieces.into_iter().flat_map(split).collect();
    }
    (pieces, is_incomplete)
}
