//! The files `policies/<id>/deployment.yml`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use crate::rule::{ContextAwareResource, RuleWithOperations};
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
                name: "is-for-the-audit-scanner-alone".to_owned(),
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

/// Returns the alternatives of an expression, whatever its line breaks are. A part of an
/// alternative in parentheses counts as one.
fn alternatives(expression: &str) -> BTreeSet<String> {
    let (mut level, mut quote) = (0_i32, None);
    let (mut alternatives, mut alternative) = (BTreeSet::new(), Vec::new());
    for word in expression.split_whitespace() {
        if word == "||" && level == 0 && quote.is_none() {
            alternatives.insert(std::mem::take(&mut alternative).join(" "));
            continue;
        }
        for one in word.chars() {
            match (quote, one) {
                (None, '(' | '[' | '{') => level = level.saturating_add(1),
                (None, ')' | ']' | '}') => level = level.saturating_sub(1),
                (None, '\'' | '"') => quote = Some(one),
                (Some(open), _) if open == one => quote = None,
                _ => {}
            }
        }
        alternative.push(word);
    }
    alternatives.insert(alternative.join(" "));
    alternatives
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
mod tests {
    use super::*;

    #[test]
    fn every_policy_has_a_file_that_can_be_read() {
        let ids: Vec<&str> = FILES.iter().map(|(id, _)| *id).collect();
        let known: Vec<&str> = rules::CATALOG.iter().map(|entry| entry.id).collect();
        assert_eq!(ids, known);
        for (id, text) in FILES {
            let read = serde_saphyr::from_str::<Deployment>(text);
            assert!(read.is_ok(), "{id}: {:?}", read.err());
        }
    }

    /// The fields of an entry are flattened, so serde accepts unknown ones.
    #[test]
    fn no_entry_has_an_unknown_field() {
        fn check(id: &str, list: &Value, known: &[&str]) {
            for entry in list.as_array().into_iter().flatten() {
                for key in entry.as_object().unwrap().keys() {
                    assert!(known.contains(&key.as_str()), "{id}: {key} in {entry}");
                }
                assert!(!entry["expression"].is_string() || entry["anyOf"].is_null(), "{id}: {entry}");
                check(id, &entry["anyOf"], &["expression", "in", "unless", "when"]);
            }
        }
        let rule = &["apiGroups", "apiVersions", "operations", "resources", "unless", "when"];
        for (id, text) in FILES {
            let file: Value = serde_saphyr::from_str(text).unwrap();
            check(id, &file["rules"], rule);
            check(id, &file["audit"]["rules"], rule);
            check(id, &file["matchConditions"], &["anyOf", "expression", "name", "unless", "when"]);
            check(id, &file["contextAwareResources"], &["apiVersion", "kind", "unless", "when"]);
            check(id, &file["clusterRoleRules"], &["apiGroups", "resources", "unless", "verbs", "when"]);
        }
    }

    #[test]
    fn needs_follow_from_the_settings() {
        let names = |id, settings: Value| -> Vec<String> {
            find(id)
                .unwrap()
                .needs(&settings)
                .match_conditions
                .into_iter()
                .map(|condition| condition.name)
                .collect()
        };
        assert_eq!(names("external-ips", json!({})), ["claims-addresses", "changes-addresses"]);
        assert_eq!(names("external-ips", json!({ "conflicts": "DenySamePort" })), ["claims-addresses"]);
        let restrict = json!({ "nodeBoundTokens": "Restrict" });
        assert_eq!(names("node-labels", restrict.clone())[0], "is-a-node-or-bound-to-one");
        let rules = |settings: &Value| find("node-pods").unwrap().needs(settings).rules.len();
        assert_eq!((rules(&json!({})), rules(&restrict)), (3, 5));
        let mutating = |id, settings: Value| find(id).unwrap().needs(&settings).mutating;
        assert!(mutating("selinux", Value::Null) && mutating("node-pods", json!({ "mode": "Munge" })));
        assert!(!mutating("selinux", json!({ "mode": "Validate" })) && !mutating("pod-security", json!({})));
    }

    /// Returns the stale ones among the conditions that are needed in a place for settings, after
    /// an edit of the settings.
    fn stale(id: &str, place: Place, before: &Value, after: &Value) -> Vec<String> {
        let policy = find(id).unwrap();
        let needs = policy.needs_in(place, before);
        let conditions = needs.match_conditions.iter();
        let present = conditions.map(|one| (one.name.as_str(), one.expression.as_str()));
        policy.stale_conditions(after, present).into_iter().map(str::to_owned).collect()
    }

    #[test]
    fn a_condition_that_excludes_more_than_the_settings_admit_is_stale() {
        const REGISTERS: &str = "does-more-than-register-an-ordinary-node";
        const OF_NODES: [&str; 2] = ["is-named-as-a-node", "is-in-the-group-of-nodes"];
        let (default, labels) = (json!({}), json!({ "allowedLabelKeys": ["example.com/zone"] }));
        let owners = json!({ "ownerReferenceChanges": "Allow" });
        let deny = json!({ "selfRegistration": "Deny" });
        let restrict = json!({ "nodeBoundTokens": "Restrict" });
        for (place, before, after, names) in [
            (Place::Chart, &labels, &default, &[REGISTERS][..]),
            (Place::Chart, &owners, &default, &[REGISTERS]),
            (Place::Chart, &default, &owners, &[]),
            (Place::Chart, &default, &deny, &[REGISTERS]),
            (Place::Chart, &deny, &default, &[]),
            (Place::Manifest, &default, &labels, &[]),
            (Place::Manifest, &labels, &default, &[]),
            (Place::Manifest, &default, &deny, &[REGISTERS]),
            (
                Place::Manifest,
                &default,
                &restrict,
                &[&OF_NODES[..], &["changes-a-restricted-field", REGISTERS]].concat(),
            ),
        ] {
            assert_eq!(stale("node-labels", place, before, after), names, "{before} {after}");
        }
        // The conditions of these policies do not depend on the place.
        for (id, before, after, names) in [
            ("external-ips", &default, &json!({ "conflicts": "DenySamePort" }), &["changes-addresses"][..]),
            ("external-ips", &json!({ "conflicts": "DenySamePort" }), &default, &[]),
            (
                "pod-security",
                &default,
                &json!({ "namespaceLabels": "Honor" }),
                &["changes-the-pod-or-template"],
            ),
            ("pod-security", &json!({ "namespaceLabels": "Honor" }), &default, &[]),
        ] {
            assert_eq!(stale(id, Place::Manifest, before, after), names, "{id}: {before} {after}");
        }
    }

    #[test]
    fn only_own_conditions_are_stale_whatever_their_line_breaks() {
        let policy = find("external-ips").unwrap();
        let [claims, changes] =
            <[MatchCondition; 2]>::try_from(policy.needs(&json!({})).match_conditions).unwrap();
        let on_one_line = claims.expression.split_whitespace().collect::<Vec<_>>().join(" ");
        let wider = format!("{on_one_line} || request.name == 'a'");
        let narrower = format!("{} && request.name != 'a'", changes.expression);
        let in_brackets = format!(
            "(request.name == 'b' || {} || request.name == 'c') && request.name != 'a'",
            claims.expression
        );
        let present = [
            (claims.name.as_str(), on_one_line.as_str()),
            (claims.name.as_str(), wider.as_str()),
            (changes.name.as_str(), narrower.as_str()),
            (claims.name.as_str(), in_brackets.as_str()),
            ("is-of-a-user", "request.name != 'a'"),
        ];
        let stale = [changes.name.as_str(), claims.name.as_str()];
        assert_eq!(policy.stale_conditions(&json!({}), present), stale);
    }

    #[test]
    fn an_expression_contains_settings() {
        let settings = json!({ "keys": ["a/b", "\"'\\"], "other": [] });
        assert_eq!(
            with_settings("key in $(keys) + $(other) + $(absent) || $(keys).size() > 1", &settings),
            r#"key in ["a/b","\"'\\"] + [] + [] || ["a/b","\"'\\"].size() > 1"#
        );
    }

    /// An edit of the settings in a manifest cannot open a hole by labels that become protected.
    #[test]
    fn the_conditions_of_a_manifest_contain_no_settings() {
        let settings = json!({ "protectedLabelKeys": ["team"], "allowedLabelKeys": ["kubernetes.io/role"] });
        let conditions = |needs: Needs| json!(needs.match_conditions);
        let deployment = find("node-labels").unwrap();
        assert_eq!(
            conditions(deployment.manifest_needs(&settings)),
            conditions(deployment.manifest_needs(&json!({})))
        );
        assert_ne!(conditions(deployment.needs(&settings)), conditions(deployment.needs(&json!({}))));
    }

    #[test]
    fn audits_are_for_policies_that_do_not_evaluate_users() {
        for (id, audits, background_audit) in [
            ("external-ips", true, true),
            ("node-labels", false, false),
            ("node-pods", false, false),
            ("pod-security", true, false),
            ("selinux", true, false),
        ] {
            let deployment = find(id).unwrap();
            assert_eq!(deployment.audit_needs(&json!({})).is_some(), audits, "{id}");
            assert_eq!(deployment.needs(&json!({})).background_audit, background_audit, "{id}");
        }
    }
}
