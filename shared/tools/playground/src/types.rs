//! Types that the input and the output have in common, and the catalog.

use serde::{Deserialize, Serialize};
use tsify::Tsify;

/// An operation on an object.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, Hash, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "UPPERCASE")]
pub enum Operation {
    /// Creates the object.
    #[default]
    Create,
    /// Changes the stored object.
    Update,
    /// Removes the stored object.
    Delete,
}

impl Operation {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Create => "CREATE",
            Self::Update => "UPDATE",
            Self::Delete => "DELETE",
        }
    }
}

/// The requesting user.
#[derive(Clone, Debug, Default, Deserialize, Eq, Hash, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum User {
    /// An authenticated user without special groups.
    #[default]
    Ordinary,
    /// A controller of the control plane, identified by its service account in `kube-system`.
    Controller {
        /// The name of the service account, such as `replicaset-controller`.
        account: String,
    },
    /// The kubelet of a node.
    Kubelet {
        /// The name of the node.
        node: String,
    },
    /// Any other user.
    Named {
        /// The username.
        username: String,
        /// The groups.
        groups: Vec<String>,
    },
}

/// The catalog of policies.
#[derive(Clone, Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Policies {
    /// The policies, in catalog order.
    pub policies: Vec<Policy>,
}

/// A policy.
#[derive(Clone, Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Policy {
    /// The name of the module, such as `external-ips`.
    pub id: String,
    /// A short description from the policy metadata.
    pub description: String,
    /// The subresources in its scope.
    pub subresources: Vec<String>,
    /// Its settings.
    pub settings: Vec<Setting>,
    /// Its samples.
    pub samples: Vec<Sample>,
}

/// A setting of a policy.
#[derive(Clone, Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Setting {
    /// The path, such as `allow.cidrs`. A path below a list applies to each element.
    pub path: String,
    /// The accepted values: a type such as `list of strings`, or the allowed names.
    pub accepts: String,
    /// The documentation of the setting.
    pub description: String,
}

/// A sample of a policy.
#[derive(Clone, Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Sample {
    /// The name, such as `create-denied`.
    pub name: String,
    /// The behavior that the sample shows.
    pub description: String,
    /// The expected verdict, in words.
    pub verdict: String,
}

/// The cases in a case file.
#[derive(Clone, Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Examples {
    /// The cases, in the order of the file.
    pub examples: Vec<Example>,
}

/// A case in a case file.
#[derive(Clone, Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Example {
    /// The name of the case.
    pub name: String,
    /// The expected verdict, in words.
    pub verdict: String,
}

/// An annotation added to the audit event.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct AuditAnnotation {
    /// The key.
    pub key: String,
    /// The value.
    pub value: String,
}

/// An object before and after mutation, as YAML.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct ObjectDiff {
    /// The object as submitted.
    pub before: String,
    /// The object as admitted.
    pub after: String,
}

/// Returns an index as the page takes it.
pub(crate) fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}
