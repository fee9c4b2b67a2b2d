//! Fixes, imports, cases, exports and completions.

use serde::{Deserialize, Serialize};
use tsify::Tsify;

use crate::matrix::{Outcome, TextMark, TextProblem};
use crate::workspace::Workspace;

/// Changes of the objects that a user may apply.
#[derive(Clone, Debug, Default, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Fix {
    /// The changed text of all objects. Comments and formatting stay.
    pub text: String,
    /// The changes, in the order of the text.
    pub edits: Vec<TextEdit>,
    /// The number of violations that the changes remove, by a new evaluation.
    pub fixed: u32,
    /// The violations that have no fix, with the reason, or with the remedy in words.
    pub left: Vec<String>,
}

/// The replacement of a range of lines.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct TextEdit {
    /// The first line that is replaced, from 1.
    pub line: u32,
    /// The number of lines that are replaced; 0 inserts before the line.
    pub lines: u32,
    /// The new lines, each with its line break.
    pub text: String,
}

/// An imported text.
#[derive(Clone, Debug, Default, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Imported {
    /// The type of the text, such as `Kyverno ClusterPolicy`; empty if nothing was recognised.
    pub recognised: String,
    /// The policies.
    pub policies: Vec<ImportedPolicy>,
    /// The Namespaces of the text, whose labels policies look up.
    pub namespaces: String,
    /// The lines of the source with the fields that come from them.
    pub mappings: Vec<Mapping>,
    /// The parts that no policy carries over.
    pub left: Vec<NotCarriedOver>,
    /// Facts to know, even if everything was carried over.
    pub notes: Vec<String>,
    /// Why nothing could be imported.
    #[tsify(optional)]
    pub problem: Option<TextProblem>,
}

/// A policy of an imported text.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct ImportedPolicy {
    /// The id of the policy; `None` for a module that the playground does not have.
    #[tsify(optional)]
    pub id: Option<String>,
    /// The settings, as YAML.
    pub settings: String,
    /// The manifest, as YAML.
    pub manifest: String,
}

/// A line of the source with a field that comes from it.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Mapping {
    /// The place in the source.
    pub mark: TextMark,
    /// The field of the source and its value, such as `defaults.enforce: baseline`.
    pub source: String,
    /// The index of the policy in [`Imported::policies`].
    pub policy: u32,
    /// The field of the manifest and its value, such as `settings.level: baseline`.
    pub target: String,
}

/// A part of the source that no policy carries over.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct NotCarriedOver {
    /// The place in the source.
    #[tsify(optional)]
    pub mark: Option<TextMark>,
    /// The path of the field.
    pub path: String,
    /// The reason, and the alternative.
    pub reason: String,
}

/// The content of a case in addition to the workspace.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct CaseOptions {
    /// The title: what the case shows, as a sentence.
    pub title: String,
    /// A note for readers; it may be empty.
    pub note: String,
    /// Whether the case has the objects of the cluster.
    pub with_cluster: bool,
    /// The outcomes that are expected in the place of the present ones.
    pub expected: Vec<ExpectedOutcome>,
}

/// An expected outcome.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct ExpectedOutcome {
    /// The index of the object.
    pub object: u32,
    /// The name of the policy, as in [`PolicyState::name`](crate::PolicyState::name).
    pub policy: String,
    /// The outcome.
    pub outcome: Outcome,
}

/// A case in the format of `portcullis test`.
#[derive(Clone, Debug, Default, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct CaseText {
    /// The test file, as YAML. Empty if there is a problem. [`open_case`](crate::open_case) reads
    /// it with the other files behind it, as further documents.
    pub text: String,
    /// The files that the test file names: the manifests of policies, in its folder.
    pub files: Vec<NamedText>,
    /// The case for an issue, as Markdown.
    pub markdown: String,
    /// The number of bytes of the test file and the other files.
    pub bytes: u32,
    /// Facts to know before the case is shared: Secrets in it, look-ups without the cluster.
    pub warnings: Vec<String>,
    /// Why the workspace makes no case.
    #[tsify(optional)]
    pub problem: Option<String>,
}

/// A text with the name of its file.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct NamedText {
    /// The name.
    pub name: String,
    /// The text.
    pub text: String,
}

/// A case that was opened.
#[derive(Clone, Debug, Default, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct OpenedCase {
    /// The title.
    pub title: String,
    /// The note.
    pub note: String,
    /// The workspace.
    #[tsify(optional)]
    pub workspace: Option<Workspace>,
    /// The expected outcomes.
    pub expected: Vec<ExpectedOutcome>,
    /// Why the case cannot be opened.
    #[tsify(optional)]
    pub problem: Option<TextProblem>,
}

/// An outcome that is not the expected one.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct OutcomeChange {
    /// The index of the object.
    pub object: u32,
    /// The name of the policy.
    pub policy: String,
    /// The expected outcome.
    pub expected: Outcome,
    /// The present outcome; `None` if there is no such object, or no such policy that is enabled.
    #[tsify(optional)]
    pub now: Option<Outcome>,
    /// Both in a sentence: `expected denied, now admitted`.
    pub message: String,
}

/// The format of a report.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize, Tsify)]
pub enum ReportFormat {
    /// Markdown, for issues.
    Markdown,
    /// SARIF, for code scanning.
    Sarif,
    /// A page that stands alone.
    Html,
    /// JSON, as `portcullis scan` writes it.
    Json,
}

/// Outcomes that are not the expected ones.
#[derive(Clone, Debug, Default, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct OutcomeChanges {
    /// The changes, in the order of the expectations.
    pub changes: Vec<OutcomeChange>,
}

/// Expected outcomes.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct ExpectedOutcomes {
    /// The outcomes.
    pub expected: Vec<ExpectedOutcome>,
}

/// Command lines.
#[derive(Clone, Debug, Default, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Commands {
    /// The commands.
    pub commands: Vec<Command>,
}

/// A command line that gives the same verdicts.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Command {
    /// The program: `portcullis` or `kwctl`.
    pub program: String,
    /// The command, for a shell.
    pub command: String,
    /// The files that the command reads.
    pub files: Vec<NamedText>,
    /// The parts of the input that the command leaves out, such as a user for each object.
    pub remarks: Vec<String>,
}

/// A kind whose fields are known.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct KnownKind {
    /// The API version.
    pub api_version: String,
    /// The kind.
    pub kind: String,
}

/// A key that can be written at a place.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Completion {
    /// The key or the value.
    pub label: String,
    /// The type of its values, such as `list of strings`; empty for a value.
    pub detail: String,
    /// The documentation; empty if there is none.
    pub info: String,
}

/// Completions.
#[derive(Clone, Debug, Default, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Completions {
    /// The completions, in the order in which they are shown.
    pub options: Vec<Completion>,
}

/// The versions of the playground.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Version {
    /// The version of Portcullis.
    pub portcullis: String,
    /// The version of Kubernetes whose Pod Security Standards are the newest ones known.
    pub kubernetes: String,
    /// The version of the protocol between Kubewarden and its policies.
    pub kubewarden_protocol: String,
    /// Whether this is the whole engine. The other one loads fast and evaluates rules only.
    pub is_whole: bool,
}
