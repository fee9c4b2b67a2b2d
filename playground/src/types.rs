//! What goes in and out: plain objects.

use serde::{Deserialize, Serialize};
use tsify::Tsify;

/// What somebody has: texts, and who does what.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Input {
    /// The id of the restriction: `external-ips`.
    pub restriction: String,
    /// Objects as `kubectl` takes them, or `AdmissionReviews` and `AdmissionRequests`: YAML or JSON.
    pub manifest: String,
    /// The settings of the policy: YAML or JSON; the defaults if empty.
    pub settings: String,
    /// What the cluster has: objects and lists of them, YAML or JSON.
    pub cluster: String,
    /// Why every look-up fails; they do not if this is empty.
    pub unreachable: String,
    /// What is done to the objects of the manifest. Requests say it themselves.
    pub operation: Operation,
    /// `status` and the like; empty for the object itself.
    pub subresource: String,
    /// The objects as they are stored, for an update: one for each of the manifest.
    pub old_object: String,
    /// Who asks.
    pub user: User,
}

/// What is done to an object.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "UPPERCASE")]
pub enum Operation {
    /// The object is new.
    #[default]
    Create,
    /// The object changes.
    Update,
    /// The object goes.
    Delete,
}

/// Who asks.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum User {
    /// Somebody with a name and no special group.
    #[default]
    Ordinary,
    /// A controller of the control plane, by its service account in `kube-system`: `replicaset-controller`.
    Controller {
        /// The service account.
        account: String,
    },
    /// The kubelet of a node.
    Kubelet {
        /// The name of the node.
        node: String,
    },
    /// Anybody else.
    Named {
        /// The name.
        username: String,
        /// The groups.
        groups: Vec<String>,
    },
}

/// Every restriction.
#[derive(Clone, Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Restrictions {
    /// In the order of the catalog.
    pub restrictions: Vec<Restriction>,
}

/// A restriction.
#[derive(Clone, Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Restriction {
    /// The name of the module: `external-ips`.
    pub id: String,
    /// What it restricts, in a sentence or two.
    pub description: String,
    /// The kinds that it judges.
    pub kinds: Vec<String>,
    /// The subresources that it judges.
    pub subresources: Vec<String>,
    /// Its settings.
    pub settings: Vec<Setting>,
    /// Its samples.
    pub samples: Vec<Sample>,
}

/// A setting of a restriction.
#[derive(Clone, Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Setting {
    /// `allow.cidrs`; below a list it belongs to each element.
    pub path: String,
    /// What it takes: `list of strings`, or the names it may have.
    pub takes: String,
    /// What it means.
    pub text: String,
}

/// A sample of a restriction.
#[derive(Clone, Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Sample {
    /// `create-denied`.
    pub name: String,
    /// What it shows.
    pub shows: String,
    /// What becomes of it, in words.
    pub verdict: String,
}

/// The cases of a file.
#[derive(Clone, Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Examples {
    /// In the order of the file.
    pub examples: Vec<Example>,
}

/// A case, by name.
#[derive(Clone, Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Example {
    /// What the case shows.
    pub name: String,
    /// What becomes of it, in words.
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

/// A part of a text of the input. Lines and columns count from one, columns in characters.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Mark {
    /// The text.
    pub field: Field,
    /// The line.
    pub line: u32,
    /// The first character.
    pub column: u32,
    /// Behind the last character; the same as `column` for the whole line.
    pub end_column: u32,
}

/// Something that cannot be read.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Problem {
    /// The text of the input.
    pub field: Field,
    /// What is wrong, and what to do.
    pub message: String,
    /// Where.
    #[tsify(optional)]
    pub mark: Option<Mark>,
}

/// The requests of an input.
#[derive(Clone, Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Requests {
    /// What cannot be read; there are no requests then.
    pub problems: Vec<Problem>,
    /// `AdmissionRequests`, as JSON.
    pub requests: Vec<String>,
}

/// How to deploy a restriction.
#[derive(Clone, Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Deployment {
    /// A `ClusterAdmissionPolicy`, as YAML.
    pub manifest: String,
    /// What is wrong with the settings; there is no manifest then.
    #[tsify(optional)]
    pub problem: Option<Problem>,
}

/// What becomes of an input.
#[derive(Clone, Debug, Default, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Outcome {
    /// What cannot be read; there are no verdicts then.
    pub problems: Vec<Problem>,
    /// A verdict for each object of the manifest, or for each request.
    pub verdicts: Vec<Verdict>,
    /// Whether the manifest holds requests, which say themselves who does what.
    pub holds_requests: bool,
}

/// What becomes of a request.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Verdict {
    /// `CREATE Service shop/web`.
    pub title: String,
    /// The verdict.
    pub kind: VerdictKind,
    /// The message, a violation each line: why the request is denied.
    pub violations: Vec<Line>,
    /// What the client is told besides.
    pub warnings: Vec<Line>,
    /// What the audit log gets.
    pub audit_annotations: Vec<Entry>,
    /// What is changed, if something is.
    #[tsify(optional)]
    pub change: Option<Change>,
    /// The `AdmissionResponse`, as JSON; the patch in it is in base64.
    pub response: String,
}

/// The verdict.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub enum VerdictKind {
    /// Admitted as it is.
    Admitted,
    /// Admitted unseen, because the restriction judges no such requests.
    NotConcerned,
    /// Admitted with changes.
    Mutated,
    /// Denied by a rule.
    Denied,
    /// Denied because it could not be judged.
    Fault,
}

/// A line of a message, or a warning.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Line {
    /// The line.
    pub message: String,
    /// The place that it is about.
    #[tsify(optional)]
    pub mark: Option<Mark>,
}

/// A key and a value.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// The key.
    pub key: String,
    /// The value.
    pub value: String,
}

/// An object without and with the changes of the policy, as YAML.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// Without.
    pub before: String,
    /// With.
    pub after: String,
}
