//! The manifests of Kubewarden policies.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::{Map, Value};

use ::kubewarden::deployment::MatchCondition;
use ::kubewarden::{ContextAwareResource, Operation};

use crate::target::Target;

const REGISTRY: &str = "ghcr.io/portcullis/policies";

/// A `ClusterAdmissionPolicy` or an `AdmissionPolicy`.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyManifest {
    /// `policies.kubewarden.io/v1`.
    pub api_version: &'static str,
    /// `ClusterAdmissionPolicy` or `AdmissionPolicy`.
    pub kind: &'static str,
    /// The name and the namespace.
    pub metadata: PolicyMetadata,
    /// The specification.
    pub spec: PolicySpec,
}

/// The name and the namespace of a policy.
#[derive(Clone, Debug, Serialize)]
pub struct PolicyMetadata {
    /// The name.
    pub name: String,
    /// The namespace; `None` for a `ClusterAdmissionPolicy`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
}

/// The specification of a policy.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicySpec {
    /// The module of the policy.
    pub module: ModuleReference,
    /// The policy server; `None` for that named `default`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy_server: Option<String>,
    /// Whether violations are denied.
    pub mode: PolicyMode,
    /// Whether the policy changes objects.
    pub mutating: bool,
    /// The resources and operations that the policy evaluates.
    pub rules: Vec<TargetRule>,
    /// The namespaces whose objects the policy evaluates; `None` for all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace_selector: Option<LabelSelector>,
    /// The objects that the policy evaluates; `None` for all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object_selector: Option<LabelSelector>,
    /// CEL expressions that a request has to meet.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub match_conditions: Vec<MatchCondition>,
    /// `Fail` or `Ignore`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure_policy: Option<String>,
    /// The timeout of the webhook.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_seconds: Option<u64>,
    /// Whether the audit scanner evaluates the policy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub background_audit: Option<bool>,
    /// The kinds that the policy looks up.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub context_aware_resources: Vec<ContextAwareResource>,
    /// The settings of the policy.
    pub settings: Map<String, Value>,
}

/// The module of one of these policies in a registry, with the version of this crate.
///
/// It serialises as `registry://ghcr.io/portcullis/policies/pod-security:v0.1.0`.
#[derive(Clone, Debug, Serialize)]
#[serde(into = "String")]
pub struct ModuleReference {
    /// The registry and the path of the modules.
    pub registry: String,
    /// The id of the policy, such as `pod-security`.
    pub policy: &'static str,
}

impl From<ModuleReference> for String {
    fn from(ModuleReference { registry, policy }: ModuleReference) -> Self {
        format!("registry://{registry}/{policy}:v{}", env!("CARGO_PKG_VERSION"))
    }
}

/// The mode of a policy.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum PolicyMode {
    /// Violations are denied.
    Protect,
    /// Violations are logged and admitted.
    Monitor,
}

/// Resources and operations that a policy evaluates.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TargetRule {
    /// The API group, empty for the core group.
    pub api_groups: [&'static str; 1],
    /// The API version.
    pub api_versions: [&'static str; 1],
    /// The resources, with their subresources.
    pub resources: Vec<&'static str>,
    /// The operations.
    pub operations: Vec<Operation>,
}

/// A label selector.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LabelSelector {
    /// The labels that an object must have. All values are strings.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub match_labels: Map<String, Value>,
    /// The requirements that the labels of an object must meet.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub match_expressions: Vec<LabelSelectorRequirement>,
}

/// A requirement on one label.
#[derive(Clone, Debug, Serialize)]
pub struct LabelSelectorRequirement {
    /// The key of the label.
    pub key: String,
    /// `In`, `NotIn`, `Exists` or `DoesNotExist`.
    pub operator: String,
    /// The values for `In` and `NotIn`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
}

impl PolicySpec {
    /// A specification with the fields that every manifest sets.
    pub(crate) fn new(
        policy: &'static str,
        mode: PolicyMode,
        rules: Vec<TargetRule>,
        settings: Map<String, Value>,
    ) -> Self {
        Self {
            module: ModuleReference { registry: REGISTRY.to_owned(), policy },
            policy_server: None,
            mode,
            mutating: false,
            rules,
            namespace_selector: None,
            object_selector: None,
            match_conditions: Vec::new(),
            failure_policy: None,
            timeout_seconds: None,
            background_audit: None,
            context_aware_resources: Vec::new(),
            settings,
        }
    }
}

