//! The files `policies/<id>/deployment.yml`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use kubernetes::kinds::Kinds;

use crate::matching::Webhook;
use crate::rule::{ContextAwareResource, RuleWithOperations, Target};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::deployment::applies::{Entry, Settings, has_one_of, texts};
use crate::deployment::needs::{MatchCondition, Needs, PolicyRule};

/// The text of each file, by policy.
pub const FILES: &[(&str, &str)] = &[
    ("external-ips", include_str!("../../../../../policies/external-ips/deployment.yml")),
    ("node-labels", include_str!("../../../../../policies/node-labels/deployment.yml")),
    ("node-pods", include_str!("../../../../../policies/node-pods/deployment.yml")),
    ("pod-security", include_str!("../../../../../policies/pod-security/deployment.yml")),
    ("selinux", include_str!("../../../../../policies/selinux/deployment.yml")),
];

/// The match condition of an instance for the audit scanner, which always is false.
pub const FOR_AUDITS_ALONE: &str = "is-for-the-audit-scanner-alone";

static DEPLOYMENTS: LazyLock<BTreeMap<&str, Deployment>> = LazyLock::new(|| {
    let read = |(id, text): &(&'static str, &str)| {
        let value = manifest::documents(text).ok()?.pop()?;
        Some((*id, serde_json::from_value(value).ok()?))
    };
    FILES.iter().filter_map(read).collect()
});

/// Returns the needs of a policy, or `None` if there is no policy with this id.
#[must_use]
pub fn find(id: &str) -> Option<&'static Deployment> {
    DEPLOYMENTS.get(id)
}

/// The needs of the deployments of a policy, by their settings.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Deployment {
    rules: Vec<Entry<RuleWithOperations>>,
    match_conditions: Vec<Entry<Condition>>,
    #[serde(default)]
    context_aware_resources: Vec<Entry<ContextAwareResource>>,
    #[serde(default)]
    cluster_role_rules: Vec<Entry<PolicyRule>>,
    /// The settings with which the policy changes objects.
    #[serde(default)]
    mutating: Settings,
    #[serde(default)]
    skip_infrastructure_namespaces: bool,
    #[serde(default)]
    audit: Option<Audit>,
}

/// The needs of an instance for the audit scanner. A policy that evaluates the requesting user has
/// none, because the scanner's requests have no user.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Audit {
    /// The rules without resources that the scanner cannot list. It sends objects as new ones.
    rules: Vec<Entry<RuleWithOperations>>,
}

/// A match condition: one expression, or alternatives of which one has to hold.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Condition {
    name: String,
    #[serde(default)]
    expression: Option<String>,
    #[serde(default)]
    any_of: Vec<Entry<Alternative>>,
}

#[derive(Clone, Debug, Deserialize)]
struct Alternative {
    expression: String,
    /// The only form that it applies to.
    #[serde(default, rename = "in")]
    place: Option<Place>,
}

/// The form in which an instance is deployed.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "camelCase")]
enum Place {
    /// The chart, which renders everything again when its values change.
    Chart,
    /// A manifest, whose settings can be edited without its match conditions.
    Manifest,
}

impl Deployment {
    /// Returns the needs of an instance that evaluates requests, and that is rendered again when
    /// its settings change.
    #[must_use]
    pub fn needs(&self, settings: &Value) -> Needs {
        self.needs_in(Place::Chart, settings)
    }

    /// Returns the needs of an instance in a manifest, whose settings can be edited alone. The
    /// match conditions keep away only what most other settings would admit, too.
    #[must_use]
    pub fn manifest_needs(&self, settings: &Value) -> Needs {
        self.needs_in(Place::Manifest, settings)
    }

    fn needs_in(&self, place: Place, settings: &Value) -> Needs {
        let rules = Entry::of(&self.rules, settings);
        Needs {
            match_conditions: Entry::of(&self.match_conditions, settings)
                .iter()
                .filter_map(|condition| condition.with(place, settings))
                .collect(),
            context_aware_resources: Entry::of(&self.context_aware_resources, settings),
            cluster_role_rules: Entry::of(&self.cluster_role_rules, settings),
            mutating: !self.mutating.is_empty()
                && self.mutating.iter().all(|(path, values)| has_one_of(settings, path, values)),
            // The rules for audits have only resources that the scanner can list.
            background_audit: self.audit.as_ref().is_some_and(|audit| {
                let audited = Entry::of(&audit.rules, settings);
                let audited = resources(&audited);
                resources(&rules).is_subset(&audited)
            }),
            rules,
        }
    }

