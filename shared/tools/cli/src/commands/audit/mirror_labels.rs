//! Labels of mirror pods that their namespaces do not list, as text.

use std::collections::BTreeSet;
use std::io::{self, Write};

use report::one_line;
use scan::audit::mirror_labels::{DENIED_KEYS, ListingRemedy, MirrorLabelFindings, UnlistedLabels};

/// Writes a line for each pair of a namespace and a label, the commands that list the labels, and
/// notes.
pub(super) fn write(out: &mut dyn Write, findings: &MirrorLabelFindings) -> io::Result<()> {
    let MirrorLabelFindings { namespaces, notes } = findings;
    let mut pairs = BTreeSet::new();
    for UnlistedLabels { namespace, missing, denied, .. } in namespaces {
        pairs.extend(missing.iter().chain(denied).map(|key| format!("{namespace}: {key}")));
    }
    for pair in &pairs {
        writeln!(out, "{pair}")?;
    }
    if pairs.is_empty() {
        writeln!(out, "No mirror pod has a label that its namespace does not list.")?;
    }
    let remedies: Vec<&ListingRemedy> =
        namespaces.iter().filter_map(|namespace| namespace.remedy.as_ref()).collect();
    if !remedies.is_empty() {
        writeln!(out)?;
    }
    for ListingRemedy { command, .. } in remedies {
        writeln!(out, "{command}")?;
    }
    let has_denied = namespaces.iter().any(|namespace| !namespace.denied.is_empty());
    let about_denied = has_denied.then(|| {
        format!(
            "node-pods denies {} even if a namespace lists it, unless the setting allowedLabels allows its value; remove \
             the label from the static pods",
            DENIED_KEYS.join(", ")
        )
    });
    for note in about_denied.iter().chain(notes) {
        writeln!(out, "\n{}", one_line(note))?;
    }
    Ok(())
}
