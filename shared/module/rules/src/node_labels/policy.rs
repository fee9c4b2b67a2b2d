//! The review of a write to a Node.

use admission::{
    Cluster, Fault, Node, Operation, Policy, Request, Scope, ScopeRule, Setting, SettingsError, Shape,
    Verdict, Violations,
};

use super::keys::{self, Objection, Reason};
use super::settings::{self, CreateEnforcement, Mode, SelfRegistration, Settings};
use crate::caller::{Caller, nameless};
use crate::label::{LabelChange, changes};
use crate::summary::summary;
use crate::view::ClusterNode;

/// The key of the audit annotation that lists the forbidden labels in `mode: Warn`.
const FORBIDDEN_LABELS: &str = "forbidden-labels";

/// The policy with its parsed settings.
#[derive(Debug)]
pub struct NodeLabels {
    settings: Settings,
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
        // A write of the status also writes the metadata.
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

    const USER: Shape<'static> = Caller::USER;

    const SETTINGS: &'static [Setting] = settings::SETTINGS;

    const DOCS: &'static [(&'static str, &'static str)] = settings::DOCS;

    fn configure(settings: Node<'_>) -> Result<Self, SettingsError> {
        Settings::read(settings).map(|settings| Self { settings })
    }

    fn review<'d>(&self, request: &Request<'d>, _: &dyn Cluster) -> Result<Verdict<'d>, Fault> {
        let caller = Caller::of(request, &self.settings.bound_tokens)?;
        match caller {
            Caller::Other => return Ok(Verdict::admit()),
            Caller::Nameless => return Ok(nameless(request).into()),
            Caller::Node(_) | Caller::Bound(_) => {}
        }
        if request.operation == Operation::Delete {
            return Ok(other_node(request, ClusterNode::of(request.old_object()?), caller)?.into());
        }
        let old = match request.operation {
            Operation::Create => None,
            _ => Some(ClusterNode::of(request.stored_object()?)),
        };
        let node = ClusterNode::of(request.object()?);
        let mut violations = other_node(request, node, caller)?;
        if !violations.is_empty() {
            return Ok(violations.into());
        }
        if request.operation == Operation::Create && self.settings.self_registration == SelfRegistration::Deny
        {
            violations.forbid(
                node.metadata().name(),
                "nodes may not create their own Node",
                "let the control plane create it and start the kubelet with --register-node=false",
            );
        }
        self.review_labels(request.operation, old, node, violations)
    }
}

impl NodeLabels {
    /// Returns the reason why a node may not set, change or remove a label on an existing Node, or
    /// `None` if it may.
    #[must_use]
    pub fn objection(&self, key: &str) -> Option<Objection> {
        self.reason(key, Operation::Update).map(|reason| reason.objection(key))
    }

    fn reason(&self, key: &str, operation: Operation) -> Option<Reason> {
        let settings = &self.settings;
        if keys::is_reserved(key) {
            return Some(Reason::Reserved);
        }
        if settings.protected_domains.cover(key) || settings.protected_keys.have(key) {
            return Some(Reason::Protected);
        }
        let uses_lists =
            operation != Operation::Create || settings.create_enforcement == CreateEnforcement::Full;
        let is_allowed =
            !uses_lists || keys::is_allowed(key, settings.profile) || settings.allowed_keys.have(key);
        (!is_allowed).then_some(Reason::Unlisted)
    }

    /// Adds the label changes of a request to `violations` or, in `mode: Warn`, to a warning.
    fn review_labels<'d>(
        &self,
        operation: Operation,
        old: Option<ClusterNode<'d>>,
        new: ClusterNode<'d>,
        mut violations: Violations<'d>,
    ) -> Result<Verdict<'d>, Fault> {
        let is_denied = !violations.is_empty();
        let mut forbidden = Vec::new();
        let mut more = 0_usize;
        let labels = |node: ClusterNode<'d>| node.metadata().labels();
        changes(old.map(labels), labels(new), &mut |LabelChange { key, at, removed }| {
            let Some(reason) = self.reason(key, operation) else { return };
            if self.settings.mode == Mode::Enforce {
                let Objection { rule, remedy } = reason.objection(key);
                let remedy =
                    if removed { "leave it unchanged, or ask an administrator to remove it" } else { remedy };
                violations.forbid(at, rule, remedy);
            } else if forbidden.len() < Violations::LISTED {
                forbidden.push(key);
            } else {
                more = more.saturating_add(1);
            }
        })?;
        if forbidden.is_empty() || is_denied {
            return Ok(violations.into());
        }
        let warning = summary("node-labels would deny these labels of the Node", &forbidden, more);
        let mut annotation = forbidden.join(",");
        if more > 0 {
            annotation.push_str(" and ");
            annotation.push_str(&more.to_string());
            annotation.push_str(" more");
        }
        Ok(Verdict::admit().warn(warning).annotate(FORBIDDEN_LABELS, annotation))
    }
}

/// Returns a violation if the Node is not that of the requesting user.
fn other_node<'d>(
    request: &Request<'d>,
    node: ClusterNode<'d>,
    caller: Caller<'d>,
) -> Result<Violations<'d>, Fault> {
    let (own, rule, remedy) = match caller {
        Caller::Bound(own) => (
            own,
            "a token that is bound to a node may write only the Node of that node",
            "use a token that is not bound to another node, or exempt the service account in exemptServiceAccounts",
        ),
        Caller::Node(own) => (
            own,
            "a node may write only its own Node",
            "use the credentials of that node or of an administrator",
        ),
        Caller::Other | Caller::Nameless => return Ok(Violations::default()),
    };
    let mut violations = Violations::default();
    let in_object = node.metadata().name();
    let mut is_named = false;
    for at in [request.name(), in_object] {
        let Some(name) = at.filled_text()? else { continue };
        is_named = true;
        if name != own {
            violations.refuse(at, rule, remedy);
            return Ok(violations);
        }
    }
    if !is_named {
        violations.require(in_object, rule, "set the name of the node");
    }
    Ok(violations)
}
