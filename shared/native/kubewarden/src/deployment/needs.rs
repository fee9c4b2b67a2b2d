//! The needs of one instance of a policy.

use crate::rule::{ContextAwareResource, RuleWithOperations};
use serde::{Deserialize, Serialize};

/// The needs of an instance of a policy with its settings.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Needs {
    /// The requests that the policy evaluates.
    pub rules: Vec<RuleWithOperations>,
    /// The conditions that a request has to meet to be evaluated. The policy admits all other
    /// requests unchanged.
    pub match_conditions: Vec<MatchCondition>,
    /// The kinds that the policy looks up.
    pub context_aware_resources: Vec<ContextAwareResource>,
    /// The permissions of the policy server's service account that its default permissions lack.
    pub cluster_role_rules: Vec<PolicyRule>,
    /// Whether the policy changes objects.
    pub mutating: bool,
    /// Whether the audit scanner can use the policy.
    pub background_audit: bool,
}

/// A CEL expression that a request has to meet, as in the configuration of a webhook.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct MatchCondition {
    /// The name.
    pub name: String,
    /// The expression.
    pub expression: String,
}

/// A rule of a `ClusterRole`.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyRule {
    /// The API groups, empty for the core group.
    pub api_groups: Vec<String>,
    /// The resources.
    pub resources: Vec<String>,
    /// The verbs.
    pub verbs: Vec<String>,
}
