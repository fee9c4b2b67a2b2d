//! The settings of entries. An entry that names something unknown or can never apply is invalid.

use std::fmt::Write as _;

use admission::{Kind, Node, Setting, SettingsError, advice, nearest};

use super::{ExclusionEntry, Exclusions};
use crate::conditions::{self, ContainerConditions, PodConditions, is_pattern_of_label};
use crate::pattern::Patterns;
use crate::pod_security::LevelVersion;
use crate::pod_security::standard::{CHECKS, Check, Field, Revision};

pub(in crate::pod_security) const ENTRY: &[Setting] = &[
    Setting::new("controlName", Kind::Text),
    conditions::IMAGES,
    Setting::new("restrictedField", Kind::Text),
    Setting::new("values", Kind::List(&Kind::Text)),
    Setting::new("readOnly", Kind::Flag),
    conditions::CONTAINERS,
    conditions::CONTAINER_KINDS,
    conditions::POD_SELECTOR,
    conditions::NAMESPACES,
    conditions::NAMESPACE_SELECTOR,
    conditions::SERVICE_ACCOUNTS,
    conditions::RUNTIME_CLASSES,
    conditions::WORKLOADS,
    conditions::USERS,
    conditions::GROUPS,
];

/// The standards that pods are evaluated against, or `None` if the labels of Namespaces select
/// them.
pub(in crate::pod_security) type Standards<'a> = Option<Vec<&'a LevelVersion>>;

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
    let containers = ContainerConditions::read(entry)?;
    check_scope(entry, name, &containers, &fields)?;
    let read_only = entry.at("readOnly");
    let is_read_only = read_only.boolean()? == Some(true);
    if is_read_only && !fields.iter().all(|field| matches!(field, Field::Volume(_) | Field::VolumeSource(_)))
    {
        return Err(SettingsError::at(
            read_only,
            &joined(name, "does not restrict volumes; remove this key"),
        ));
    }
    let field = restricted_field(entry, &containers, &fields)?;
    Ok(ExclusionEntry {
        checks,
        containers,
        field,
        read_only: is_read_only,
        values: patterns(entry.at("values"))?,
        conditions: PodConditions::read(entry)?,
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

/// Checks that an entry that names containers has a control with fields of containers, and that any
/// other entry has a control with fields of the pod.
fn check_scope(
    entry: Node<'_>,
    control: &str,
    containers: &ContainerConditions,
    fields: &[Field],
) -> Result<(), SettingsError> {
    let of_containers = fields.iter().any(|field| field.is_of_containers());
    let of_pod = fields.iter().any(|field| !field.is_of_containers());
    if !containers.are_empty() && !of_containers {
        for name in ["images", "containers", "containerKinds"] {
            if entry.at(name).items()?.next().is_some() {
                let problem = "restricts the pod and not its containers; remove this key, or narrow the entry with podSelector, namespaces or serviceAccounts";
                return Err(SettingsError::at(entry.at(name), &joined(control, problem)));
            }
        }
    }
    if containers.are_empty() && !of_pod {
        let problem =
            "restricts containers, but the entry names none; add images, such as [\"*\"] for all containers";
        return Err(SettingsError::at(entry.at("images"), &joined(control, problem)));
    }
    Ok(())
}

/// Reads the field of an entry. The control must restrict it, and the entry must list values.
fn restricted_field(
    entry: Node<'_>,
    containers: &ContainerConditions,
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
        if restricted.is_of_containers() == containers.are_empty() {
            continue;
        }
        if let Field::Annotations(prefix) | Field::ContainerAnnotations(prefix) = restricted {
            let mut start = "metadata.annotations[".to_owned();
            start.push_str(prefix);
            let name = field.strip_prefix(&start).and_then(|rest| rest.strip_suffix(']'));
            // In a name, `*` stands for digits.
            if name.is_some_and(|name| !name.contains('?') && is_pattern_of_label(name)) {
                return Ok(Some(field.to_owned()));
            }
        }
        match restricted {
            Field::Container(..) if !containers.kinds().is_empty() => {
                known.extend(containers.kinds().iter().map(|kind| restricted.path_in(*kind)));
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
    let complaint = if containers.are_empty() {
        "is not a field of the pod that the control restricts"
    } else {
        "is not a field of these containers that the control restricts"
    };
    Err(SettingsError::about(setting, field, &advice(complaint, field, &distinct)))
}

fn patterns(setting: Node<'_>) -> Result<Patterns, SettingsError> {
    let texts: Vec<&str> = setting.texts()?.into_iter().map(|(_, text)| text).collect();
    Ok(Patterns::of(&texts))
}

fn joined(name: &str, problem: &str) -> String {
    let mut text = admission::Quoted(name).to_string();
    text.push(' ');
    text.push_str(problem);
    text
}
