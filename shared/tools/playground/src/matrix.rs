//! Results: objects, policies, and a cell for each pair.

mod detail;

use serde::{Deserialize, Serialize};
use tsify::Tsify;

use crate::workspace::ObjectId;

pub use self::detail::{
    AuditRow, AuditTable, CellAnswer, CellDetail, Check, CheckResult, PatchOperation, SuggestedAction,
    Suggestion, ViolationDetail, ViolationGroup,
};

/// The verdicts on a workspace.
#[derive(Clone, Debug, Default, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Matrix {
    /// The objects and requests, in the order of the text. A document that cannot be read is an
    /// object with a problem.
    pub objects: Vec<ObjectState>,
    /// The policies, in the order of the workspace, also those that are not enabled.
    pub policies: Vec<PolicyState>,
    /// The cells of each object, in the order of the policies. The list of an object that cannot be
    /// evaluated is empty, and so is every list if the cluster cannot be read.
    pub cells: Vec<Vec<CellState>>,
    /// The number of objects by outcome.
    pub counts: Counts,
    /// The sentence about all objects.
    pub sentence: Sentence,
    /// The requests about single objects that the text does not have.
    pub unused_requests: Vec<UnusedRequest>,
    /// The errors in the cluster and in the stored objects. An error in the cluster prevents every
    /// evaluation.
    pub problems: Vec<TextProblem>,
    /// Whether only the whole engine can evaluate an enabled policy, which is deployed, or knows
    /// what its settings are. Until then, the outcomes of such a policy are unknown.
    pub is_partial: bool,
}

/// A request about an object that the text does not have.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct UnusedRequest {
    /// The object of the request.
    pub object: ObjectId,
    /// The kind and the name of the object, as in [`ObjectState::title`].
    pub title: String,
}

/// An object, a request or an unreadable document.
#[derive(Clone, Debug, Default, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct ObjectState {
    /// The kind and the name, such as `Service shop/web`.
    pub title: String,
    /// The identity.
    pub id: ObjectId,
    /// The first line.
    pub line: u32,
    /// The last line.
    pub last_line: u32,
    /// The reason why the object is not evaluated.
    #[tsify(optional)]
    pub problem: Option<TextProblem>,
    /// Unknown fields, duplicate keys and missing containers.
    pub suspicions: Vec<Suspicion>,
    /// The request about the object.
    #[tsify(optional)]
    pub request: Option<ObjectRequestState>,
    /// The worst outcome of its cells; `None` without cells of enabled policies.
    #[tsify(optional)]
    pub outcome: Option<Outcome>,
}

/// A field that is probably not meant as it is written, so that policies admit the object for the
/// wrong reason.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Suspicion {
    /// The path and the problem, such as `spec.container: unknown field; did you mean containers?`.
    pub message: String,
    /// The place of the field.
    #[tsify(optional)]
    pub mark: Option<TextMark>,
}

/// The request about an object.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct ObjectRequestState {
    /// The operation, such as `CREATE`.
    pub operation: String,
    /// The subresource; empty for the object itself.
    pub subresource: String,
    /// The name of the user.
    pub username: String,
    /// The groups of the user.
    pub groups: Vec<String>,
    /// The origin of the request.
    pub origin: RequestOrigin,
}

/// The origin of a request.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, Tsify)]
pub enum RequestOrigin {
    /// The request about all objects.
    Shared,
    /// The request about this object.
    Own,
    /// An `AdmissionReview` or an `AdmissionRequest` in the text.
    Review,
}

/// A policy.
#[derive(Clone, Debug, Default, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct PolicyState {
    /// The id, such as `pod-security`; that of the module for a manifest.
    pub id: String,
    /// The name: that of the manifest, or the id.
    pub name: String,
    /// Whether the policy evaluates.
    pub enabled: bool,
    /// Whether violations are denied. In monitor mode, they are only logged.
    pub protects: bool,
    /// The errors in the settings or in the manifest. The cells of the policy are then unknown.
    pub problems: Vec<TextProblem>,
    /// Fields of the manifest that Kubewarden does not honour.
    pub warnings: Vec<String>,
}

/// The outcome of a policy for an object, the worst first.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize, Tsify)]
pub enum Outcome {
    /// Denied by a rule.
    Denied,
    /// Could not be evaluated, so it is denied.
    Fault,
    /// It is not known what happens, for example because of a condition that cannot be evaluated
    /// here. Never a pass.
    Unknown,
    /// Would be denied, but the policy is in monitor mode.
    Monitored,
    /// Admitted with changes.
    Changed,
    /// Admitted with warnings.
    Warned,
    /// Evaluated, and admitted unchanged.
    Passed,
    /// Admitted without being evaluated: a kind, an operation, a namespace or a user that the
    /// policy does not look at.
    NotLookedAt,
}

