//! What a node may do to pods: which mirror pods it creates, and what it writes through `pods/status`.
//!
//! # Why
//! Controllers and Services find pods by their labels and owners. A node that was broken into gives a pod the
//! labels of a Service and is sent its traffic, or the labels of a `ReplicaSet`, which then deletes a pod of its
//! own. So what a node writes on pods must not be what controllers look for.
//!
//! # Denied
//! To node users only. On CREATE: anything but mirror pods of the node; labels that the Namespace does not
//! list; owner references to anything but the Node. On UPDATE of `pods/status`: any change of labels or
//! owners. Settings add restrictions of annotations and namespaces, and open, soften or mend.
//!
//! # Order
//! Whose pod it is, before anything is looked up; in every mode. Then annotations, labels, namespaces and
//! owners, as they stand in the object, each of which asks the cluster only if its verdict depends on it.
//!
//! # Sources
//! - KEP-1314: <https://github.com/kubernetes/enhancements/tree/master/keps/sig-auth/1314-node-restriction-pods>
//! - `NodeRestriction`: k8s.io/kubernetes/plugin/pkg/admission/noderestriction

mod annotations;
mod answers;
mod labels;
mod munge;
mod owners;
mod settings;

use admission::{
    Cluster, Fault, How, Node, Operation, Policy, Read, Reads, Request, Scope, ScopeRule, Setting,
    SettingsError, Shape, Verdict, Violation, Violations,
};

use crate::caller::{Caller, nameless};
use crate::label::changes;
use crate::summary::summary;
use crate::view::Pod;
use annotations::Annotations;
use answers::Answers;
use labels::Labels;
pub use labels::{COPIED, DENIED_BY_DEFAULT};
pub use settings::{LabelMode, Mode};

/// The annotation that makes a pod a mirror pod, whatever its value.
pub const MIRROR: &str = "kubernetes.io/config.mirror";

/// The annotation of a Namespace that lists the labels of its mirror pods.
pub const ALLOWED_LABEL_KEYS: &str = "node.kubernetes.io/mirror.allowed-label-keys";

/// The annotation of a Namespace that has mirror pods at all, under `restrictNamespaces`.
const ALLOWED: &str = "node.kubernetes.io/mirror.allowed";

/// The key of the audit annotation in which `mode: Warn` lists the violations.
const VIOLATIONS: &str = "violations";

/// The policy: its settings, understood.
#[derive(Debug)]
pub struct NodePods {
    labels: Labels,
    annotations: Option<Annotations>,
    require_owner_reference: bool,
    restrict_namespaces: bool,
    mode: Mode,
}

impl Policy for NodePods {
    const ID: &'static str = "node-pods";

    const SCOPE: Scope = Scope(&[
        ScopeRule {
            group: "",
            versions: &["v1"],
            kind: "Pod",
            resource: "pods",
            operations: &[Operation::Create],
            registered: true,
        },
        ScopeRule {
            group: "",
            versions: &["v1"],
            kind: "Pod",
            resource: "pods/status",
            operations: &[Operation::Update],
            registered: true,
        },
    ]);

    const READS: Reads = Reads(&[
        Read { api_version: "v1", kind: "Namespace", how: How::Get },
        Read { api_version: "v1", kind: "Node", how: How::Get },
    ]);

    const MUTATES: bool = true;

    const EMITS_WARNINGS: bool = true;

    const OBJECT: Shape<'static> = Pod::FIELDS_FOR_NODE_PODS;

    const SETTINGS: &'static [Setting] = settings::SETTINGS;

    const DOCS: &'static [(&'static str, &'static str)] = settings::DOCS;

    fn configure(settings: Node<'_>) -> Result<Self, SettingsError> {
        settings::configure(settings)
    }

    fn review<'d>(&self, request: &Request<'d>, cluster: &dyn Cluster) -> Result<Verdict<'d>, Fault> {
        let caller = match Caller::of(request)? {
            Caller::Other => return Ok(Verdict::admit()),
            Caller::Nameless => return Ok(nameless(request).into()),
            Caller::Node(name) => name,
        };
        let pod = Pod::of(request.object()?);
        if request.operation == Operation::Create {
            let foreign = not_a_mirror_pod_of(caller, pod)?;
            if !foreign.is_empty() {
                return Ok(foreign.into());
            }
            self.created(pod, Answers::new(caller, pod, request, cluster))
        } else {
            let old = Pod::of(request.stored_object()?);
            let foreign = not_a_pod_of(caller, old)?;
            if !foreign.is_empty() {
                return Ok(foreign.into());
            }
            Ok(self.reported(self.status_written(old, pod)?))
        }
    }
}

