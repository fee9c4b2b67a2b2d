//! Input: objects, requests, a cluster and policies.

use serde::{Deserialize, Serialize};
use tsify::Tsify;

use crate::types::{Operation, User};

/// Everything that a user enters.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase", default)]
pub struct Workspace {
    /// Objects as `kubectl` accepts them, or `AdmissionReviews` and `AdmissionRequests`, in YAML or
    /// JSON.
    pub objects: String,
    /// The stored objects for updates: one for each object with the same group, kind, namespace and
    /// name.
    pub old_objects: String,
    /// The objects in the cluster, and lists of them, in YAML or JSON.
    pub cluster: String,
    /// The error that every look-up fails with. Empty means that look-ups succeed.
    pub unreachable: String,
    /// The request about each object that has none of its own.
    pub request: RequestInput,
    /// The requests about single objects.
    pub requests: Vec<ObjectRequest>,
    /// Whether workloads are also evaluated as the pods that they would make, as in a cluster.
    pub evaluates_pods: bool,
    /// The policies.
    pub policies: Vec<PolicyInput>,
}

/// An operation by a user.
#[derive(Clone, Debug, Default, Deserialize, Eq, Hash, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct RequestInput {
    /// The operation. UPDATE needs the stored object.
    pub operation: Operation,
    /// A subresource such as `status`. Empty means the object itself.
    pub subresource: String,
    /// The requesting user.
    pub user: User,
}

/// The identity of an object in a text, wherever it is in the text.
#[derive(Clone, Debug, Default, Deserialize, Eq, Hash, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct ObjectId {
    /// The API version.
    pub api_version: String,
    /// The kind. Empty for a document that cannot be read.
    pub kind: String,
    /// The namespace. Empty for cluster-scoped objects.
    pub namespace: String,
    /// The name. Empty for an object whose name the API server makes up.
    pub name: String,
    /// The number of objects before this one that are equal in all these fields.
    pub occurrence: u32,
}

/// The request about an object.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct ObjectRequest {
    /// The object, as in [`ObjectState::id`](crate::ObjectState::id).
    pub object: ObjectId,
    /// The request.
    pub request: RequestInput,
}

/// A policy, with its settings or its manifest.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct PolicyInput {
    /// The id of the policy, such as `external-ips`.
    pub id: String,
    /// Whether the policy evaluates.
    pub enabled: bool,
    /// The requests that the policy evaluates.
    pub mode: PolicyMode,
    /// The settings in YAML or JSON. Empty means the defaults. With a manifest, its settings count
    /// in the place of these.
    pub settings: String,
    /// The manifest of the deployed policy, for [`PolicyMode::AsDeployed`]: a
    /// `ClusterAdmissionPolicy`, an `AdmissionPolicy` or a group of them. Empty means the manifest
    /// that deploys these settings.
    pub manifest: String,
}

/// The requests that a policy evaluates.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize, Tsify)]
pub enum PolicyMode {
    /// Everything in its scope. Violations are denied.
    #[default]
    RulesOnly,
    /// Requests that the rules, selectors and conditions of the manifest select, in its mode.
    AsDeployed,
}
