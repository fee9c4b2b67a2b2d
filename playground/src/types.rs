//! The input and output of the playground, as plain objects with types for TypeScript.

use serde::{Deserialize, Serialize};
use tsify::Tsify;

/// Everything that a user enters: the text of each editor, the operation and the requesting user.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Input {
    /// The id of the policy, such as `external-ips`.
    pub policy: String,
    /// Objects as `kubectl` accepts them, or `AdmissionReviews` and `AdmissionRequests`, in YAML or
    /// JSON.
    pub manifest: String,
    /// The policy settings in YAML or JSON. Empty means the defaults.
    pub settings: String,
    /// The objects in the cluster, and lists of them, in YAML or JSON.
    pub cluster: String,
    /// The error that every look-up fails with. Empty means that look-ups succeed.
    pub unreachable: String,
    /// The operation on the objects of the manifest. Requests in the manifest specify their own.
    pub operation: Operation,
    /// A subresource such as `status`. Empty means the object itself.
    pub subresource: String,
    /// The stored objects for an update, one for each object of the manifest.
    pub old_object: String,
    /// The requesting user.
    pub user: User,
}

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
    /// Returns the name in requests.
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
    /// The kinds in its scope.
    pub kinds: Vec<String>,
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
    /// The values, if there are only some.
    pub values: Vec<String>,
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

/// A text of the input.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub enum Field {
    /// The manifest.
    Manifest,
    /// The settings.
    Settings,
    /// The cluster.
    Cluster,
    /// The stored objects.
    OldObject,
}

/// A range within one line of an input text.
///
/// Lines and columns count from one. Columns count Unicode characters.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Mark {
    /// The text.
    pub field: Field,
    /// The line.
    pub line: u32,
    /// The column of the first character.
    pub column: u32,
    /// The column after the last character. Equal to `column` if the range extends to the end of
    /// the line.
    pub end_column: u32,
}

/// An error in an input text.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct InputProblem {
    /// The text that contains the error.
    pub field: Field,
    /// The error and its remedy.
    pub message: String,
    /// The location, if known.
    #[tsify(optional)]
    pub mark: Option<Mark>,
}

/// The requests built from an input.
#[derive(Clone, Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Requests {
    /// The errors in the input. If there are any, `requests` is empty.
    pub problems: Vec<InputProblem>,
    /// The `AdmissionRequests`, as JSON.
    pub requests: Vec<String>,
}

/// The manifest that deploys a policy.
#[derive(Clone, Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Deployment {
    /// A `ClusterAdmissionPolicy` and any objects that it requires, as YAML.
    pub manifest: String,
    /// The error in the settings. If present, `manifest` is empty.
    #[tsify(optional)]
    pub problem: Option<InputProblem>,
}

/// The result of judging an input.
#[derive(Clone, Debug, Default, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct JudgeResult {
    /// The errors in the input. If there are any, `verdicts` is empty.
    pub problems: Vec<InputProblem>,
    /// A verdict for each object of the manifest, or for each request.
    pub verdicts: Vec<RequestVerdict>,
    /// Whether the manifest contains requests, which specify operation and user themselves.
    pub holds_requests: bool,
}

/// The verdict on a request.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct RequestVerdict {
    /// The operation and the object, such as `CREATE Service shop/web`.
    pub title: String,
    /// The kind of verdict.
    pub kind: VerdictKind,
    /// The lines of the denial message, one violation per line.
    pub violations: Vec<Line>,
    /// The warnings returned to the client.
    pub warnings: Vec<Line>,
    /// The annotations added to the audit event.
    pub audit_annotations: Vec<AuditAnnotation>,
    /// The changes to the object, if the request is mutated.
    #[tsify(optional)]
    pub diff: Option<ObjectDiff>,
    /// The `AdmissionResponse`, as JSON. Its patch is base64-encoded.
    pub response: String,
}

/// The kind of a verdict.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub enum VerdictKind {
    /// Admitted unchanged.
    Admitted,
    /// Admitted without being judged, because the request is outside the scope of the policy.
    NotMatched,
    /// Admitted with changes.
    Mutated,
    /// Denied by a rule.
    Denied,
    /// Denied because the request could not be judged.
    Fault,
}

/// A line of a denial message, or a warning.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Line {
    /// The text of the line.
    pub message: String,
    /// The location of the field that the line refers to, if known.
    #[tsify(optional)]
    pub mark: Option<Mark>,
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