/// A sentence about all objects.
#[derive(Clone, Debug, Default, Eq, PartialEq, Serialize, Tsify)]
pub struct Sentence {
    /// The sentence, without a full stop. It says that objects would be admitted only if each of
    /// them would be.
    pub text: String,
    /// The worst outcome.
    pub tone: Tone,
}

/// The class of a sentence, which has the name of a count.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub enum Tone {
    /// The workspace has no objects, or no enabled policy.
    #[default]
    None,
    /// [`Counts::denied`].
    Denied,
    /// [`Counts::unreadable`] or [`Counts::not_evaluated`].
    Unreadable,
    /// [`Counts::unknown`].
    Unknown,
    /// [`Counts::monitored`].
    Monitored,
    /// [`Counts::changed`].
    Changed,
    /// [`Counts::warned`], or objects with suspicious fields.
    Warned,
    /// [`Counts::passed`].
    Passed,
    /// [`Counts::not_looked_at`].
    NotLookedAt,
}

/// The number of objects by outcome.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Counts {
    /// All objects, also those that cannot be evaluated.
    pub objects: u32,
    /// [`Outcome::Denied`] and [`Outcome::Fault`].
    pub denied: u32,
    /// [`Outcome::Unknown`].
    pub unknown: u32,
    /// [`Outcome::Monitored`].
    pub monitored: u32,
    /// [`Outcome::Changed`].
    pub changed: u32,
    /// [`Outcome::Warned`].
    pub warned: u32,
    /// [`Outcome::Passed`].
    pub passed: u32,
    /// [`Outcome::NotLookedAt`].
    pub not_looked_at: u32,
    /// Objects that cannot be read, or have no request.
    pub unreadable: u32,
    /// Objects without a verdict, because no policy is enabled or the cluster cannot be read.
    pub not_evaluated: u32,
}

/// A cell: an object at a policy.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct CellState {
    /// The outcome; `None` if the policy is not enabled.
    #[tsify(optional)]
    pub outcome: Option<Outcome>,
    /// The number of violations, also those that the message does not list.
    pub violations: u32,
    /// The number of warnings.
    pub warnings: u32,
    /// The first violation, the reason, or the check that decided, in a sentence.
    pub headline: String,
    /// For [`Outcome::NotLookedAt`] the name of the check that decided, such as `Kind`, `User` or
    /// `Namespace`.
    #[tsify(optional)]
    pub decided_by: Option<String>,
}

/// A text of a workspace.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum TextName {
    /// [`Workspace::objects`](crate::Workspace::objects).
    Objects,
    /// [`Workspace::old_objects`](crate::Workspace::old_objects).
    OldObjects,
    /// [`Workspace::cluster`](crate::Workspace::cluster).
    Cluster,
    /// The settings of a policy.
    Settings {
        /// The index of the policy.
        policy: u32,
    },
    /// The manifest of a policy.
    Manifest {
        /// The index of the policy.
        policy: u32,
    },
    /// The text that is imported, or the case that is opened.
    Source,
}

/// A range within one line of a text.
///
/// Lines and columns count from one. Columns count Unicode characters.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct TextMark {
    /// The text.
    pub text: TextName,
    /// The line.
    pub line: u32,
    /// The column of the first character.
    pub column: u32,
    /// The column after the last character. Equal to `column` if the range extends to the end of
    /// the line.
    pub end_column: u32,
    /// Whether the range is the field itself, and not the nearest one that exists.
    pub is_exact: bool,
}

/// An error in a text.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct TextProblem {
    /// The text that contains the error.
    pub text: TextName,
    /// The error and its remedy.
    pub message: String,
    /// The location, if known.
    #[tsify(optional)]
    pub mark: Option<TextMark>,
    /// Whether the text is one that [`import_source`](crate::import_source) reads, so that the page
    /// can offer to import it.
    pub can_be_imported: bool,
}

/// The places to underline in some lines of a text.
#[derive(Clone, Debug, Default, Eq, PartialEq, Serialize, Tsify)]
pub struct Marks {
    /// The places, in the order of the objects.
    pub marks: Vec<ViolationMark>,
}

/// A place to underline in the objects.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct ViolationMark {
    /// The place.
    pub mark: TextMark,
    /// The index of the object.
    pub object: u32,
    /// The index of the policy; `None` for a suspicion.
    #[tsify(optional)]
    pub policy: Option<u32>,
    /// The outcome at the policy; `Warned` for a suspicion.
    pub outcome: Outcome,
    /// The message.
    pub message: String,
}