/// Returns a kind of the core group that a policy looks up.
pub(crate) fn of_core(kind: &str) -> ContextAwareResource {
    ContextAwareResource { api_version: "v1".to_owned(), kind: kind.to_owned() }
}

impl TargetRule {
    /// Returns the rules for targets, all with the same operations.
    pub(crate) fn for_targets(targets: &BTreeSet<Target>, operations: &BTreeSet<Operation>) -> Vec<Self> {
        Self::for_each(&targets.iter().map(|target| (*target, operations.clone())).collect())
    }

    /// Returns the rules for targets, each with its operations: one rule for each API group and
    /// each set of operations.
    ///
    /// Subresources of a pod are only updated, never created, so they have a rule of their own.
    pub(crate) fn for_each(operations_of: &BTreeMap<Target, BTreeSet<Operation>>) -> Vec<Self> {
        let mut rules: Vec<(bool, Self)> = Vec::new();
        for (target, operations) in operations_of {
            let is_subresource = target.subresource().is_some();
            let possible = |operation: &Operation| !is_subresource || *operation == Operation::Update;
            let operations: Vec<Operation> = operations.iter().copied().filter(possible).collect();
            if operations.is_empty() {
                continue;
            }
            let same = rules.iter_mut().find(|(of_subresources, rule)| {
                *of_subresources == is_subresource
                    && rule.api_groups == [target.group()]
                    && rule.operations == operations
            });
            if let Some((_, rule)) = same {
                rule.resources.push(target.path());
            } else {
                let (api_groups, api_versions) = ([target.group()], ["v1"]);
                let resources = vec![target.path()];
                rules.push((is_subresource, Self { api_groups, api_versions, resources, operations }));
            }
        }
        rules.into_iter().map(|(_, rule)| rule).collect()
    }
}

impl LabelSelector {
    pub(crate) fn of(requirement: LabelSelectorRequirement) -> Self {
        Self { match_expressions: vec![requirement], ..Self::default() }
    }

    /// Returns the same selector without `match_labels`, which Kubewarden ignores in the
    /// `namespaceSelector` of a cluster-wide policy.
    ///
    /// Source: `namespaceSelector` in kubewarden-controller,
    /// `internal/controller/policy_subreconciler_webhook.go` (v1.36).
    pub(crate) fn into_expressions(self) -> Self {
        let labels = self.match_labels.into_iter().map(|(key, value)| LabelSelectorRequirement {
            key,
            operator: "In".to_owned(),
            values: value.as_str().map(str::to_owned).into_iter().collect(),
        });
        Self { match_labels: Map::new(), match_expressions: labels.chain(self.match_expressions).collect() }
    }

    /// Narrows the selector to objects that another one selects, too.
    pub(crate) fn narrow(&mut self, other: Self) {
        for (key, value) in other.match_labels {
            if self.match_labels.contains_key(&key) {
                let values = value.as_str().map(str::to_owned).into_iter().collect();
                self.match_expressions.push(LabelSelectorRequirement {
                    key,
                    operator: "In".to_owned(),
                    values,
                });
            } else {
                self.match_labels.insert(key, value);
            }
        }
        self.match_expressions.extend(other.match_expressions);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::POD_SECURITY;
    use crate::target::OPERATIONS;

    #[test]
    fn rules_for_all_targets_equal_the_registered_scope_of_the_policy() {
        let registered = rules::find(POD_SECURITY).unwrap().scope.0.iter().filter(|rule| rule.registered);
        let wanted = registered.flat_map(|rule| {
            rule.operations.iter().map(|operation| (rule.group, rule.resource, format!("{operation:?}")))
        });
        let written =
            TargetRule::for_targets(&BTreeSet::from(Target::OF_POD_SECURITY), &BTreeSet::from(OPERATIONS));
        let written =
            written.iter().flat_map(|TargetRule { api_groups: [group], resources, operations, .. }| {
                resources.iter().flat_map(move |resource| {
                    operations.iter().map(move |operation| (*group, *resource, format!("{operation:?}")))
                })
            });
        assert_eq!(written.collect::<BTreeSet<_>>(), wanted.collect::<BTreeSet<_>>());
    }
}
