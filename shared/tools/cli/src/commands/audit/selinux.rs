//! SELinux levels of a cluster, as text.

use std::collections::BTreeSet;
use std::io::{self, Write};

use report::one_line;
use scan::audit::abbreviated;
use scan::audit::selinux::{
    ChangedObject, ConflictingVolume, DeniedObject, ForeignLevel, Label, MixedVolume, NamespaceLevel,
    ObjectReference, SelinuxFindings, SharedLevel, UnknownVolume, VolumeUse,
};
use serde_json::Value;

use super::counted;

/// Writes a section for each kind of finding, a summary, and notes.
pub(super) fn write(out: &mut dyn Write, findings: &SelinuxFindings) -> io::Result<()> {
    for (title, lines) in [
        ("Namespaces with the same level", findings.collisions.iter().map(shared).collect()),
        ("Levels of other Namespaces", findings.foreign.iter().map(foreign).collect()),
        (
            "Volumes with different labels, whose pods cannot all start on one node since Kubernetes 1.37; give them \
             one label, or seLinuxChangePolicy: Recursive",
            findings.volumes.iter().map(conflicting).collect(),
        ),
        (
            "Volumes with different labels in one pod, which may not start since Kubernetes 1.37; give its containers \
             one label, with a level",
            findings.mixed_volumes.iter().map(mixed).collect(),
        ),
        (
            "Volumes whose pods have different labels, and of which no more is known",
            findings.unknown_volumes.iter().map(unknown).collect(),
        ),
        ("Would be denied", findings.denied.iter().flat_map(denied).collect()),
        ("Would be changed", findings.changed.iter().flat_map(changed).collect::<Vec<String>>()),
    ] {
        if !lines.is_empty() {
            writeln!(out, "{title}:")?;
            for line in lines {
                writeln!(out, "  {}", one_line(&line))?;
            }
            writeln!(out)?;
        }
    }
    if findings.is_empty() {
        writeln!(
            out,
            "No two Namespaces share a level, no pod uses the level of another Namespace, no volume is \
             mounted with different labels, and nothing would be denied or changed."
        )?;
    } else {
        let volumes = findings.volumes.len() + findings.mixed_volumes.len() + findings.unknown_volumes.len();
        let objects: BTreeSet<&str> = findings.foreign.iter().map(|one| one.object.text.as_str()).collect();
        writeln!(
            out,
            "{}, {} with the level of another Namespace, {} with different labels, {} denied, {} changed.",
            counted(findings.collisions.len(), "shared level", "shared levels"),
            counted(objects.len(), "object", "objects"),
            counted(volumes, "volume", "volumes"),
            findings.denied.len(),
            findings.changed.len(),
        )?;
    }
    for note in &findings.notes {
        writeln!(out, "\n{}", one_line(note))?;
    }
    Ok(())
}

/// A shared level and the Namespaces that have it, on one line.
pub(in crate::commands) fn shared(SharedLevel { level, namespaces }: &SharedLevel) -> String {
    let namespace = |one: &NamespaceLevel| format!("{} ({})", one.namespace, one.explanation);
    let namespaces: Vec<String> = namespaces.iter().map(namespace).collect();
    format!("{level}: {}", namespaces.join(", "))
}

fn foreign(ForeignLevel { object, path, level, reaches, equal }: &ForeignLevel) -> String {
    let verb = if *equal { "is" } else { "reaches" };
    let namespaces = abbreviated(reaches.iter().map(String::as_str));
    format!("{}: {path}: {level} {verb} the level of {namespaces}", object.text)
}

fn conflicting(ConflictingVolume { volume, driver, uses, .. }: &ConflictingVolume) -> String {
    let phrase = |VolumeUse { se_linux_options, objects }: &VolumeUse| {
        let objects = abbreviated(objects.iter().map(|object: &ObjectReference| object.text.as_str()));
        format!("{} in {objects}", se_linux_options.as_ref().map_or_else(|| "no label".to_owned(), label))
    };
    let uses: Vec<String> = uses.iter().map(phrase).collect();
    format!("{volume} ({driver}): {}", uses.join("; "))
}

fn mixed(MixedVolume { object, volume, se_linux_options }: &MixedVolume) -> String {
    let labels: Vec<String> = se_linux_options.iter().map(label).collect();
    format!("{}: volume {volume}: {}", object.text, labels.join("; "))
}

fn unknown(UnknownVolume { volume, reason }: &UnknownVolume) -> String {
    format!("{volume}: {reason}")
}

/// The fields of a label that are set, in words.
fn label(label: &Label) -> String {
    let Label { user, role, type_name, level } = label;
    let fields = [("user", user), ("role", role), ("type", type_name), ("level", level)];
    let fields = fields.iter().filter(|(_, value)| !value.is_empty());
    let fields: Vec<String> = fields.map(|(name, value)| format!("{name} {value}")).collect();
    match (fields.is_empty(), level.is_empty()) {
        (true, _) => "no label".to_owned(),
        (false, true) => format!("{} without a level", fields.join(", ")),
        (false, false) => fields.join(", "),
    }
}

fn denied(DeniedObject { object, messages }: &DeniedObject) -> impl Iterator<Item = String> {
    messages.iter().map(|message| format!("{}: {message}", object.text))
}

fn changed(ChangedObject { object, changes }: &ChangedObject) -> impl Iterator<Item = String> {
    changes.iter().map(|(path, value)| match value {
        Value::String(text) => format!("{}: {path}: set to {text}", object.text),
        other => format!("{}: {path}: set to {other}", object.text),
    })
}
