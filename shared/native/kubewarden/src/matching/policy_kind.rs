//! The kinds of policies.

use std::fmt;

use serde_json::Value;
use text::nearest;

pub(super) const GROUP: &str = "policies.kubewarden.io";

/// The kind of the group that is not a policy.
const SERVER: &str = "PolicyServer";

/// The kind of a policy.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum PolicyKind {
    /// A policy for the cluster.
    ClusterAdmissionPolicy,
    /// A policy for its namespace.
    AdmissionPolicy,
    /// A group for the cluster.
    ClusterAdmissionPolicyGroup,
    /// A group for its namespace.
    AdmissionPolicyGroup,
}

impl PolicyKind {
    pub(super) const ALL: [Self; 4] = [
        Self::ClusterAdmissionPolicy,
        Self::AdmissionPolicy,
        Self::ClusterAdmissionPolicyGroup,
        Self::AdmissionPolicyGroup,
    ];

    /// The name of the kind.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ClusterAdmissionPolicy => "ClusterAdmissionPolicy",
            Self::AdmissionPolicy => "AdmissionPolicy",
            Self::ClusterAdmissionPolicyGroup => "ClusterAdmissionPolicyGroup",
            Self::AdmissionPolicyGroup => "AdmissionPolicyGroup",
        }
    }

    /// Returns the kind of an object; `None` if it is not a policy. Other versions than those that
    /// [`PolicyManifest::read`](super::PolicyManifest::read) knows count, too.
    #[must_use]
    pub fn of(object: &Value) -> Option<Self> {
        let text = |name| object.get(name).and_then(Value::as_str).unwrap_or_default();
        let (group, _) = text("apiVersion").split_once('/')?;
        Self::ALL.into_iter().find(|kind| group == GROUP && kind.name() == text("kind"))
    }

    /// Says what is wrong with an object that is probably meant to be a policy and that Kubewarden
    /// does not know; `None` for policies and all other objects.
    #[must_use]
    pub fn misspelt(object: &Value) -> Option<String> {
        let text = |name| object.get(name).and_then(Value::as_str).unwrap_or_default();
        let (version, kind) = (text("apiVersion"), text("kind"));
        let (group, _) = version.split_once('/').unwrap_or_default();
        let names = Self::ALL.map(Self::name);
        let is_policy = names.contains(&kind);
        if kind.is_empty() || version.is_empty() {
            let lacking = if kind.is_empty() { "kind" } else { "apiVersion" };
            let has_other = is_policy || group == GROUP;
            return has_other.then(|| format!("a policy without {lacking} evaluates nothing; write it"));
        }
        if group == GROUP {
            let is_known = is_policy || kind == SERVER;
            let problem = || {
                format!(
                    "{kind} of {version} is not a kind of policy and evaluates nothing; write {}",
                    names.join(", ")
                )
            };
            return (!is_known).then(problem);
        }
        // Other projects have a kind of this name, too.
        let may_be_of_others = kind == Self::AdmissionPolicy.name() && nearest(group, &[GROUP]).is_none();
        (is_policy && !may_be_of_others).then(|| {
            format!(
                "{kind} of {version} is not a policy of Kubewarden and evaluates nothing; write {GROUP}/v1"
            )
        })
    }

    pub(super) fn is_namespaced(self) -> bool {
        matches!(self, Self::AdmissionPolicy | Self::AdmissionPolicyGroup)
    }

    pub(super) fn is_group(self) -> bool {
        matches!(self, Self::ClusterAdmissionPolicyGroup | Self::AdmissionPolicyGroup)
    }
}

impl fmt::Display for PolicyKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
