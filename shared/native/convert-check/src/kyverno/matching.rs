//! `match` and `exclude` of rules and exceptions, and the rules that Kyverno derives.

use std::collections::BTreeMap;

use rules::pattern::Pattern;
use serde_json::Value;

use super::{CONTROLLERS, Known, list, text};
use crate::{Namespaces, Object};

/// An object that a rule may match.
pub(super) struct Resource<'o> {
    pub(super) object: &'o Object,
    pub(super) namespaces: &'o Namespaces,
    /// Whether the rule is one that Kyverno derives for controllers.
    pub(super) is_derived: bool,
}

/// Whether a text matches a pattern with `*` and `?`.
pub(super) fn wild(pattern: &str, text: &str) -> bool {
    Pattern::of(pattern).matches(text)
}

/// Whether an object has a kind: `Kind`, `version/Kind` or `group/version/Kind`, with wildcards.
/// No object is a subresource.
pub(super) fn is_kind(object: &Object, pattern: &str) -> bool {
    let api_version = object.text("/apiVersion");
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    let parts: Vec<&str> = pattern.split('/').collect();
    match parts.as_slice() {
        [kind] => wild(kind, object.kind()),
        ["*", "*"] => true,
        [of_version, kind] => wild(of_version, version) && wild(kind, object.kind()),
        [of_group, of_version, kind] => {
            wild(of_group, group) && wild(of_version, version) && wild(kind, object.kind())
        }
        _ => false,
    }
}

/// The controllers for which Kyverno derives a rule from one of a policy.
pub(super) fn derives(policy: &Value, rule: &Value) -> Vec<&'static str> {
    let mut is_about_pods = false;
    for resources in list(policy, "/spec/rules").flat_map(all_resources) {
        let kinds: Vec<&str> = list(resources, "/kinds").filter_map(Value::as_str).collect();
        let is_narrow = ["name", "names", "selector", "annotations"].iter().any(|key| {
            resources
                .get(*key)
                .is_some_and(|value| !(value.is_null() || *value == "" || *value == Value::Array(Vec::new())))
        });
        if is_narrow || kinds.len() > 1 && kinds.iter().any(|kind| is_pod(kind)) {
            return Vec::new();
        }
        is_about_pods |= kinds.iter().any(|kind| *kind == "Pod" || CONTROLLERS.contains(kind));
    }
    let names_pods = |block: &str| {
        let all: Vec<&str> = blocks(rule, block)
            .flat_map(|resources| list(resources, "/kinds"))
            .filter_map(Value::as_str)
            .collect();
        (all.is_empty(), all.iter().any(|kind| is_pod(kind)))
    };
    let (_, matches_pods) = names_pods("match");
    let (excludes_nothing, excludes_pods) = names_pods("exclude");
    if !is_about_pods
        || !matches_pods
        || !(excludes_nothing || excludes_pods)
        || text(rule, "/name").starts_with("autogen-")
    {
        return Vec::new();
    }
    let chosen = policy.pointer("/metadata/annotations/pod-policies.kyverno.io~1autogen-controllers");
    let chosen = chosen.and_then(Value::as_str);
    let is_chosen = |kind: &&str| chosen.is_none_or(|chosen| chosen.split(',').any(|one| one == *kind));
    CONTROLLERS.into_iter().filter(|kind| is_chosen(kind)).collect()
}

/// Whether a kind in a rule is that of pods.
fn is_pod(kind: &str) -> bool {
    kind.rsplit('/').next() == Some("Pod")
}

/// The kinds that `match` of a rule names.
pub(super) fn kinds(rule: &Value) -> impl Iterator<Item = &Value> {
    blocks(rule, "match").flat_map(|resources| list(resources, "/kinds"))
}

fn all_resources(rule: &Value) -> impl Iterator<Item = &Value> {
    blocks(rule, "match").chain(blocks(rule, "exclude"))
}

/// The resources of all filters of `match` or `exclude`.
fn blocks<'r>(rule: &'r Value, key: &str) -> impl Iterator<Item = &'r Value> {
    let block = rule.get(key);
    let filters = ["/any", "/all"].into_iter();
    let of_filters = filters.filter_map(move |key| block?.pointer(key)).filter_map(Value::as_array).flatten();
    let of_filters = of_filters.filter_map(|filter| filter.get("resources"));
    block.and_then(|block| block.get("resources")).into_iter().chain(of_filters)
}