    /// Returns the needs of an instance that the audit scanner alone uses, or `None` if the policy
    /// cannot evaluate the scanner's requests. The API server applies the match condition, and
    /// never calls the policy; the scanner ignores it.
    #[must_use]
    pub fn audit_needs(&self, settings: &Value) -> Option<Needs> {
        let audit = self.audit.as_ref()?;
        Some(Needs {
            rules: Entry::of(&audit.rules, settings),
            match_conditions: vec![MatchCondition {
                name: FOR_AUDITS_ALONE.to_owned(),
                expression: "false".to_owned(),
            }],
            background_audit: true,
            mutating: false,
            ..self.needs(settings)
        })
    }

    /// Returns whether the policy may skip the namespaces of the infrastructure, whose pods need
    /// privileges. The policies for Services and nodes may not: their attacks work from any
    /// namespace.
    #[must_use]
    pub fn skips_infrastructure_namespaces(&self) -> bool {
        self.skip_infrastructure_namespaces
    }

    /// Returns each setting that something depends on, with the values, but for the settings that
    /// expressions contain.
    pub fn settings(&self) -> impl Iterator<Item = (&str, &[String])> {
        let audit = self.audit.iter().flat_map(|audit| &audit.rules).flat_map(Entry::settings);
        let alternatives = self.match_conditions.iter().flat_map(|condition| &condition.needed.any_of);
        self.rules
            .iter()
            .flat_map(Entry::settings)
            .chain(self.match_conditions.iter().flat_map(Entry::settings))
            .chain(alternatives.flat_map(Entry::settings))
            .chain(self.context_aware_resources.iter().flat_map(Entry::settings))
            .chain(self.cluster_role_rules.iter().flat_map(Entry::settings))
            .chain(self.mutating.iter().map(|(path, values)| (path.as_str(), values.as_slice())))
            .chain(audit)
    }

    /// Returns the names of all match conditions, whatever the settings.
    pub fn condition_names(&self) -> impl Iterator<Item = &str> {
        self.match_conditions.iter().map(|condition| condition.needed.name.as_str())
    }

    /// Returns the names of match conditions that may exclude requests that the settings deny.
    /// `present` are the conditions of a manifest with their expressions. Those of this policy have
    /// to contain each alternative that the settings need.
    pub fn stale_conditions<'c>(
        &self,
        settings: &Value,
        present: impl IntoIterator<Item = (&'c str, &'c str)>,
    ) -> Vec<&'c str> {
        let needs = [self.needs(settings), self.manifest_needs(settings)];
        let is_stale = |(name, expression): &(&str, &str)| {
            let present = alternatives(expression);
            let mut needed = needs.iter().flat_map(|needs| &needs.match_conditions);
            self.condition_names().any(|own| own == *name)
                && !needed.any(|one| one.name == *name && alternatives(&one.expression).is_subset(&present))
        };
        present.into_iter().filter(is_stale).map(|(name, _)| name).collect()
    }

    /// Returns the requests that no rule of a webhook matches although the settings need them, such
    /// as `UPDATE of services/status`. Unless the policy is about the requesting user, only those
    /// count that the mode alone does not need: rules for pods alone can be intended.
    #[must_use]
    pub fn missing_rules(&self, settings: &Value, webhook: &Webhook) -> Vec<String> {
        let of_mode = json!({ "mode": settings.get("mode") });
        let is_needed = |rule: &&Entry<RuleWithOperations>| {
            rule.applies(settings) && (self.audit.is_none() || !rule.applies(&of_mode))
        };
        let kinds = Kinds::default();
        let mut missing = Vec::new();
        for RuleWithOperations { api_groups, resources, operations, .. } in
            self.rules.iter().filter(is_needed).map(|rule| &rule.needed)
        {
            for (group, path) in
                api_groups.iter().flat_map(|group| resources.iter().map(move |path| (group, path)))
            {
                let (resource, subresource) = path.split_once('/').unwrap_or((path, ""));
                let version = "v1";
                let of_plural = kinds.of_plural(group, version, resource);
                let is_namespaced = of_plural.is_some_and(|known| known.is_namespaced == Some(true));
                let namespace = if is_namespaced { "default" } else { "" };
                for operation in operations.iter().map(|operation| operation.name()) {
                    let target = Target { operation, group, version, resource, subresource, namespace };
                    if !webhook.rules.iter().any(|rule| rule.matches(&target)) {
                        missing.push(format!("{operation} of {path}"));
                    }
                }
            }
        }
        missing
    }

    /// Returns all rules, whatever the settings.
    pub fn all_rules(&self) -> impl Iterator<Item = &RuleWithOperations> {
        self.rules.iter().map(|rule| &rule.needed)
    }

    /// Returns all permissions that the policy can need, whatever the settings.
    pub fn all_cluster_role_rules(&self) -> impl Iterator<Item = &PolicyRule> {
        self.cluster_role_rules.iter().map(|rule| &rule.needed)
    }

    /// Returns all kinds that the policy can look up, whatever the settings.
    pub fn all_context_aware_resources(&self) -> impl Iterator<Item = &ContextAwareResource> {
        self.context_aware_resources.iter().map(|kind| &kind.needed)
    }
}

