//! The settings of entries. An entry that names something unknown or can never apply is invalid.

use std::fmt::Write as _;

use admission::{Choice, Kind, Node, Setting, SettingsError, advice, choices, nearest};

use super::{Conditions, ContainerPatterns, ExclusionEntry, Exclusions};
use crate::pattern::Pattern;
use crate::pod_security::LevelVersion;
use crate::pod_security::standard::{CHECKS, Check, Field, Revision};
use crate::selector::{SELECTOR, Selector};
use crate::subject::{GROUPS, USERS, groups, users};
use crate::view::ContainerKind;

choices! {
    /// The kinds of containers, as entries name them.
    pub enum Kinds {
        /// `containers`.
        Container,
        /// `initContainers`.
        Init,
        /// `ephemeralContainers`.
        Ephemeral,
    }
}

/// The keys of an entry.
pub(in crate::pod_security) const ENTRY: &[Setting] = &[
    Setting::new("controlName", Kind::Text),
    Setting::new("images", TEXTS),
    Setting::new("restrictedField", Kind::Text),
    Setting::new("values", TEXTS),
    Setting::new("containers", TEXTS),
    Setting::new("containerKinds", Kind::List(&Kind::Choice(Kinds::NAMES))),
    Setting::new("podSelector", Kind::Object(SELECTOR)),
    Setting::new("namespaces", TEXTS),
    Setting::new("namespaceSelector", Kind::Object(SELECTOR)),
    Setting::new("serviceAccounts", TEXTS),
    Setting::new("runtimeClasses", TEXTS),
    USERS,
    GROUPS,
];

const TEXTS: Kind = Kind::List(&Kind::Text);

/// The standards that pods are judged by, or `None` if the labels of Namespaces select them.
pub(in crate::pod_security) type Standards<'a> = Option<Vec<&'a LevelVersion>>;

/// Reads the entries.
///
/// # Errors
/// When an entry is invalid.
pub(in crate::pod_security) fn read(
    setting: Node<'_>,
    standards: &Standards<'_>,
) -> Result<Exclusions, SettingsError> {
    let mut entries = Vec::new();
    for entry in setting.items()? {
        entries.push(read_entry(entry, standards)?);
    }
    Ok(Exclusions(entries))
}

fn read_entry(entry: Node<'_>, standards: &Standards<'_>) -> Result<ExclusionEntry, SettingsError> {
    let control = entry.at("controlName");
    let Some(name) = control.text()? else {
        return Err(SettingsError::at(control, "is missing; name a control, such as Capabilities"));
    };
    let checks = named(control, name)?;
    let revisions = revisions(&checks, standards);
    if revisions.is_empty() {
        let mut problem = "is not checked at ".to_owned();
        for (index, standard) in standards.iter().flatten().enumerate() {
            let separator = if index == 0 { "" } else { " or " };
            // Writing to a string does not fail.
            let _ = write!(problem, "{separator}{standard}");
        }
        problem.push_str(", so the entry has no effect; remove it, or change level or version");
        return Err(SettingsError::about(control, name, &problem));
    }
    let fields: Vec<Field> =
        revisions.iter().flat_map(|revision| revision.rules).map(|rule| rule.field).collect();
    let containers = containers(entry)?;
    check_scope(entry, name, &containers, &fields)?;
    let field = restricted_field(entry, &containers, &fields)?;
    Ok(ExclusionEntry {
        checks,
        containers,
        field,
        values: patterns(entry.at("values"))?,
        conditions: Conditions {
            pod_selector: selector(entry.at("podSelector"))?,
            namespaces: name_patterns(entry.at("namespaces"), &|name| is_pattern_of_label(name))?,
            namespace_selector: selector(entry.at("namespaceSelector"))?,
            service_accounts: name_patterns(entry.at("serviceAccounts"), &|account| {
                match account.split_once('/') {
                    Some((namespace, name)) => {
                        is_pattern_of_label(namespace) && is_pattern_of_subdomain(name)
                    }
                    // A star can also stand for the slash.
                    None => account.contains('*') && is_pattern_of_subdomain(account),
                }
            })?,
            runtime_classes: name_patterns(entry.at("runtimeClasses"), &|name| {
                is_pattern_of_subdomain(name)
            })?,
            users: some(entry.at("users"), users)?,
            groups: some(entry.at("groups"), groups)?,
        },
    })
}

