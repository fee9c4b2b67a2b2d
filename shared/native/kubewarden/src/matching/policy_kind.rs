//! The kinds of policies.

use std::fmt;

use serde_json::Value;

pub(super) const GROUP: &str = "policies.kubewarden.io";

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