impl Condition {
    /// Returns the condition with these settings, or `None` if it has alternatives and none
    /// applies. The alternatives contain no conditional operator (`?:`) outside of parentheses.
    fn with(&self, place: Place, settings: &Value) -> Option<MatchCondition> {
        let alternatives = Entry::of(&self.any_of, settings)
            .into_iter()
            .filter(|one| one.place.is_none_or(|only| only == place))
            .map(|one| with_settings(&one.expression, settings));
        let expressions: Vec<String> = self.expression.clone().into_iter().chain(alternatives).collect();
        (!expressions.is_empty())
            .then(|| MatchCondition { name: self.name.clone(), expression: expressions.join(" ||\n") })
    }
}

/// Returns the alternatives of an expression, whatever its line breaks and comments are. A part of
/// an alternative in brackets counts as one, and so does an expression with a conditional operator.
fn alternatives(expression: &str) -> BTreeSet<String> {
    let (mut level, mut is_conditional) = (0_i32, false);
    let mut parts = vec![String::new()];
    let mut rest = expression;
    while let Some(one) = rest.chars().next() {
        let before = parts.last().and_then(|part| part.chars().next_back());
        let length = match one {
            '/' if rest.starts_with("//") => {
                rest = rest.find('\n').and_then(|end| rest.get(end..)).unwrap_or_default();
                continue;
            }
            '|' if level == 0 && rest.starts_with("||") => {
                rest = rest.get(2..).unwrap_or_default();
                parts.push(String::new());
                continue;
            }
            '\'' | '"' => length_of_text(rest, one, matches!(before, Some('r' | 'R'))),
            _ => one.len_utf8(),
        };
        match one {
            '(' | '[' | '{' => level = level.saturating_add(1),
            ')' | ']' | '}' => level = level.saturating_sub(1),
            // `a.?b` is an optional value.
            '?' => is_conditional |= level == 0 && before != Some('.'),
            _ => {}
        }
        let (passed, behind) = rest.split_at(length);
        parts.last_mut().into_iter().for_each(|part| part.push_str(passed));
        rest = behind;
    }
    if is_conditional {
        parts = vec![parts.join(" || ")];
    }
    parts.iter().map(|part| part.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

/// Returns the length of the text of CEL that begins here with its quotes.
fn length_of_text(text: &str, quote: char, is_raw: bool) -> usize {
    let quotes = String::from(quote).repeat(3);
    let end = if text.starts_with(&quotes) { &*quotes } else { quotes.get(..1).unwrap_or_default() };
    let mut at = end.len();
    while let Some(rest) = text.get(at..).filter(|rest| !rest.starts_with(end)) {
        let mut characters = rest.chars();
        let Some(one) = characters.next() else { return text.len() };
        at = at.saturating_add(one.len_utf8());
        if one == '\\' && !is_raw {
            at = at.saturating_add(characters.next().map_or(0, char::len_utf8));
        }
    }
    at.saturating_add(end.len()).min(text.len())
}

/// Replaces `$(setting)` by the values of the setting: a list of strings in CEL, whose literals can
/// be those of JSON.
fn with_settings(expression: &str, settings: &Value) -> String {
    let mut parts = expression.split("$(");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (path, rest) = part.split_once(')').unwrap_or((part, ""));
        text += &json!(texts(settings, path)).to_string();
        text += rest;
    }
    text
}

fn resources(rules: &[RuleWithOperations]) -> BTreeSet<(&str, &str)> {
    let mut pairs = BTreeSet::new();
    for rule in rules {
        for group in &rule.api_groups {
            pairs.extend(rule.resources.iter().map(|resource| (group.as_str(), resource.as_str())));
        }
    }
    pairs
}

#[cfg(test)]
mod tests;
