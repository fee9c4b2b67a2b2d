//! Node labels that kubelets could no longer set, as text.

use std::io::{self, Write};

use audit::node_labels::{NodeLabelFindings, NodeWithLabels, RestrictedLabel};

use super::counted;
use crate::terminal::one_line;

/// Writes a line for each label, and their number.
///
/// # Errors
/// The output cannot be written.
pub(super) fn write(out: &mut dyn Write, findings: &NodeLabelFindings) -> io::Result<()> {
    let mut count = 0_usize;
    for NodeWithLabels { name, labels } in &findings.nodes {
        for RestrictedLabel { key, rule, remedy } in labels {
            writeln!(out, "{}", one_line(&format!("{name}: {key}: {rule}; {remedy}")))?;
        }
        count = count.saturating_add(labels.len());
    }
    if count == 0 {
        return writeln!(out, "Kubelets can set every label in the dump.");
    }
    let labels = counted(count, "label", "labels");
    let nodes = counted(findings.nodes.len(), "Node", "Nodes");
    writeln!(
        out,
        "\nKubelets could no longer set {labels} on {nodes}. Labels set by administrators are not affected."
    )
}
