//! Predicates about requests and objects.

use std::collections::BTreeSet;

use super::CelExpression;
use super::CelExpression::{All, Any};
use super::literal::{is_pattern, list, regex, text};
use crate::target::Target;
use crate::{LabelSelector, LabelSelectorRequirement, Operation};

/// The pattern that matches every text.
const ANY: &str = "*";

/// A value matches at least one of the patterns.
pub(crate) fn matches_any(value: &str, patterns: &[&str]) -> CelExpression {
    if patterns.contains(&ANY) {
        return All(Vec::new());
    }
    let literal: Vec<&str> = patterns.iter().copied().filter(|pattern| !is_pattern(pattern)).collect();
    let mut alternatives = Vec::new();
    match literal.as_slice() {
        [] => {}
        [one] => alternatives.push(plain(format!("{value} == {}", text(one)))),
        several => alternatives.push(plain(format!("{value} in {}", list(several.iter().copied())))),
    }
    let wild = patterns.iter().filter(|pattern| is_pattern(pattern));
    alternatives.extend(wild.map(|pattern| plain(format!("{value}.matches({})", regex(pattern)))));
    Any(alternatives)
}

/// The requesting user has one of the names, or belongs to one of the groups.
pub(crate) fn is_requested_by(users: &[&str], groups: &[&str]) -> CelExpression {
    const USERNAME: &str = "request.userInfo.username";
    const GROUPS: &str = "request.userInfo.groups";
    let mut alternatives = Vec::new();
    if !users.is_empty() {
        alternatives.push(All(vec![plain(format!("has({USERNAME})")), matches_any(USERNAME, users)]));
    }
    if !groups.is_empty() {
        let group = |pattern: &&str| {
            plain(if is_pattern(pattern) {
                format!("{GROUPS}.exists(group, {})", matches_any("group", &[pattern]))
            } else {
                format!("{} in {GROUPS}", text(pattern))
            })
        };
        let member = Any(groups.iter().map(group).collect());
        alternatives.push(All(vec![plain(format!("has({GROUPS})")), member]));
    }
    Any(alternatives)
}

/// The name of an object matches at least one of the patterns.
///
/// If the API server has yet to generate the name, its prefix in `generateName` is matched.
pub(crate) fn has_name(object: &str, patterns: &[&str]) -> CelExpression {
    let name = format!("{object}.metadata.name");
    let prefix = format!("{object}.metadata.generateName");
    matches_any(&format!("(has({name}) && {name} != '' ? {name} : has({prefix}) ? {prefix} : '')"), patterns)
}

/// The labels or annotations of an object contain all of the pairs. Keys and values may be
/// patterns.
pub(crate) fn has_pairs<'p>(
    object: &str,
    field: &str,
    pairs: impl IntoIterator<Item = (&'p str, &'p str)>,
) -> CelExpression {
    let map = format!("{object}.metadata.{field}");
    let mut parts = Vec::new();
    for (key, value) in pairs {
        if is_pattern(key) {
            let pair = All(vec![matches_any("key", &[key]), matches_any(&format!("{map}[key]"), &[value])]);
            parts.push(plain(format!("{map}.exists(key, {pair})")));
        } else {
            let key = text(key);
            parts.push(plain(format!("{key} in {map}")));
            parts.push(matches_any(&format!("{map}[{key}]"), &[value]));
        }
    }
    if !parts.is_empty() {
        parts.insert(0, plain(format!("has({map})")));
    }
    All(parts)
}

pub(crate) fn is_selected(object: &str, selector: &LabelSelector) -> CelExpression {
    let labels =
        selector.match_labels.iter().filter_map(|(key, value)| Some((key.as_str(), value.as_str()?)));
    let mut parts = vec![has_pairs(object, "labels", labels)];
    let map = format!("{object}.metadata.labels");
    parts.extend(selector.match_expressions.iter().map(|requirement| is_met(&map, requirement)));
    All(parts)
}

fn is_met(map: &str, requirement: &LabelSelectorRequirement) -> CelExpression {
    let LabelSelectorRequirement { key, operator, values } = requirement;
    let key = text(key);
    let mut parts = vec![plain(format!("has({map})")), plain(format!("{key} in {map}"))];
    if !values.is_empty() {
        let values = list(values.iter().map(String::as_str));
        parts.push(plain(format!("{map}[{key}] in {values}")));
    }
    let present = All(parts);
    if matches!(operator.as_str(), "In" | "Exists") { present } else { present.negated() }
}

/// A request for one of the possible targets is for one of the given targets.
pub(crate) fn is_for_resource(targets: &BTreeSet<Target>, possible: &BTreeSet<Target>) -> CelExpression {
    const RESOURCE: &str = "request.resource.resource";
    const SUBRESOURCE: &str = "(has(request.subResource) ? request.subResource : '')";
    let mut pods = possible.iter().filter(|target| target.is_pod());
    if pods.all(|target| targets.contains(target)) {
        // A request for a subresource of a pod has the same resource.
        let resources: BTreeSet<(bool, &str)> =
            targets.iter().map(|target| (!target.is_pod(), target.resource())).collect();
        return matches_any(
            RESOURCE,
            &resources.into_iter().map(|(_, resource)| resource).collect::<Vec<_>>(),
        );
    }
    let (pods, templates): (Vec<&Target>, Vec<&Target>) = targets.iter().partition(|target| target.is_pod());
    let pod = |target: &Target| {
        let subresource = target.subresource().unwrap_or_default();
        All(vec![matches_any(RESOURCE, &[target.resource()]), matches_any(SUBRESOURCE, &[subresource])])
    };
    let mut alternatives: Vec<CelExpression> = pods.into_iter().map(pod).collect();
    if !templates.is_empty() {
        let resources: Vec<&str> = templates.into_iter().map(|target| target.resource()).collect();
        alternatives.push(matches_any(RESOURCE, &resources));
    }
    Any(alternatives)
}

pub(crate) fn is_operation(operations: &BTreeSet<Operation>) -> CelExpression {
    let names: Vec<&str> = operations.iter().map(|operation| operation.name()).collect();
    matches_any("request.operation", &names)
}

fn plain(text: String) -> CelExpression {
    CelExpression::plain(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_become_regular_expressions_and_other_text_is_escaped() {
        for (pattern, text) in [
            ("team-*", "n.matches('(?s)^team-.*$')"),
            ("a.b?", "n.matches('(?s)^a\\\\.b.$')"),
            (
                "a+(b)|[c]{1}^$\\*",
                "n.matches('(?s)^a\\\\+\\\\(b\\\\)\\\\|\\\\[c\\\\]\\\\{1\\\\}\\\\^\\\\$\\\\\\\\.*$')",
            ),
            ("*", "true"),
            ("it's", "n == 'it\\'s'"),
            ("a\nb", "n == 'a\\u000ab'"),
        ] {
            assert_eq!(matches_any("n", &[pattern]).to_string(), text);
        }
    }
}
