//! The review of a write to a Node.

use admission::{
    Cluster, Fault, Node, Operation, Policy, Remedy, Request, Scope, ScopeRule, Setting, SettingsError,
    Shape, Verdict, Violations,
};

use super::keys::{self, Objection, Reason};
use super::report::{Rank, Report};
use super::rule;
use super::settings::{self, CreateEnforcement, SelfDeletion, SelfRegistration, Settings};
use super::{fields, fields::FieldChange};
use crate::caller::{Caller, nameless};
use crate::label::{LabelChange, changes, domain};
use crate::view::ClusterNode;

/// The policy with its parsed settings.
#[derive(Debug)]
pub struct NodeLabels {
    settings: Settings,
}

impl Policy for NodeLabels {
    const ID: &'static str = "node-labels";

    const SCOPE: Scope = Scope(&[
        ScopeRule::new("", "Node", "nodes", &[Operation::Create, Operation::Update, Operation::Delete]),
        // A write of the status also writes the metadata.
        ScopeRule::new("", "Node", "nodes/status", &[Operation::Update]),
    ]);

    const CHECK_KIND_FIRST: bool = true;

    const OBJECT: Shape<'static> = ClusterNode::REVIEWED;

    const USER: Shape<'static> = Caller::USER;

    const RULES: &'static [(&'static str, &'static str)] = rule::ALL;

    const SETTINGS: &'static [Setting] = settings::SETTINGS;

    const DOCS: &'static [(&'static str, &'static str)] = settings::DOCS;

    fn configure(settings: Node<'_>) -> Result<Self, SettingsError> {
        Settings::read(settings).map(|settings| Self { settings })
    }

    fn evaluates_user(&self, request: &Request<'_>) -> Result<Option<bool>, Fault> {
        Caller::of(request, &self.settings.bound_tokens).map(|caller| Some(caller != Caller::Other))
    }

    fn review<'d>(&self, request: &Request<'d>, _: &dyn Cluster) -> Result<Verdict<'d>, Fault> {
        let caller = Caller::of(request, &self.settings.bound_tokens)?;
        match caller {
            Caller::Other => return Ok(Verdict::admit()),
            Caller::Nameless => return Ok(nameless(rule::NAMELESS_NODE, request).into()),
            Caller::Node(_) | Caller::Bound(_) => {}
        }
        let operation = request.operation;
        if operation == Operation::Delete {
            let node = ClusterNode::of(request.old_object()?);
            let violations = other_node(request, node, caller)?;
            return if violations.is_empty() { self.review_deletion(request) } else { Ok(violations.into()) };
        }
        let old = match operation {
            Operation::Create => None,
            _ => Some(ClusterNode::of(request.stored_object()?)),
        };
        let node = ClusterNode::of(request.object()?);
        let mut violations = other_node(request, node, caller)?;
        if !violations.is_empty() {
            return Ok(violations.into());
        }
        if operation == Operation::Create && self.settings.self_registration == SelfRegistration::Deny {
            violations.forbid(
                rule::SELF_REGISTRATION,
                node.metadata().name(),
                "nodes may not create their own Node",
                "let the control plane create it and start the kubelet with --register-node=false",
            );
        }
        let mut report = Report::new(self.settings.mode, violations);
        self.review_labels(operation, old, node, &mut report)?;
        fields::changes(&self.settings, old, node, &mut |change| report.field(change))?;
        Ok(report
            .verdict("node-labels would deny these labels of the Node", "node-labels would deny changes of"))
    }
}

