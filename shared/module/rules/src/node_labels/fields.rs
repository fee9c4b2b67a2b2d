//! The fields other than labels that a node may not change on its own Node.
//!
//! Source: `admitNode` of k8s.io/kubernetes/plugin/pkg/admission/noderestriction. Kubelets change
//! none of these fields after the registration, and never set owner references and `configSource`.

use admission::{Fault, Node, Remedy};

use super::rule;
use super::settings::{OwnerReferenceChanges, Settings, TaintChanges};
use crate::label::{domain, is_within};
use crate::view::{ClusterNode, OwnerReference, Taint};

/// The domains of taints that controllers derive from conditions and fields which nodes may write.
const DERIVED: [&str; 2] = ["node.kubernetes.io", "node.cloudprovider.kubernetes.io"];

#[derive(Clone, Copy, Debug)]
pub(super) struct FieldChange<'d> {
    /// The id of the rule.
    pub(super) id: &'static str,
    /// The place of the field in the new object.
    pub(super) at: Node<'d>,
    pub(super) path: &'static str,
    /// The rule, as a statement without a final period.
    pub(super) rule: &'static str,
    /// The remedy.
    pub(super) remedy: Remedy<&'static str>,
}

/// Passes each field that a request changes and that a node may not change to `report`. `old` is
/// `None` for a new Node.
pub(super) fn changes<'d>(
    settings: &Settings,
    old: Option<ClusterNode<'d>>,
    new: ClusterNode<'d>,
    report: &mut dyn FnMut(FieldChange<'d>),
) -> Result<(), Fault> {
    if settings.owner_reference_changes == OwnerReferenceChanges::Deny {
        let at = new.metadata().owner_references();
        let is_unchanged = match old {
            Some(old) => OwnerReference::are_equal(old.metadata().owner_references(), at)?,
            None => at.items()?.next().is_none(),
        };
        if !is_unchanged {
            report(FieldChange {
                id: rule::OWNER_REFERENCE,
                at,
                path: "metadata.ownerReferences",
                rule: "nodes may not set, change or remove the owner references of their Node, because it is \
                       deleted with its owners",
                remedy: "leave them unchanged, or ask an administrator to change them".into(),
            });
        }
    }
    let at = new.config_source();
    // Old kubelets drop the field when they write the status.
    if at.is_present()? && !old.is_some_and(|old| at.is_same(&old.config_source())) {
        report(FieldChange {
            id: rule::CONFIG_SOURCE,
            at,
            path: "spec.configSource",
            rule: "nodes may not set the ConfigMap of their configuration, because it becomes readable to them",
            remedy: Remedy::REMOVE,
        });
    }
    if let Some(old) = old
        && settings.taint_changes == TaintChanges::Deny
    {
        let at = new.taints();
        if !are_equal(&kept(settings, old)?, &kept(settings, new)?)? {
            report(FieldChange {
                id: rule::TAINT,
                at,
                path: "spec.taints",
                rule: "nodes may set taints only when they create their Node",
                remedy: "leave them unchanged, or ask an administrator to taint the Node".into(),
            });
        }
    }
    Ok(())
}

/// Passes the place of each taint that a node would remove by deleting its Node to `report`.
pub(super) fn lost_taints<'d>(
    settings: &Settings,
    node: ClusterNode<'d>,
    report: &mut dyn FnMut(Node<'d>),
) -> Result<(), Fault> {
    if settings.taint_changes == TaintChanges::Deny {
        for taint in kept(settings, node)? {
            let domain = domain(taint.key()?);
            if !DERIVED.iter().any(|derived| is_within(domain, derived)) {
                report(taint.place());
            }
        }
    }
    Ok(())
}

/// Returns the taints of a Node that the node may not change.
fn kept<'d>(settings: &Settings, node: ClusterNode<'d>) -> Result<Vec<Taint<'d>>, Fault> {
    let mut taints = Vec::new();
    for item in node.taints().items()? {
        let taint = Taint::of(item)?;
        if !settings.allowed_taint_keys.have(taint.key()?) {
            taints.push(taint);
        }
    }
    Ok(taints)
}

/// Returns whether two lists of taints are equal, in the same order, as the in-tree plugin compares
/// them.
fn are_equal(old: &[Taint<'_>], new: &[Taint<'_>]) -> Result<bool, Fault> {
    if old.len() != new.len() {
        return Ok(false);
    }
    for (old, new) in old.iter().zip(new) {
        if !old.is(new)? {
            return Ok(false);
        }
    }
    Ok(true)
}
