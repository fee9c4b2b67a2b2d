//! Node labels that a kubelet could no longer set, change or remove.

use rules::node_labels::{NodeLabels, Objection};
use rules::view::ClusterNode;
use serde::Serialize;

use crate::{AuditError, Dump};

/// The command that creates a suitable dump.
const COMMAND: &str = "kubectl get nodes";

/// The findings of the audit.
#[derive(Clone, Debug, Default, Serialize)]
pub struct NodeLabelFindings {
    /// The Nodes with labels that a kubelet may not set, ordered by name.
    pub nodes: Vec<NodeWithLabels>,
}

/// A Node with labels that a kubelet may not set.
#[derive(Clone, Debug, Serialize)]
pub struct NodeWithLabels {
    /// The name of the Node.
    pub name: String,
    /// The labels, ordered by key.
    pub labels: Vec<RestrictedLabel>,
}

/// A label that a kubelet may not set.
#[derive(Clone, Debug, Serialize)]
pub struct RestrictedLabel {
    /// The key of the label.
    pub key: String,
    /// The rule that the label violates.
    pub rule: &'static str,
    /// The action that resolves the violation.
    pub remedy: &'static str,
}

impl NodeLabelFindings {
    /// Whether the audit found nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }
}

/// Finds the labels that a kubelet may not set under a policy.
///
/// A dump does not record who set a label, so labels set by administrators are found, too.
///
/// # Errors
/// A dump without Nodes, and a Node that cannot be read.
pub fn find(dump: &Dump, policy: &NodeLabels) -> Result<NodeLabelFindings, AuditError> {
    let mut nodes = Vec::new();
    dump.visit_some("Node", COMMAND, |node, root| {
        let mut labels = Vec::new();
        for (key, value) in ClusterNode::of(root).metadata().labels().fields()? {
            // Only a string is a label; anything else is a fault.
            value.text()?;
            if let Some(Objection { rule, remedy }) = policy.objection(key) {
                labels.push(RestrictedLabel { key: key.to_owned(), rule, remedy });
            }
        }
        labels.sort_by(|one, other| one.key.cmp(&other.key));
        if !labels.is_empty() {
            nodes.push(NodeWithLabels { name: node.name.clone(), labels });
        }
        Ok(())
    })?;
    Ok(NodeLabelFindings { nodes })
}
