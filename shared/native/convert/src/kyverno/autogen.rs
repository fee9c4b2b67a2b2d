//! The rules that Kyverno derives for controllers from rules for pods.
//!
//! Source: `CanAutoGen`, `ComputeRules` and `generateRuleForControllers` in
//! `pkg/autogen/v1/autogen.go` of kyverno/kyverno at 111e07b.

use std::collections::BTreeSet;

use serde_json::Value;

use super::match_resources::MatchResources;
use super::resource_filter::{ResourceFilter, has_pod};
use crate::fields::Fields;
use crate::target::Target;

const CONTROLLERS: &str = "pod-policies.kyverno.io/autogen-controllers";

/// The beginning of the names of derived rules. Nothing is derived from rules with such names.
const PREFIX: &str = "autogen-";

/// The controllers for which Kyverno derives rules from the rules of a policy.
#[derive(Debug)]
pub(super) struct Autogen(BTreeSet<Target>);

impl Autogen {
    /// Decides for a whole policy: one rule that does not permit it is enough.
    pub(super) fn of(rules: &[Fields<'_>], annotations: Option<&Fields<'_>>) -> Self {
        let mut names_pods = false;
        for rule in rules {
            let resources = rule_resources(rule);
            if prevents(rule) || resources.iter().any(|resources| is_about_pods_alone(resources)) {
                return Self(BTreeSet::new());
            }
            names_pods |= resources.iter().flat_map(|resources| kinds(resources)).any(is_pod_or_controller);
        }
        if !names_pods {
            return Self(BTreeSet::new());
        }
        let chosen = annotations.and_then(|annotations| annotations.get(CONTROLLERS)).and_then(Value::as_str);
        let is_chosen = |target: &Target| match chosen {
            None => true,
            // Kyverno compares the parts as they are, with spaces, and `all` is not a kind.
            Some(chosen) => chosen.split(',').any(|kind| kind == target.kind()),
        };
        Self(Target::CONTROLLERS.into_iter().filter(is_chosen).collect())
    }

    /// Returns the controllers for which a rule is derived from one rule of the policy.
    pub(super) fn derived(
        &self,
        rule: &str,
        matched: &MatchResources,
        excluded: &MatchResources,
    ) -> BTreeSet<Target> {
        let kinds = |resources: &MatchResources| -> Vec<String> {
            resources.filters.iter().flat_map(ResourceFilter::named_kinds).cloned().collect()
        };
        let excluded = kinds(excluded);
        let is_derived = !rule.starts_with(PREFIX)
            && has_pod(&kinds(matched))
            && (excluded.is_empty() || has_pod(&excluded));
        if is_derived { self.0.clone() } else { BTreeSet::new() }
    }
}

/// Whether a rule changes objects in a way that Kyverno cannot apply to pod templates.
fn prevents(rule: &Fields<'_>) -> bool {
    let is_set = |value: Option<&Value>| value.and_then(Value::as_str).is_some_and(|text| !text.is_empty());
    let mutate = rule.get("mutate");
    let patches = |value: &Value| is_set(value.get("patchesJson6902"));
    let each = mutate.and_then(|mutate| mutate.get("foreach")).and_then(Value::as_array);
    rule.get("generate").is_some()
        || mutate.is_some_and(patches)
        || each.is_some_and(|each| each.iter().any(patches))
}

fn rule_resources<'d>(rule: &Fields<'d>) -> Vec<&'d Value> {
    let mut resources = Vec::new();
    for block in ["match", "exclude"].into_iter().filter_map(|key| rule.get(key)) {
        resources.extend(block.get("resources"));
        let filters = ["any", "all"].into_iter().filter_map(|key| block.get(key)).filter_map(Value::as_array);
        resources.extend(filters.flatten().filter_map(|filter| filter.get("resources")));
    }
    resources
}

/// Whether a filter has conditions that Kyverno does not apply to controllers.
fn is_about_pods_alone(resources: &Value) -> bool {
    let has = |key: &str| {
        resources.get(key).is_some_and(|value| match value {
            Value::Null => false,
            Value::String(text) => !text.is_empty(),
            Value::Array(items) => !items.is_empty(),
            _ => true,
        })
    };
    let kinds: Vec<String> = kinds(resources).map(str::to_owned).collect();
    ["name", "names", "selector", "annotations"].into_iter().any(has) || kinds.len() > 1 && has_pod(&kinds)
}

fn kinds(resources: &Value) -> impl Iterator<Item = &str> {
    resources.get("kinds").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

/// Whether a kind is that of a pod or a controller, without a group or version.
fn is_pod_or_controller(kind: &str) -> bool {
    kind == Target::Pod.kind() || Target::CONTROLLERS.into_iter().any(|target| target.kind() == kind)
}
