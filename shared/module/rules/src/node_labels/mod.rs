//! Which labels a kubelet may give its own Node.
//!
//! # Why
//! Workloads are sent to nodes by their labels. A kubelet writes its own Node, so a node that was broken into
//! takes the label of a dedicated node and is sent the workload, and its secrets with it.
//!
//! # Denied
//! To node users only: any Node but their own; labels of `node-restriction.kubernetes.io`, which are reserved
//! for administrators; labels of `kubernetes.io` and `k8s.io` outside a list; labels that the settings protect.
//! A label counts if the request adds, changes or removes it, never if it stays as it is.
//!
//! # Sources
//! - KEP-279: <https://github.com/kubernetes/enhancements/tree/master/keps/sig-auth/279-limit-node-access>
//! - `NodeRestriction`: k8s.io/kubernetes/plugin/pkg/admission/noderestriction

mod keys;
mod settings;

use admission::{
    Cluster, Fault, Node, Operation, Policy, Request, Scope, ScopeRule, Setting, SettingsError, Shape,
    Verdict, Violations,
};

use crate::caller::{Caller, nameless};
use crate::label::{Domains, Keys, LabelChange, changes};
use crate::summary::summary;
use crate::view::ClusterNode;
pub use keys::Objection;
use keys::Reason;
pub use settings::{CreateEnforcement, LabelProfile, Mode, SelfRegistration};

/// The key of the audit annotation in which `mode: Warn` lists the labels.
const FORBIDDEN_LABELS: &str = "forbidden-labels";

/// The policy: its settings, understood.
#[derive(Debug)]
pub struct NodeLabels {
    profile: LabelProfile,
    create_enforcement: CreateEnforcement,
    protected_domains: Domains,
    protected_keys: Keys,
    allowed_keys: Keys,
    self_registration: SelfRegistration,
    mode: Mode,
}

impl Policy for NodeLabels {
    const ID: &'static str = "node-labels";

    const SCOPE: Scope = Scope(&[
        ScopeRule {
            group: "",
            versions: &["v1"],
            kind: "Node",
            resource: "nodes",
            operations: &[Operation::Create, Operation::Update, Operation::Delete],
            registered: true,
        },
        // A write of the status writes the metadata, too.
        ScopeRule {
            group: "",
            versions: &["v1"],
            kind: "Node",
            resource: "nodes/status",
            operations: &[Operation::Update],
            registered: true,
        },
    ]);

    const EMITS_WARNINGS: bool = true;

    const OBJECT: Shape<'static> = ClusterNode::REVIEWED;

    const SETTINGS: &'static [Setting] = settings::SETTINGS;

    const DOCS: &'static [(&'static str, &'static str)] = settings::DOCS;

    fn configure(settings: Node<'_>) -> Result<Self, SettingsError> {
        settings::configure(settings)
    }

    fn review<'d>(&self, request: &Request<'d>, _: &dyn Cluster) -> Result<Verdict<'d>, Fault> {
        let caller = match Caller::of(request)? {
            Caller::Other => return Ok(Verdict::admit()),
            Caller::Nameless => return Ok(nameless(request).into()),
            Caller::Node(name) => name,
        };
        if request.operation == Operation::Delete {
            return Ok(foreign(request, ClusterNode::of(request.old_object()?), caller)?.into());
        }
        let old = match request.operation {
            Operation::Create => None,
            _ => Some(ClusterNode::of(request.stored_object()?)),
        };
        let node = ClusterNode::of(request.object()?);
        let mut violations = foreign(request, node, caller)?;
        if !violations.is_empty() {
            return Ok(violations.into());
        }
        if request.operation == Operation::Create && self.self_registration == SelfRegistration::Deny {
            violations.forbid(
                node.metadata().name(),
                "nodes may not create their own Node",
                "let the control plane create it and start the kubelet with --register-node=false",
            );
        }
        let is_denied = !violations.is_empty();
        let mut listed = Vec::new();
        let mut more = 0_usize;
        let labels = |node: ClusterNode<'d>| node.metadata().labels();
        changes(old.map(labels), labels(node), &mut |LabelChange { key, at, removed }| {
            let Some(reason) = self.reason(key, request.operation) else { return };
            if self.mode == Mode::Enforce {
                let Objection { rule, remedy } = reason.objection(key);
                let remedy =
                    if removed { "leave it as it is, or let an administrator remove it" } else { remedy };
                violations.forbid(at, rule, remedy);
            } else if listed.len() < Violations::LISTED {
                listed.push(key);
            } else {
                more = more.saturating_add(1);
            }
        })?;
        if listed.is_empty() || is_denied {
            return Ok(violations.into());
        }
        let what = "node-labels would refuse these labels of the Node";
        let warning = summary(what, &listed, more);
        let mut all = listed.join(",");
        if more > 0 {
            all.push_str(" and ");
            all.push_str(&more.to_string());
            all.push_str(" more");
        }
        Ok(Verdict::admit().warn(warning).annotate(FORBIDDEN_LABELS, all))
    }
}

impl NodeLabels {
    /// Why a node may not set, change or remove a label, whatever the request; `None` if it may.
    #[must_use]
    pub fn objection(&self, key: &str) -> Option<Objection> {
        self.reason(key, Operation::Update).map(|reason| reason.objection(key))
    }

    fn reason(&self, key: &str, operation: Operation) -> Option<Reason> {
        if keys::is_reserved(key) {
            return Some(Reason::Reserved);
        }
        if self.protected_domains.cover(key) || self.protected_keys.have(key) {
            return Some(Reason::Protected);
        }
        let judged = operation != Operation::Create || self.create_enforcement == CreateEnforcement::Full;
        let open = !judged || keys::may_be_set(key, self.profile) || self.allowed_keys.have(key);
        (!open).then_some(Reason::Unlisted)
    }
}

/// That a Node is another one than that of the node that asks.
fn foreign<'d>(request: &Request<'d>, node: ClusterNode<'d>, caller: &str) -> Result<Violations<'d>, Fault> {
    let mut violations = Violations::default();
    let in_object = node.metadata().name();
    let mut named = false;
    for at in [request.name(), in_object] {
        let Some(name) = at.filled_text()? else { continue };
        named = true;
        if name != caller {
            violations.refuse(
                at,
                "a node may write its own Node only",
                "use the credentials of that node or of an administrator",
            );
            return Ok(violations);
        }
    }
    if !named {
        violations.require(in_object, "a node may write its own Node only", "give the name of the node");
    }
    Ok(violations)
}
