//! The data of a report.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The results of a scan.
///
/// Findings and notices are sorted by file, place, object and policy, so that two runs over the
/// same input give the same report.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// The policies that took part, in the order in which they evaluated.
    pub policies: Vec<PolicyRef>,
    /// The findings of the policies. Admissions are only counted.
    pub findings: Vec<Finding>,
    /// The changes that policies make to objects, if they were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mutations: Vec<Mutation>,
    /// Problems of the input and of the policies.
    pub notices: Vec<Notice>,
    /// The files that contain objects. Comparisons use them to find files that were removed.
    pub files: BTreeSet<String>,
    /// The totals.
    pub totals: Totals,
    /// Whether the scan was interrupted, so that the report is incomplete.
    pub is_partial: bool,
    /// The only namespace of a running cluster whose objects were evaluated; `None` for scans of
    /// whole clusters and of files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
}

impl Report {
    /// Completes a report to which everything was added: adds the notices that depend on all
    /// findings, and sorts.
    pub fn finish(&mut self) {
        self.findings.sort_by(|one, other| one.place_in_report().cmp(&other.place_in_report()));
        // Changes of one object keep the order of the policies.
        self.mutations.sort_by(|a, b| (&a.place, &a.object).cmp(&(&b.place, &b.object)));
        self.notices.extend(about_exceptions(&self.findings));
        self.notices.extend(self.totals.not_honoured());
        self.sort_notices();
    }

    /// Sorts the notices and removes duplicates. Of several levels, the highest counts.
    pub fn sort_notices(&mut self) {
        self.notices.sort_by(|a, b| (&a.place, &a.message, a.level).cmp(&(&b.place, &b.message, b.level)));
        self.notices.dedup_by(|next, kept| (&next.place, &next.message) == (&kept.place, &kept.message));
        self.notices.sort_by(|a, b| (&a.place, a.level, &a.message).cmp(&(&b.place, b.level, &b.message)));
    }
}

/// Returns the notice that a cluster does not know the exceptions of a scan.
fn about_exceptions(findings: &[Finding]) -> Option<Notice> {
    let excepted = findings.iter().filter(|finding| finding.excepted.is_some());
    let count = excepted.fold(0_u64, |sum, finding| sum.saturating_add(finding.objects()));
    let subject = if count == 1 { "1 finding is".to_owned() } else { format!("{count} findings are") };
    let message =
        format!("{subject} excepted by annotations of the objects, which a cluster does not honour");
    (count > 0).then_some(Notice { level: Level::Note, place: None, message })
}

impl Totals {
    /// Adds the totals of other objects, which the same policies evaluated.
    pub fn add(&mut self, other: Self) {
        add(&mut self.objects, other.objects);
        add(&mut self.not_evaluated, other.not_evaluated);
        add(&mut self.evaluations, other.evaluations);
        add(&mut self.exceptions_ignored, other.exceptions_ignored);
        add(&mut self.exceptions_stored, other.exceptions_stored);
        self.policies.resize(self.policies.len().max(other.policies.len()), PolicyTotals::default());
        for (sum, more) in self.policies.iter_mut().zip(other.policies) {
            add(&mut sum.admitted, more.admitted);
            add(&mut sum.mutated, more.mutated);
            add(&mut sum.denied, more.denied);
            add(&mut sum.monitored, more.monitored);
            add(&mut sum.unknown, more.unknown);
            add(&mut sum.skipped, more.skipped);
        }
        for (namespace, counts) in other.by_namespace {
            let sums = self.by_namespace.entry(namespace).or_default();
            for (policy, count) in counts {
                add(sums.entry(policy).or_default(), count);
            }
        }
    }

    /// Returns the notices about exceptions that do not count.
    fn not_honoured(&self) -> impl Iterator<Item = Notice> + use<> {
        let notice = |count: u64, level: Level, why: &str| {
            let subject =
                if count == 1 { "1 exception is".to_owned() } else { format!("{count} exceptions are") };
            let message = format!("{subject} not honoured: {why}");
            (count > 0).then_some(Notice { level, place: None, message })
        };
        let ignored = notice(self.exceptions_ignored, Level::Note, "the scan evaluates without exceptions");
        let stored = notice(
            self.exceptions_stored,
            Level::Warning,
            "others may have annotated an object that comes from a cluster; remove metadata.uid and \
             metadata.resourceVersion from manifests, or honour all exceptions with --exceptions",
        );
        ignored.into_iter().chain(stored)
    }
}

