//! The details of a cell.

use serde::Serialize;
use tsify::Tsify;

use super::{Outcome, TextMark};
use crate::types::{AuditAnnotation, ObjectDiff, Operation, User};

/// A cell with its details.
#[derive(Clone, Debug, Default, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct CellDetail {
    /// The answer about the object, and that about the pods that a workload would make.
    pub answers: Vec<CellAnswer>,
    /// Suggestions with which the policy looks at the object.
    pub suggestions: Vec<Suggestion>,
}

/// The answer of a policy to a request.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct CellAnswer {
    /// The operation and the object, such as `CREATE Service shop/web`.
    pub title: String,
    /// Whether this is about the pods that a workload would make.
    pub concerns_pods: bool,
    /// The outcome.
    pub outcome: Outcome,
    /// The reason of a fault, or why the outcome is not known.
    #[tsify(optional)]
    pub reason: Option<String>,
    /// The violations, by rule. A text of another module is a group of its own.
    pub groups: Vec<ViolationGroup>,
    /// The number of violations that the message of the policy counts but does not list.
    pub more: u32,
    /// The warnings for the client.
    pub warnings: Vec<String>,
    /// The annotations of the audit event.
    pub audit: Vec<AuditTable>,
    /// The operations of the JSON patch.
    pub patch: Vec<PatchOperation>,
    /// The object before and after the changes.
    #[tsify(optional)]
    pub diff: Option<ObjectDiff>,
    /// The checks that decide whether the policy looks at the request, in order.
    pub checks: Vec<Check>,
    /// The look-ups of the policy, in order, such as `get v1 Namespace shop`.
    pub look_ups: Vec<String>,
    /// The `AdmissionRequest`, as JSON.
    pub request: String,
    /// The `AdmissionResponse`, as JSON. Its patch is base64-encoded. Empty if the policy is not
    /// asked, or its answer is not known.
    pub response: String,
}

/// Violations of a rule.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct ViolationGroup {
    /// The name of the rule, such as `Host Namespaces`, or the text of another module.
    pub control: String,
    /// The address of the page about the rule.
    #[tsify(optional)]
    pub learn: Option<String>,
    /// The violations, in the order of the object.
    pub violations: Vec<ViolationDetail>,
}

/// A violation.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct ViolationDetail {
    /// The path of the field in the object; empty if the violation is not about a field.
    pub path: String,
    /// The whole message, which begins with the path.
    pub message: String,
    /// The place of the field in the text.
    #[tsify(optional)]
    pub mark: Option<TextMark>,
    /// The change that a fix would make, such as `Set it to false`; `None` if no value follows from
    /// the rule.
    #[tsify(optional)]
    pub fix: Option<String>,
}

/// An annotation of the audit event.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct AuditTable {
    /// The annotation.
    pub annotation: AuditAnnotation,
    /// The rows of the table; empty if the value is not a JSON object or array.
    pub rows: Vec<AuditRow>,
}

/// A row of a table.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct AuditRow {
    /// The path of the value.
    pub path: String,
    /// The value: a string without its quotes, or JSON.
    pub value: String,
}

/// An operation of a JSON patch.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct PatchOperation {
    /// `add`, `replace` or `remove`.
    pub op: String,
    /// The path of the field, such as `spec.containers[0].securityContext`.
    pub path: String,
    /// The value, as YAML.
    #[tsify(optional)]
    pub value: Option<String>,
}

/// A check that decides whether a policy looks at a request.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Check {
    /// The subject of the check, such as `Operation`, `Namespace` or the name of a condition.
    pub name: String,
    /// The result.
    pub result: CheckResult,
    /// The fact that decides, such as `the policy evaluates Services; this is a Deployment`.
    pub message: String,
}

/// The result of a check.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, Tsify)]
pub enum CheckResult {
    /// The policy may look at the request.
    Met,
    /// The policy does not look at the request.
    NotMet,
    /// A condition is an error, so that the failure policy of the manifest decides.
    Failed,
    /// The check cannot be evaluated.
    Unknown,
    /// An earlier check decided.
    NotReached,
}

/// A suggestion with which a policy looks at the object.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Suggestion {
    /// A sentence, such as `Try as the kubelet of a node`.
    pub message: String,
    /// The change.
    pub action: SuggestedAction,
}

/// The change of a suggestion.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum SuggestedAction {
    /// The user of the object's request.
    User {
        /// The user.
        user: User,
    },
    /// The operation of the object's request.
    Operation {
        /// The operation.
        operation: Operation,
    },
    /// The policy that evaluates such objects.
    Policy {
        /// Its id.
        policy: String,
    },
    /// The mode of this policy: the rules alone.
    RulesOnly,
    /// A Namespace without labels in the cluster, or in the objects if the cluster is empty.
    Namespace {
        /// Its manifest.
        manifest: String,
    },
}
