//! The table of controls in the documentation says what the registry says.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;

use rules::pod_security::Level;
use rules::pod_security::standard::{Allows, CHECKS, Check, Exception, Field, FieldRule, Revision, Unset};
use tests::root;

const START: &str = "<!-- controls: written by `./justw bless` -->\n";
const END: &str = "<!-- end of controls -->";

#[test]
fn the_documented_controls_are_those_of_the_registry() {
    let mut tables = String::new();
    for (level, title) in [(Level::Baseline, "Baseline"), (Level::Restricted, "Restricted")] {
        write!(
            tables,
            "\n## {title}\n\n| control | check | since | reads | allows |\n|---|---|---|---|---|\n"
        )
        .unwrap();
        for check in CHECKS.iter().filter(|check| check.level == level) {
            rows(check, &mut tables);
        }
    }
    tables.push('\n');
    let path = root().join("docs/pod-security-controls.md");
    let page = fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once(START).unwrap();
    let (old, after) = rest.split_once(END).unwrap();
    if harness::bless::is_wanted() {
        fs::write(&path, format!("{before}{START}{tables}{END}{after}")).unwrap();
    } else {
        assert_eq!(old, tables, "docs/pod-security-controls.md is not current; run ./justw bless");
    }
}

/// Rows for each revision, one for fields of which the same is allowed; of a later revision what is new.
fn rows(check: &Check, table: &mut String) {
    let mut row = |control: &str, id: &str, since: &str, reads: &str, allows: &str| {
        writeln!(table, "| {control} | {id} | {since} | {reads} | {allows} |").unwrap();
    };
    let mut before: Option<&Revision> = None;
    for revision in check.revisions {
        let since = format!("v1.{}", revision.since);
        let exception = revision.unless.map(|exception| match exception {
            Exception::Windows => "anything in pods with `spec.os.name: windows`",
            Exception::UserNamespace => "anything in pods with `spec.hostUsers: false`",
        });
        if let Some(added) = before.and_then(|before| added(before, revision)) {
            row("", "", &since, "", exception.unwrap_or(&added));
        } else {
            assert_eq!(exception, None, "a first revision with an exception: say it in the table");
            let id = if before.is_none() { format!("`{}`", check.id) } else { String::new() };
            let mut starts = (if before.is_none() { check.control } else { "" }, id, since);
            for (reads, allows) in groups(revision) {
                row(starts.0, &starts.1, &starts.2, &reads, &allows);
                starts = ("", String::new(), String::new());
            }
        }
        before = Some(revision);
    }
    if let Some(stricter) = check.replaced_by {
        row("", "", "", "", &format!("at `restricted` see `{}`", stricter.id));
    }
}

/// The fields of a revision and what is allowed in them, those together that allow the same.
fn groups(revision: &Revision) -> Vec<(String, String)> {
    let mut groups: Vec<(String, String)> = Vec::new();
    for rule in revision.rules {
        let (reads, allows) = (field(rule), allowed(rule));
        match groups.iter_mut().find(|(_, known)| *known == allows) {
            Some((fields, _)) => write!(fields, "<br>{reads}").unwrap(),
            None => groups.push((reads, allows)),
        }
    }
    groups
}

/// The field of a rule, that of the three lists of containers as one.
fn field(rule: &FieldRule) -> String {
    let written = rule.field.written();
    match rule.field {
        Field::Container(..) => format!("`{}`", written[1].replace("spec.containers[*]", "container")),
        Field::VolumeSource(_) => "`spec.volumes[*].*`".to_owned(),
        _ => format!("`{}`", written[0]),
    }
}

fn allowed(rule: &FieldRule) -> String {
    let list = |values: &[&str]| {
        let values = values.iter().filter(|value| !value.is_empty());
        values.map(|value| format!("`{value}`")).collect::<Vec<_>>().join(", ")
    };
    let values = match rule.allows {
        Allows::Not(value) => format!("all but `{value}`"),
        Allows::With(value) => format!("a list with `{value}`"),
        Allows::Only([] | [""]) => return "nothing".to_owned(),
        Allows::Only(values) => list(values),
    };
    match rule.unset {
        // A volume without a source is an emptyDir.
        _ if matches!(rule.field, Field::VolumeSource(_)) => values,
        Unset::Allowed => format!("{values}, or unset"),
        Unset::Refused => values,
        Unset::LeftToPod => format!("{values}, or unset if the pod has it"),
    }
}

/// The values that a revision adds to the one before, where it differs in nothing else but whom it is about.
fn added(before: &Revision, revision: &Revision) -> Option<String> {
    let fields = |revision: &Revision| revision.rules.iter().map(field).collect::<Vec<_>>();
    if fields(before) != fields(revision) {
        return None;
    }
    let values = |revision: &Revision| -> BTreeSet<&str> {
        let lists = revision.rules.iter().filter_map(|rule| match rule.allows {
            Allows::Only(values) => Some(values),
            Allows::Not(_) | Allows::With(_) => None,
        });
        lists.flatten().copied().collect()
    };
    let (known, now) = (values(before), values(revision));
    assert!(known.is_subset(&now), "a revision takes something away: say it in the table");
    let new: Vec<String> = now.difference(&known).map(|value| format!("`{value}`")).collect();
    Some(format!("also {}", new.join(", ")))
}