/// Returns the checks of a control by its name in the standards, or one check by its id.
fn named(setting: Node<'_>, name: &str) -> Result<Vec<&'static Check>, SettingsError> {
    // The standards have renamed this control. Older documents use the first name.
    let wanted = if name == "Volumes" { "Volume Types" } else { name };
    let checks: Vec<&Check> =
        CHECKS.iter().filter(|check| check.control == wanted || check.id == wanted).collect();
    if !checks.is_empty() {
        return Ok(checks);
    }
    let mut known: Vec<&str> = Vec::new();
    for check in CHECKS {
        if !known.contains(&check.control) {
            known.push(check.control);
        }
    }
    // Ids resemble each other, so names are suggested first.
    let ids: Vec<&str> = CHECKS.iter().map(|check| check.id).collect();
    let problem = match (nearest(name, &known), nearest(name, &ids)) {
        (None, Some(_)) => advice("is not a control of the Pod Security Standards", name, &ids),
        _ => advice("is not a control of the Pod Security Standards", name, &known),
    };
    Err(SettingsError::about(setting, name, &problem))
}

/// Returns the revisions of the checks that run at the standards.
fn revisions(checks: &[&'static Check], standards: &Standards<'_>) -> Vec<&'static Revision> {
    let mut revisions = Vec::new();
    for check in checks {
        match standards {
            None => revisions.extend(check.revisions),
            Some(standards) => {
                let including = standards.iter().filter(|standard| check.level <= standard.level);
                revisions.extend(including.filter_map(|standard| check.at(standard.version.minor())));
            }
        }
    }
    revisions
}

fn containers(entry: Node<'_>) -> Result<ContainerPatterns, SettingsError> {
    let mut kinds = Vec::new();
    for kind in entry.at("containerKinds").items()? {
        kinds.push(match Kinds::read(kind)? {
            Kinds::Container => ContainerKind::Container,
            Kinds::Init => ContainerKind::Init,
            Kinds::Ephemeral => ContainerKind::Ephemeral,
        });
    }
    let images =
        name_patterns(entry.at("images"), &|image| !image.bytes().any(|byte| byte.is_ascii_whitespace()))?;
    let names = name_patterns(entry.at("containers"), &|name| is_pattern_of_label(name))?;
    Ok(ContainerPatterns { images, names, kinds })
}

/// Checks that an entry that names containers has a control with fields of containers, and that any
/// other entry has a control with fields of the pod.
fn check_scope(
    entry: Node<'_>,
    control: &str,
    containers: &ContainerPatterns,
    fields: &[Field],
) -> Result<(), SettingsError> {
    let of_containers = fields.iter().any(|field| field.is_of_containers());
    let of_pod = fields.iter().any(|field| !field.is_of_containers());
    if containers.are_named() && !of_containers {
        for name in ["images", "containers", "containerKinds"] {
            if entry.at(name).items()?.next().is_some() {
                let problem = "restricts the pod and not its containers; remove this key, or narrow the entry with podSelector, namespaces or serviceAccounts";
                return Err(SettingsError::at(entry.at(name), &joined(control, problem)));
            }
        }
    }
    if !containers.are_named() && !of_pod {
        let problem =
            "restricts containers, but the entry names none; add images, such as [\"*\"] for all containers";
        return Err(SettingsError::at(entry.at("images"), &joined(control, problem)));
    }
    Ok(())
}

/// Reads the field of an entry. The control must restrict it, and the entry must list values.
fn restricted_field(
    entry: Node<'_>,
    containers: &ContainerPatterns,
    fields: &[Field],
) -> Result<Option<String>, SettingsError> {
    let (setting, values) = (entry.at("restrictedField"), entry.at("values"));
    let has_values = values.items()?.next().is_some();
    let Some(field) = setting.filled_text()? else {
        return if has_values {
            Err(SettingsError::at(setting, "is missing; name the field that has the values"))
        } else {
            Ok(None)
        };
    };
    if !has_values {
        return Err(SettingsError::at(values, "is missing; list the values that the field may have"));
    }
    let mut known: Vec<String> = Vec::new();
    for restricted in fields {
        // The entry is either about containers or about the pod.
        if restricted.is_of_containers() != containers.are_named() {
            continue;
        }
        if let Field::Annotations(prefix) | Field::ContainerAnnotations(prefix) = restricted {
            let mut start = "metadata.annotations[".to_owned();
            start.push_str(prefix);
            let name = field.strip_prefix(&start).and_then(|rest| rest.strip_suffix(']'));
            if name.is_some_and(|name| !name.is_empty() && is_pattern_of_label(name)) {
                return Ok(Some(field.to_owned()));
            }
        }
        match restricted {
            Field::Container(..) if !containers.kinds.is_empty() => {
                known.extend(containers.kinds.iter().map(|kind| restricted.path_in(*kind)));
            }
            _ => known.append(&mut restricted.paths()),
        }
    }
    if known.iter().any(|known| known == field) {
        return Ok(Some(field.to_owned()));
    }
    let mut distinct: Vec<&str> = Vec::new();
    for known in &known {
        if !distinct.contains(&known.as_str()) {
            distinct.push(known);
        }
    }
    let complaint = if containers.are_named() {
        "is not a field of these containers that the control restricts"
    } else {
        "is not a field of the pod that the control restricts"
    };
    Err(SettingsError::about(setting, field, &advice(complaint, field, &distinct)))
}

/// Reads a selector. An empty one is not a condition, as it selects everything.
fn selector(setting: Node<'_>) -> Result<Option<Selector>, SettingsError> {
    let labels = setting.at("matchLabels").fields()?.next().is_some();
    let expressions = setting.at("matchExpressions").items()?.next().is_some();
    if labels || expressions { Selector::read(setting) } else { Ok(None) }
}

/// Reads a list. An empty one is not a condition.
fn some(
    setting: Node<'_>,
    read: fn(Node<'_>) -> Result<Vec<String>, SettingsError>,
) -> Result<Vec<String>, SettingsError> {
    if setting.items()?.next().is_some() { read(setting) } else { Ok(Vec::new()) }
}

fn patterns(setting: Node<'_>) -> Result<Vec<Pattern>, SettingsError> {
    Ok(setting.texts()?.into_iter().map(|(_, text)| Pattern::of(text)).collect())
}

/// Reads patterns of names, each of which must be able to match a name.
fn name_patterns(
    setting: Node<'_>,
    is_possible: &dyn Fn(&str) -> bool,
) -> Result<Vec<Pattern>, SettingsError> {
    for (item, text) in setting.texts()? {
        if text.is_empty() || !is_possible(text) {
            return Err(SettingsError::about(
                item,
                text,
                "cannot match any valid name; correct or remove it",
            ));
        }
    }
    patterns(setting)
}

/// Whether a pattern can match an RFC 1123 label.
fn is_pattern_of_label(pattern: &str) -> bool {
    is_pattern_of_subdomain(pattern) && !pattern.contains('.')
}

/// Whether a pattern can match an RFC 1123 subdomain.
fn is_pattern_of_subdomain(pattern: &str) -> bool {
    !pattern.is_empty()
        && pattern
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-.*?".contains(&byte))
}

fn joined(name: &str, problem: &str) -> String {
    let mut text = admission::Quoted(name).to_string();
    text.push(' ');
    text.push_str(problem);
    text
}