impl NodePods {
    /// Judges a mirror pod of the node that creates it.
    fn created<'d>(&self, pod: Pod<'d>, mut answers: Answers<'_>) -> Result<Verdict<'d>, Fault> {
        let metadata = pod.metadata();
        let mut violations = Violations::default();
        let munges = self.mode == Mode::Munge;
        if let Some(annotations) = &self.annotations {
            for (key, at) in metadata.annotations().fields()? {
                // A pod may have been mended a moment ago, by this policy or by another one with this module.
                if !annotations.allow(key) && !munge::is_record(key) {
                    violations.push(annotations::violation(at));
                }
            }
        }
        if !munges {
            for (key, at) in metadata.labels().fields()? {
                if let Some(refusal) = self.labels.refusal(key, at, &mut answers)? {
                    violations.push(refusal.violation(at));
                }
            }
        }
        // Under Munge no more is asked once it is a denial.
        let is_mended = munges && violations.is_empty();
        if self.restrict_namespaces && (is_mended || !munges) && !answers.namespace()?.has_mirror_pods() {
            violations.push(Violation::forbidden(
                metadata.namespace(),
                answers.namespace()?.closed(),
                "annotate the Namespace with node.kubernetes.io/mirror.allowed=true, or use another one",
            ));
        }
        if munges {
            return munge::mend(pod, &self.labels, violations, &mut answers);
        }
        owners::judge(pod, self.require_owner_reference, &mut answers, &mut violations)?;
        Ok(self.reported(violations))
    }

    /// Judges what a node writes through `pods/status` of a pod of its own.
    fn status_written<'d>(&self, old: Pod<'d>, pod: Pod<'d>) -> Result<Violations<'d>, Fault> {
        let (old, new) = (old.metadata(), pod.metadata());
        let mut violations = Violations::default();
        let munges = self.mode == Mode::Munge;
        if munges || self.annotations.is_some() {
            changes(Some(old.annotations()), new.annotations(), &mut |change| {
                if munges && munge::is_record(change.key) {
                    violations.forbid(
                        change.at,
                        "it tells what was removed from this pod",
                        "leave it as it is",
                    );
                } else if self.annotations.as_ref().is_some_and(|known| !known.allow(change.key)) {
                    violations.push(annotations::violation(change.at));
                }
            })?;
        }
        changes(Some(old.labels()), new.labels(), &mut |change| {
            violations.forbid(
                change.at,
                "a node may not set, change or remove labels through pods/status",
                "leave the labels of a pod to who created it",
            );
        })?;
        if !owners::are_the_same(old.owner_references(), new.owner_references())? {
            violations.forbid(
                new.owner_references(),
                "a node may not change the owners of a pod",
                "send them as they are stored",
            );
        }
        Ok(violations)
    }

    /// Violations as a denial or, under `mode: Warn`, as a warning.
    fn reported<'d>(&self, violations: Violations<'d>) -> Verdict<'d> {
        if self.mode != Mode::Warn || violations.is_empty() {
            return violations.into();
        }
        let paths = violations.paths();
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        let warning = summary("node-pods would refuse this pod", &paths, violations.more());
        Verdict::admit().warn(warning).annotate(VIOLATIONS, violations.to_string())
    }
}

/// Why a pod is no mirror pod of the node that creates it.
fn not_a_mirror_pod_of<'d>(caller: &str, pod: Pod<'d>) -> Result<Violations<'d>, Fault> {
    let mut violations = Violations::default();
    let mirror = pod.metadata().annotations().at(MIRROR);
    if mirror.text()?.is_none() {
        violations.require(
            mirror,
            "a node may create no pods but mirror pods of its static pods",
            "use the credentials of a controller or a user",
        );
    }
    let node = pod.node_name();
    let (rule, remedy) = ("a node may create mirror pods of its own only", "give the name of the node");
    match node.filled_text()? {
        None => violations.require(node, rule, remedy),
        Some(name) if name != caller => violations.refuse(node, rule, remedy),
        Some(_) => {}
    }
    Ok(violations)
}

/// Why a stored pod is none of the node that writes its status.
fn not_a_pod_of<'d>(caller: &str, old: Pod<'d>) -> Result<Violations<'d>, Fault> {
    let mut violations = Violations::default();
    if old.node_name().filled_text()? != Some(caller) {
        violations.refuse(
            old.node_name(),
            "a node may write the status of its own pods only",
            "use the credentials of that node or of a controller",
        );
    }
    Ok(violations)
}
