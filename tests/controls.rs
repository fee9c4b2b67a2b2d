//! The documented controls and the headers of the checks say what the checks do.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;

use rules::pod_security::Level;
use rules::pod_security::standard::{Allowed, CHECKS, Check, Exception, Field, FieldRule, Revision, Unset};
use tests::root;

const START: &str = "<!-- controls: written by `./justw bless` -->\n";
const END: &str = "<!-- end of controls -->";

#[test]
fn documented_controls_match_the_checks() {
    let mut tables = String::new();
    for (level, title) in [(Level::Baseline, "Baseline"), (Level::Restricted, "Restricted")] {
        write!(
            tables,
            "\n## {title}\n\n\
             | Control | Check | Since | Restricted fields | Allowed values |\n|---|---|---|---|---|\n"
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
    if tests::blesses() {
        fs::write(&path, format!("{before}{START}{tables}{END}{after}")).unwrap();
    } else {
        assert_eq!(old, tables, "docs/pod-security-controls.md is out of date; run ./justw bless");
    }
}

/// Compares words, so that lines may be wrapped anywhere.
#[test]
fn headers_of_the_checks_match_their_data() {
    let folder = root().join("shared/module/rules/src/pod_security/standard");
    let mut files: BTreeSet<String> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name != "mod.rs" && name != "tests.rs")
        .collect();
    for check in CHECKS {
        let name = format!("{}.rs", snake_case(check.id));
        assert!(files.remove(&name), "{name} is missing");
        let text = fs::read_to_string(folder.join(&name)).unwrap();
        let header = text.lines().map_while(|line| line.strip_prefix("//!"));
        let header = header.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ");
        let facts = facts(check);
        assert!(header.contains(&facts), "the header of {name} does not say\n{facts}");
        // One file upstream spells its name with another capital.
        let source = format!("Source: `policy/check_{}.go` in k8s.io/pod-security-admission, ", check.id);
        assert!(
            header.to_lowercase().contains(&source.to_lowercase()),
            "the header of {name} does not say\n{source}"
        );
        assert!(
            header.ends_with("<https://kubernetes.io/docs/concepts/security/pod-security-standards/>"),
            "the header of {name} does not end with the link to the standards"
        );
    }
    assert_eq!(files, BTreeSet::new(), "files without a check");
}

fn snake_case(id: &str) -> String {
    let mut name = String::new();
    for c in id.chars() {
        if c.is_ascii_uppercase() {
            name.push('_');
        }
        name.push(c.to_ascii_lowercase());
    }
    name
}

/// Returns the facts of a check as the header of its file lists them, with single spaces.
fn facts(check: &Check) -> String {
    let mut text = format!("**Control:** `{}`, level `{}`", check.control, check.level.name());
    if let Some(stricter) = check.superseded_by {
        write!(text, ", superseded by `{}` at `{}`", stricter.id, stricter.level.name()).unwrap();
    }
    for (since, change) in changes(check) {
        write!(text, " **Since v1.{since}**").unwrap();
        match change {
            Change::Fields(groups) => {
                for (fields, allowed) in groups {
                    text.push_str(" Restricted fields:");
                    for field in fields {
                        write!(text, " - {field}").unwrap();
                    }
                    write!(text, " Allowed values: {allowed}").unwrap();
                }
            }
            Change::Values(added) => write!(text, " Allowed values: {added}").unwrap(),
            Change::Exception(exception) => write!(text, " {exception}").unwrap(),
        }
    }
    text
}

/// Adds the rows of a check: for each revision, one for each group of fields, or one for what the
/// revision changes.
fn rows(check: &Check, table: &mut String) {
    let mut row = |control: &str, id: &str, since: &str, fields: &str, allowed: &str| {
        writeln!(table, "| {control} | {id} | {since} | {fields} | {allowed} |").unwrap();
    };
    let mut start = (check.control, format!("`{}`", check.id));
    for (since, change) in changes(check) {
        let mut since = format!("v1.{since}");
        match change {
            Change::Fields(groups) => {
                for (fields, allowed) in groups {
                    row(start.0, &start.1, &since, &fields.join("<br>"), &allowed);
                    start = ("", String::new());
                    since.clear();
                }
            }
            Change::Values(change) | Change::Exception(change) => row("", "", &since, "", &change),
        }
    }
    if let Some(stricter) = check.superseded_by {
        row("", "", "", "", &format!("superseded by `{}` at `{}`", stricter.id, stricter.level.name()));
    }
}

/// The difference between a revision and the one before it.
enum Change {
    /// All fields, in groups with the same allowed values.
    Fields(Vec<(Vec<String>, String)>),
    /// The allowed values of the same fields.
    Values(String),
    /// The pods to which the same rules apply.
    Exception(String),
}

/// Returns the change of each revision, with its minor version.
fn changes(check: &Check) -> Vec<(u8, Change)> {
    let mut changes = Vec::new();
    let mut before: Option<&Revision> = None;
    for revision in check.revisions {
        let exception = revision.unless.map(|exception| match exception {
            Exception::Windows => "Not checked for pods with `spec.os.name: windows`",
            Exception::UserNamespace => "Not checked for pods with `spec.hostUsers: false`",
        });
        let change = match (before.and_then(|before| added(before, revision)), exception) {
            (Some(_), Some(exception)) => Change::Exception(exception.to_owned()),
            (Some(added), None) => Change::Values(added),
            (None, None) => Change::Fields(groups(revision)),
            (None, Some(_)) => panic!("{}: a table has no row for new fields with an exception", check.id),
        };
        changes.push((revision.since, change));
        before = Some(revision);
    }
    changes
}

/// Returns the fields of a revision, in groups with the same allowed values.
fn groups(revision: &Revision) -> Vec<(Vec<String>, String)> {
    let mut groups: Vec<(Vec<String>, String)> = Vec::new();
    for rule in revision.rules {
        let (field, allowed) = (field(rule), allowed(rule));
        match groups.iter_mut().find(|(_, known)| *known == allowed) {
            Some((fields, _)) => fields.push(field),
            None => groups.push((vec![field], allowed)),
        }
    }
    groups
}

/// Returns the field of a rule, with `container` for the containers of all three lists.
fn field(rule: &FieldRule) -> String {
    let paths = rule.field.paths();
    match rule.field {
        Field::Container(..) => format!("`{}`", paths[1].replace("spec.containers[*]", "container")),
        Field::VolumeSource(_) => "`spec.volumes[*].*`".to_owned(),
        _ => format!("`{}`", paths[0]),
    }
}

fn allowed(rule: &FieldRule) -> String {
    let (values, empty) = match rule.allowed {
        Allowed::Except(value) => (format!("any value except `{value}`"), ""),
        Allowed::Dropping(value) => (format!("a list that contains `{value}`"), ""),
        Allowed::Only([]) => return "none; must be unset".to_owned(),
        Allowed::Only([""]) => return "none; must be unset or empty".to_owned(),
        Allowed::Only(values) => (list(values), if values.contains(&"") { " or empty" } else { "" }),
    };
    match rule.unset {
        // A volume without a source is an `emptyDir`.
        _ if matches!(rule.field, Field::VolumeSource(_)) => values,
        Unset::Allowed => format!("{values}; may be unset{empty}"),
        Unset::Refused => values,
        Unset::LeftToPod | Unset::Inherited => format!("{values}; may be unset if the pod sets it"),
    }
}

fn list(values: &[&str]) -> String {
    let values = values.iter().filter(|value| !value.is_empty());
    values.map(|value| format!("`{value}`")).collect::<Vec<_>>().join(", ")
}

/// Returns the values that a revision adds to the one before, or `None` if the fields differ.
fn added(before: &Revision, revision: &Revision) -> Option<String> {
    let fields = |revision: &Revision| revision.rules.iter().map(field).collect::<Vec<_>>();
    if fields(before) != fields(revision) {
        return None;
    }
    let (known, now) = (values(before), values(revision));
    assert!(known.iter().all(|value| now.contains(value)), "a table has no row for removed values");
    let new: Vec<&str> = now.into_iter().filter(|value| !known.contains(value)).collect();
    Some(format!("also {}", list(&new)))
}

/// Returns the distinct values that the rules of a revision list, in order.
fn values(revision: &Revision) -> Vec<&'static str> {
    let mut distinct = Vec::new();
    let lists = revision.rules.iter().filter_map(|rule| match rule.allowed {
        Allowed::Only(values) => Some(values),
        Allowed::Except(_) | Allowed::Dropping(_) => None,
    });
    for value in lists.flatten() {
        if !distinct.contains(value) {
            distinct.push(*value);
        }
    }
    distinct
}
