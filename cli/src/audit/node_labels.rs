//! Labels of Nodes that kubelets could no longer set.

use std::io::{self, Write};

use rules::node_labels::{NodeLabels, Objection};
use rules::view::ClusterNode;
use serde::Serialize;

use super::{Dump, Findings, counted};
use crate::args::SettingsArgs;
use crate::failure::Failure;
use crate::settings;
use crate::source::Reader;
use crate::text::one_line;

/// The Nodes with such labels.
#[derive(Debug, Serialize)]
pub(super) struct LabelledNodes {
    nodes: Vec<LabelledNode>,
}

#[derive(Debug, Serialize)]
struct LabelledNode {
    name: String,
    labels: Vec<Label>,
}

#[derive(Debug, Serialize)]
struct Label {
    key: String,
    rule: &'static str,
    remedy: &'static str,
}

/// The policy that judges the labels.
///
/// # Errors
/// Settings that cannot be read or are not understood.
pub(super) fn policy(args: &SettingsArgs) -> Result<NodeLabels, Failure> {
    let (settings, name) = settings::read(args, &mut Reader::default())?;
    admission::configure(settings.to_string().as_bytes()).map_err(|error| Failure::about(name, error))
}

/// Looks for labels that a kubelet may not set.
///
/// # Errors
/// A dump without Nodes, and a Node that cannot be read.
pub(super) fn find(dump: &Dump, policy: &NodeLabels) -> Result<LabelledNodes, Failure> {
    let mut nodes = Vec::new();
    dump.each_of_some("Node", "kubectl get nodes", |_, name, object| {
        let mut labels = Vec::new();
        for (key, value) in ClusterNode::of(object).metadata().labels().fields()? {
            value.text()?;
            if let Some(Objection { rule, remedy }) = policy.objection(key) {
                labels.push(Label { key: key.to_owned(), rule, remedy });
            }
        }
        labels.sort_by(|one, other| one.key.cmp(&other.key));
        if !labels.is_empty() {
            nodes.push(LabelledNode { name: name.to_owned(), labels });
        }
        Ok(())
    })?;
    Ok(LabelledNodes { nodes })
}

impl Findings for LabelledNodes {
    fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut count = 0_usize;
        for LabelledNode { name, labels } in &self.nodes {
            for Label { key, rule, remedy } in labels {
                writeln!(out, "{}", one_line(&format!("{name}: {key}: {rule}; {remedy}")))?;
            }
            count = count.saturating_add(labels.len());
        }
        if count == 0 {
            return writeln!(out, "Kubelets could set every label that is there.");
        }
        let nodes = counted(self.nodes.len(), "Node", "Nodes");
        writeln!(
            out,
            "\nKubelets could no longer set {} of {nodes}. Labels that an administrator sets are no matter.",
            counted(count, "label", "labels"),
        )
    }
}