/// Whether `match` or `exclude` matches an object.
pub(super) fn is_matched(resource: &Resource<'_>, block: Option<&Value>) -> Known<bool> {
    let Some(block) = block.filter(|block| !block.is_null()) else { return Ok(false) };
    for (key, any) in [("any", true), ("all", false)] {
        let filters = block.get(key).and_then(Value::as_array).filter(|filters| !filters.is_empty());
        let Some(filters) = filters else { continue };
        let mut unknown = None;
        for filter in filters {
            match is_filtered(resource, filter) {
                Ok(matches) if matches == any => return Ok(any),
                Ok(_) => {}
                Err(problem) => unknown = Some(problem),
            }
        }
        return unknown.map_or(Ok(!any), Err);
    }
    is_filtered(resource, block)
}

/// Whether a filter matches an object. An empty one matches nothing.
fn is_filtered(resource: &Resource<'_>, filter: &Value) -> Known<bool> {
    let Some(fields) = filter.as_object() else { return Ok(false) };
    let is_set = |value: &&Value| !(value.is_null() || value.as_array().is_some_and(Vec::is_empty));
    let other = fields.iter().find(|(key, value)| *key != "resources" && is_set(value));
    let mut unknown =
        other.map(|(key, _)| format!("{key} in match or exclude, which --check does not support"));
    let Some(resources) = filter.get("resources").and_then(Value::as_object) else {
        return unknown.map_or(Ok(false), Err);
    };
    for (key, value) in resources.iter().filter(|(_, value)| is_set(value)) {
        match has(resource, key, value) {
            Ok(true) => {}
            Ok(false) => return Ok(false),
            Err(problem) => unknown = Some(problem),
        }
    }
    unknown.map_or(Ok(!resources.is_empty()), Err)
}

fn has(Resource { object, namespaces, is_derived }: &Resource<'_>, key: &str, value: &Value) -> Known<bool> {
    let texts = || value.as_array().into_iter().flatten().filter_map(Value::as_str);
    Ok(match key {
        // In a derived rule, controllers take the place of pods; in that for CronJobs, of any kind.
        "kinds" if *is_derived => object.kind() == "CronJob" || texts().any(is_pod),
        "kinds" => texts().any(|kind| is_kind(object, kind)),
        "name" => wild(value.as_str().unwrap_or_default(), object.name()),
        "names" => texts().any(|pattern| wild(pattern, object.name())),
        "namespaces" => texts().any(|pattern| wild(pattern, object.namespace())),
        "operations" => texts().any(|operation| operation == "CREATE" || operation == "*"),
        "selector" => is_selected(&strings(object.value.pointer("/metadata/labels")), value)?,
        "annotations" => {
            let present = strings(object.value.pointer("/metadata/annotations"));
            let wanted = strings(Some(value));
            wanted.iter().all(|(key, value)| has_pair(&present, key, value))
        }
        "namespaceSelector" => match namespaces.labels(object.namespace()) {
            Some(labels) => is_selected(labels, value)?,
            None => {
                return Err(format!("the labels of Namespace {} are not in the input", object.namespace()));
            }
        },
        other => return Err(format!("{other} in match or exclude, which --check does not support")),
    })
}

fn strings(value: Option<&Value>) -> BTreeMap<String, String> {
    let pairs = value.and_then(Value::as_object).into_iter().flatten();
    pairs.filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned()))).collect()
}

fn has_pair(present: &BTreeMap<String, String>, key: &str, value: &str) -> bool {
    present.iter().any(|(own, of_own)| wild(key, own) && wild(value, of_own))
}

/// Whether labels meet a selector, in which Kyverno allows wildcards.
pub(super) fn is_selected(labels: &BTreeMap<String, String>, selector: &Value) -> Known<bool> {
    if !strings(selector.get("matchLabels")).iter().all(|(key, value)| has_pair(labels, key, value)) {
        return Ok(false);
    }
    for requirement in list(selector, "/matchExpressions") {
        let value = labels.get(text(requirement, "/key"));
        let is_listed = value.is_some_and(|value| list(requirement, "/values").any(|known| known == value));
        let is_met = match text(requirement, "/operator") {
            "In" => is_listed,
            "NotIn" => !is_listed,
            "Exists" => value.is_some(),
            "DoesNotExist" => value.is_none(),
            other => return Err(format!("there is no operator {other}")),
        };
        if !is_met {
            return Ok(false);
        }
    }
    Ok(true)
}