/// The remedy for a label that is removed.
const KEEP: Remedy<&str> = Remedy::in_words("leave it unchanged, or ask an administrator to remove it");

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
        if settings.protected.cover(key) {
            return Some(Reason::Protected);
        }
        if settings.create_only.have(key) {
            return (operation != Operation::Create).then_some(Reason::CreateOnly);
        }
        let uses_lists =
            operation != Operation::Create || settings.create_enforcement == CreateEnforcement::Full;
        let is_allowed =
            !uses_lists || keys::is_allowed(key, settings.profile) || settings.allowed_keys.have(key);
        (!is_allowed).then_some(Reason::Unlisted)
    }

    fn rank(&self, key: &str, reason: Reason) -> Rank {
        let settings = &self.settings;
        match reason {
            Reason::Protected if settings.protected.keys.have(key) => Rank::ProtectedKey,
            Reason::Protected if settings.protected.domains.have(key) => Rank::Domain,
            Reason::Reserved if domain(key) == keys::RESERVED => Rank::Domain,
            Reason::Protected | Reason::Reserved => Rank::Subdomain,
            Reason::CreateOnly | Reason::Unlisted => Rank::Other,
        }
    }

    fn review_labels<'d>(
        &self,
        operation: Operation,
        old: Option<ClusterNode<'d>>,
        new: ClusterNode<'d>,
        report: &mut Report<'d>,
    ) -> Result<(), Fault> {
        let labels = |node: ClusterNode<'d>| node.metadata().labels();
        changes(old.map(labels), labels(new), &mut |LabelChange { key, at, removed, .. }| {
            let Some(reason) = self.reason(key, operation) else { return };
            let Objection { rule, remedy } = reason.objection(key);
            let remedy = if removed { KEEP } else { remedy };
            report.label(self.rank(key, reason), key, reason.id(), at, rule, remedy);
        })
    }

    /// Reviews the deletion of the requesting user's own Node, which removes all labels and taints.
    fn review_deletion<'d>(&self, request: &Request<'d>) -> Result<Verdict<'d>, Fault> {
        const REMEDY: Remedy<&str> = Remedy::in_words("ask an administrator to delete the Node");
        let mut violations = Violations::default();
        match self.settings.self_deletion {
            SelfDeletion::Allow => return Ok(Verdict::admit()),
            SelfDeletion::Deny => {
                violations.forbid(
                    rule::DELETION,
                    request.name(),
                    "nodes may not delete their own Node",
                    REMEDY,
                );
                return Ok(violations.into());
            }
            SelfDeletion::DenyProtected => {}
        }
        let node = ClusterNode::of(request.stored_object()?);
        let mut report = Report::new(self.settings.mode, violations);
        if !self.settings.create_only.is_empty() {
            report.field(FieldChange {
                id: rule::DELETION,
                at: node.metadata().labels(),
                path: "metadata.labels",
                rule: "nodes may not delete their Node and create it with other labels of createOnlyLabelKeys \
                       and createOnlyLabelPrefixes",
                remedy: REMEDY,
            });
        }
        for (key, at) in node.metadata().labels().fields()? {
            if let Some(reason) = self.reason(key, Operation::Update) {
                let rule = "nodes may not delete a Node with a label that they may not remove";
                report.label(self.rank(key, reason), key, rule::DELETION, at, rule, REMEDY);
            }
        }
        fields::lost_taints(&self.settings, node, &mut |at| {
            let rule = "nodes may not delete a Node with a taint that they may not remove";
            report.field(FieldChange { id: rule::DELETION, at, path: "spec.taints", rule, remedy: REMEDY });
        })?;
        Ok(report.verdict(
            "node-labels would deny the deletion of a Node with",
            "node-labels would deny the deletion of a Node with",
        ))
    }
}

fn other_node<'d>(
    request: &Request<'d>,
    node: ClusterNode<'d>,
    caller: Caller<'d>,
) -> Result<Violations<'d>, Fault> {
    let (own, id, rule, remedy) = match caller {
        Caller::Bound(own) => (
            own,
            rule::BOUND_TOKEN,
            "a token that is bound to a node may write only the Node of that node",
            "use a token that is not bound to another node, or exempt the service account in exemptServiceAccounts",
        ),
        Caller::Node(own) => (
            own,
            rule::OTHER_NODE,
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
            violations.refuse(id, at, rule, remedy);
            return Ok(violations);
        }
    }
    if !is_named {
        violations.require(id, in_object, rule, "set the name of the node");
    }
    Ok(violations)
}