fn add(sum: &mut u64, more: u64) {
    *sum += more;
}

/// A policy.
#[derive(Clone, Debug, Default, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyRef {
    /// The name of the manifest, or the id of a policy without one.
    pub name: String,
    /// The kind of the manifest, such as `ClusterAdmissionPolicy`; empty for a policy without one.
    pub kind: String,
    /// The namespace of an `AdmissionPolicy`.
    pub namespace: Option<String>,
    /// The module, as the manifest or the command line names it.
    pub module: String,
    /// The id of the policy of Portcullis whose rules the findings name; `None` for another policy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The digest of the module, such as `sha256:…`, if the embedded host runs it; those of a group
    /// in the order of [`PolicyRef::module`]. Restrictions in the tool have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// Whether violations are denied; with `false`, they are only reported (`mode: monitor`).
    pub protects: bool,
    /// The category and the severity, from the annotations of the manifest or the module.
    pub category: Option<String>,
    /// The severity.
    pub severity: Option<Severity>,
}

/// The severity of a policy.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Information.
    Info,
    /// Low.
    Low,
    /// Medium.
    Medium,
    /// High.
    High,
    /// Critical.
    Critical,
}

/// One violation, one warning, or one reason why a verdict is unknown.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// The result that the finding is part of.
    pub status: Status,
    /// The index of the policy in [`Report::policies`].
    pub policy: usize,
    /// The id of the rule in the policy, such as `hostPorts`. Ids of the policies of this program
    /// never change; a text of another module has one of [`GENERAL`].
    pub rule: String,
    /// The name of the rule, such as `Host Ports`; `None` for a text.
    pub rule_name: Option<String>,
    /// The object.
    pub object: ObjectRef,
    /// The path of the value in the object, such as `spec.containers[0].image`; `None` if the
    /// finding is about the object as a whole.
    pub path: Option<String>,
    /// The same path with the names of list items in the place of indices, such as
    /// `spec.containers[name=web].image`. It is part of the fingerprint.
    pub stable_path: Option<String>,
    /// The [`digest`](crate::digest) of the refused value; `None` if a value is missing, may be
    /// secret, or is that of a foreign policy, whose message has it. It is part of the fingerprint.
    pub value_digest: Option<String>,
    /// The whole message, with path, value, rule and remedy.
    pub message: String,
    /// The reason alone, as a plain fact; that of a text is the message.
    pub reason: String,
    /// The remedy, in the imperative.
    pub remedy: Option<String>,
    /// The field that a control of the Pod Security Standards restricts, such as
    /// `spec.containers[*].ports[*].hostPort`, as `exclude` of `pod-security` takes it; `None` for
    /// the rules of other policies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restricted_field: Option<String>,
    /// The place in the input.
    pub place: Option<Place>,
    /// Whether the finding is about the pods that a workload would create.
    pub concerns_pods: bool,
    /// The names of further objects of the same owner with the same finding, which are folded into
    /// this one.
    pub others: Vec<String>,
    /// The reason of an exception that covers the finding. Such a finding does not fail a scan.
    pub excepted: Option<String>,
    /// Whether a baseline has the finding. Such a finding does not fail a scan.
    pub is_known: bool,
}

/// The rule of a denial with a text.
pub const DENIED: &str = "denied";
/// The rule of a verdict that is unknown.
pub const FAULT: &str = "fault";
/// The rule of a warning.
pub const WARNING: &str = "warning";

/// The rules of texts, whose findings are told apart by their texts.
pub(crate) const GENERAL: [&str; 3] = [DENIED, FAULT, WARNING];

impl Finding {
    /// Returns the name of the rule for people.
    pub(crate) fn rule_title(&self) -> &str {
        match (&self.rule_name, self.rule.as_str()) {
            (Some(name), _) => name,
            (None, FAULT) => "Unknown verdict",
            (None, WARNING) => "Warning",
            (None, _) => "Denial",
        }
    }

    /// Returns the key by which the findings of a report are sorted. Findings with the same key are
    /// about the same value of the same object.
    #[must_use]
    pub fn place_in_report(&self) -> impl Ord + '_ {
        (&self.place, &self.object, self.policy, &self.path, &self.message)
    }
}

/// The change that a policy makes to an object.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Mutation {
    /// The index of the policy in [`Report::policies`].
    pub policy: usize,
    /// The object.
    pub object: ObjectRef,
    /// The place of the object in the input.
    pub place: Option<Place>,
    /// Whether the change is one of the pods that a workload would create.
    pub concerns_pods: bool,
    /// The change as a JSON patch (RFC 6902) of the object as the policy received it. Values of
    /// Secrets are hidden.
    pub patch: Value,
    /// The change as the lines of a unified diff of YAML.
    pub diff: Vec<String>,
}

/// The result of evaluating an object against a policy.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Status {
    /// The request would be denied.
    Denied,
    /// The policy could not evaluate the object, or the tool could not evaluate the policy.
    Unknown,
    /// The policy is in monitor mode and would deny the request in protect mode.
    Monitored,
    /// The request would be admitted with a warning.
    Warned,
}

/// An object.
#[derive(Clone, Debug, Default, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ObjectRef {
    /// The API version, such as `apps/v1`.
    pub api_version: String,
    /// The kind.
    pub kind: String,
    /// The namespace; `None` for a cluster-scoped object.
    pub namespace: Option<String>,
    /// The name; that of a generated name ends in `-`.
    pub name: String,
    /// The UID of a stored object.
    pub uid: Option<String>,
    /// The topmost known owner.
    pub owner: Option<OwnerRef>,
}

/// The owner of an object.
#[derive(Clone, Debug, Default, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OwnerRef {
    /// The API version.
    pub api_version: String,
    /// The kind.
    pub kind: String,
    /// The name.
    pub name: String,
}

/// A place in the input.
#[derive(Clone, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Place {
    /// The file, as a path relative to the working directory with `/` on every system; `-` for the
    /// standard input.
    pub file: String,
    /// The part of the file; `None` if it is not known, because the file cannot be read or a tool
    /// renders it. In JSON, the fields of the span are those of the place, and absent without it.
    #[serde(flatten)]
    pub span: Option<Span>,
    /// Whether this is the place of the value. Otherwise it is that of the object, because the
    /// policy names no path, or a place in a template that a tool rendered.
    pub is_exact: bool,
}

/// A part of a text.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub struct Span {
    /// The first character.
    pub start: Position,
    /// The position after the last character.
    pub end: Position,
}

/// A position in a text. Lines and columns count from one, columns in characters.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub struct Position {
    /// The line.
    pub line: u64,
    /// The column.
    pub column: u64,
}

/// A problem of the input, of a policy, or of the scan itself.
#[derive(Clone, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Notice {
    /// How serious the problem is.
    pub level: Level,
    /// The place, if the problem has one.
    pub place: Option<Place>,
    /// The problem and the remedy, as a sentence without a final period.
    pub message: String,
}

/// The level of a notice.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Input that could not be read, or a policy that could not be loaded: something was not
    /// evaluated.
    Error,
    /// Input that was evaluated and is probably not meant so, such as an unknown field.
    Warning,
    /// Input that is no Kubernetes object and was skipped.
    Note,
}

/// The totals of a scan.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Totals {
    /// The objects that were read.
    pub objects: u64,
    /// The objects that no policy looked at.
    pub not_evaluated: u64,
    /// Pairs of an object and a policy that looked at it.
    pub evaluations: u64,
    /// The totals of each policy, in the order of [`Report::policies`].
    pub policies: Vec<PolicyTotals>,
    /// The evaluated objects of each namespace and policy that were not admitted cleanly, for a
    /// map: namespace, index of the policy, number of objects. Cluster-scoped objects have the
    /// namespace "".
    pub by_namespace: BTreeMap<String, BTreeMap<usize, u64>>,
    /// The exceptions that are not honoured because the scan evaluates without them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub exceptions_ignored: u64,
    /// The exceptions that are not honoured because their objects come from a cluster.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub exceptions_stored: u64,
}

/// The totals of a policy, in objects.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyTotals {
    /// Admitted, with or without changes.
    pub admitted: u64,
    /// Admitted with changes.
    pub mutated: u64,
    /// Denied.
    pub denied: u64,
    /// Would be denied, but the policy is in monitor mode.
    pub monitored: u64,
    /// Could not be evaluated.
    pub unknown: u64,
    /// Not looked at, because of rules, selectors or conditions.
    pub skipped: u64,
}

// A number of 64 bits is larger than a pointer in WebAssembly.
#[cfg_attr(
    target_pointer_width = "64",
    expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")
)]
fn is_zero(count: &u64) -> bool {
    *count == 0
}
