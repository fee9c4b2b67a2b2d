//! The report on a pod at one standard: the violations of a denial, and the findings for warnings
//! and audit annotations.

use admission::{Fault, Json, ObjectWriter, Quoted, Remedy, Violation, Violations};

use super::finding::{Finding, Problem, RefusedValue, Subject, UnsetField};
use super::standard::{Allowed, Check, Field, FieldRule, ValueType};
use super::{LevelVersion, Modes, WOULD_VIOLATE};
use crate::summary::within;
use crate::view::ContainerKind;

#[derive(Debug)]
pub(super) struct Report<'d> {
    pub(super) standard: LevelVersion,
    pub(super) modes: Modes,
    /// The violations of an enforced standard.
    pub(super) violations: Violations<'d>,
    groups: Vec<FindingGroup<'d>>,
}

/// A remedy in addition to that of the rule: what an entry lacks to cover the violation.
#[derive(Clone, Copy, Debug)]
pub(super) enum Hint {
    None,
    /// All mounts of the volume have to be read-only.
    ReadOnly,
    /// The entry with this number names users or groups, and a controller created the pod.
    OtherUsers(usize),
}

/// The findings of one rule in one list of containers, all violations or all excluded by one entry.
#[derive(Debug)]
struct FindingGroup<'d> {
    check: &'static Check,
    rule: &'static FieldRule,
    rule_number: usize,
    kind: Option<ContainerKind>,
    source: Option<&'d str>,
    /// The number of the entry that excludes the findings.
    entry: Option<usize>,
    images: Vec<&'d str>,
    /// The names of containers, volumes or sysctls.
    names: Vec<&'d str>,
    /// The number of further names.
    more: usize,
}

/// The most names and the most images that a group lists.
const LISTED: usize = 16;

/// The longest image reference that a group lists. A name has at most 255 characters, a tag 128.
const LONGEST_IMAGE: usize = 512;

/// The longest name of a container, a volume or a sysctl that a group lists.
const LONGEST_NAME: usize = 253;

/// The longest part of the audit annotation `audit-violations` about one check, in bytes. The parts
/// of all checks fit into an annotation.
const LONGEST_OF_CHECK: usize = 400;

impl<'d> Report<'d> {
    pub(super) fn new(standard: LevelVersion, modes: Modes) -> Self {
        Self { standard, modes, violations: Violations::default(), groups: Vec::new() }
    }

    /// Adds a finding that no entry excludes.
    pub(super) fn add_violation(&mut self, finding: &Finding<'d>, hint: Hint) -> Result<(), Fault> {
        self.add_to_group(finding, None)?;
        if self.modes.enforce {
            add_violations(&mut self.violations, finding, hint)?;
        }
        Ok(())
    }

    pub(super) fn add_excluded(&mut self, finding: &Finding<'d>, entry: usize) -> Result<(), Fault> {
        self.add_to_group(finding, Some(entry))
    }

    fn add_to_group(&mut self, finding: &Finding<'d>, entry: Option<usize>) -> Result<(), Fault> {
        let number = self.group(finding, entry);
        let Some(group) = self.groups.get_mut(number) else { return Ok(()) };
        if let Subject::Container(container) = finding.subject {
            let image = container.image()?;
            let is_listed = image.len() <= LONGEST_IMAGE && group.images.len() < LISTED;
            if is_listed && !group.images.contains(&image) {
                group.images.push(image);
            }
        }
        let name = match (finding.subject, &finding.problem, finding.rule.field) {
            // Sysctls are a list of the pod, so they are named by their values.
            (Subject::Pod, Problem::Values(values), Field::PodSecurityContext(["sysctls", ..])) => {
                values.first().map_or(Ok(""), |refused| refused.at.text().map(Option::unwrap_or_default))?
            }
            (subject, ..) => subject.name()?,
        };
        if name.is_empty() || group.names.contains(&name) {
            return Ok(());
        }
        if name.len() <= LONGEST_NAME && group.names.len() < LISTED {
            group.names.push(name);
        } else {
            group.more = group.more.saturating_add(1);
        }
        Ok(())
    }

    /// Returns the number of the finding's group, which is added if there is none.
    fn group(&mut self, finding: &Finding<'d>, entry: Option<usize>) -> usize {
        let Finding { check, rule, rule_number, subject, .. } = *finding;
        let kind = subject.kind();
        // A pod may have any number of annotations, so their keys do not form groups.
        let source = if matches!(rule.field, Field::VolumeSource(_)) { finding.name } else { None };
        let is_same = |group: &FindingGroup<'_>| {
            group.entry == entry
                && group.rule_number == rule_number
                && group.kind == kind
                && group.check.id == check.id
                && group.source == source
        };
        if let Some(known) = self.groups.iter().position(is_same) {
            return known;
        }
        let (images, names) = (Vec::new(), Vec::new());
        self.groups.push(FindingGroup {
            check,
            rule,
            rule_number,
            kind,
            source,
            entry,
            images,
            names,
            more: 0,
        });
        self.groups.len().saturating_sub(1)
    }

    pub(super) fn has_violations(&self) -> bool {
        self.groups.iter().any(|group| group.entry.is_none())
    }

    /// Returns the controls that are violated, each once.
    pub(super) fn violated_controls(&self) -> Vec<&'static str> {
        let mut controls: Vec<&str> = Vec::new();
        for group in self.groups.iter().filter(|group| group.entry.is_none()) {
            if !controls.contains(&group.check.control) {
                controls.push(group.check.control);
            }
        }
        controls
    }

    /// Returns the violations as lines, one for each check, that start with a text and list the
    /// names of containers, volumes or sysctls, or the fields. A line is at most `longest` bytes
    /// long where the names permit it.
    pub(super) fn lines(&self, start: &str, longest: usize) -> Vec<String> {
        let mut lines = Vec::new();
        let violations = || self.groups.iter().filter(|group| group.entry.is_none());
        let mut last = "";
        for FindingGroup { check, .. } in violations() {
            if last == check.id {
                continue;
            }
            last = check.id;
            let mut what = start.to_owned();
            what.push_str(check.control);
            let mut items: Vec<String> = Vec::new();
            let mut more = 0_usize;
            for group in violations().filter(|group| group.check.id == check.id) {
                more = more.saturating_add(group.more);
                let names = group.names.iter().map(|name| (*name).to_owned());
                let fields = if group.names.is_empty() { Some(group.short_field()) } else { None };
                for item in names.chain(fields) {
                    if !items.contains(&item) {
                        items.push(item);
                    }
                }
            }
            let items: Vec<&str> = items.iter().map(String::as_str).collect();
            lines.push(within(longest, &what, &items, more));
        }
        lines
    }

    /// Returns the start of a line: `would violate PodSecurity "restricted:latest": `.
    pub(super) fn start(&self) -> String {
        let mut start = WOULD_VIOLATE.to_owned();
        start.push('"');
        start.push_str(&self.standard.to_string());
        start.push_str("\": ");
        start
    }

    /// Returns all lines as one, for the audit annotation `audit-violations`.
    pub(super) fn audit_line(&self) -> String {
        let mut line = self.start();
        for (index, violation) in self.lines("", LONGEST_OF_CHECK).into_iter().enumerate() {
            line.push_str(if index == 0 { "" } else { "; " });
            line.push_str(&violation);
        }
        line
    }

    /// Adds the elements of the audit annotation `controls`, one for each group.
    pub(super) fn controls(&self, controls: &mut Vec<Json>) {
        for group in &self.groups {
            let outcome = if group.entry.is_some() { "excluded" } else { "violated" };
            let images: Vec<String> = group.images.iter().map(|image| (*image).to_owned()).collect();
            let mut control = ObjectWriter::new()
                .text("outcome", outcome)
                .texts("modes", &self.modes.names())
                .text("id", group.check.id)
                .text("controlName", group.check.control)
                .text("restrictedField", &group.field())
                .texts("images", &images);
            if let Some(entry) = group.entry {
                control = control.raw("entry", &entry.to_string());
            }
            controls.push(control.into());
        }
    }
}

impl FindingGroup<'_> {
    /// Returns the path of the field, without the keys of annotations, which are too long for a
    /// warning.
    fn short_field(&self) -> String {
        match self.rule.field {
            Field::Annotation(_) | Field::Annotations(_) | Field::ContainerAnnotations(_) => {
                "metadata.annotations".to_owned()
            }
            _ => self.field(),
        }
    }

    fn field(&self) -> String {
        match (self.kind, self.source) {
            (Some(kind), _) => self.rule.field.path_in(kind),
            (None, Some(source)) => Field::path_of_source(source),
            (None, None) => self.rule.field.paths().into_iter().next().unwrap_or_default(),
        }
    }
}

/// Adds the violations of a finding: one for each refused value, or one for an unset field or a
/// list without a required value. Every violation of the policy is created here.
fn add_violations<'d>(
    violations: &mut Violations<'d>,
    finding: &Finding<'d>,
    hint: Hint,
) -> Result<(), Fault> {
    let Finding { check, rule: FieldRule { field, remedy, value_type, .. }, problem, .. } = finding;
    if violations.are_full() {
        // Paths and texts that no message lists would only take memory.
        match problem {
            Problem::Values(values) => values.iter().for_each(|_| violations.count(check.id)),
            Problem::Unset(_) | Problem::Lacking(..) => violations.count(check.id),
        }
        return Ok(());
    }
    let rule = rule_text(finding)?;
    let remedy_of = |remedy: &Remedy<&'static str>| {
        let mut remedy: Remedy = (*remedy).into();
        match hint {
            Hint::None => {}
            Hint::ReadOnly => {
                remedy.words.to_mut().push_str(", or set readOnly: true in every mount of the volume");
            }
            Hint::OtherUsers(entry) => {
                let words = remedy.words.to_mut();
                words.push_str(", or write serviceAccounts instead of users and groups in exclude[");
                words.push_str(&entry.to_string());
                words.push_str("], because a controller creates this pod");
            }
        }
        remedy
    };
    match problem {
        Problem::Unset(UnsetField { parent, part, steps }) => {
            let place = part.iter().chain(*steps).fold(*parent, |at, step| at.at(step));
            // An object without its required field inherits nothing from the pod.
            let is_left = *value_type != ValueType::RequiredText || part.is_some() || steps.len() > 1;
            let remedy = remedy_of(if is_left { &finding.rule.remedy_if_unset } else { remedy });
            violations.push(Violation::required(check.id, place, rule, remedy));
        }
        Problem::Lacking(list, _) => {
            violations.push(Violation::required(check.id, *list, rule, remedy_of(remedy)));
        }
        Problem::Values(values) => {
            for RefusedValue { at, value } in values {
                let rule = rule.clone();
                let violation = match (field, value) {
                    (Field::VolumeSource(_) | Field::Volume(_), None) => {
                        Violation::forbidden(check.id, *at, rule, remedy_of(remedy))
                    }
                    (Field::VolumeSource(_) | Field::Volume(_), Some(_)) => {
                        Violation::invalid(check.id, at.at("path"), rule, remedy_of(remedy))
                    }
                    _ => Violation::invalid(check.id, *at, rule, remedy_of(remedy)),
                };
                violations.push(violation);
            }
        }
    }
    Ok(())
}

/// Returns the rule that a finding breaks, with the container or volume that breaks it:
/// `container "app": Privileged Containers (baseline) allows only false`.
fn rule_text(finding: &Finding<'_>) -> Result<String, Fault> {
    let Finding { check, rule, subject, .. } = finding;
    let mut text = String::new();
    if let Some(noun) = subject.noun() {
        text.push_str(noun);
        text.push(' ');
        text.push_str(&Quoted(subject.name()?).to_string());
        text.push_str(": ");
    }
    text.push_str(check.control);
    text.push_str(" (");
    text.push_str(check.level.name());
    text.push(')');
    match rule.allowed {
        Allowed::Except(value) => push_all(&mut text, " allows any value except ", "", &[value]),
        Allowed::Dropping(value) => push_all(&mut text, ": must drop ", "", &[value]),
        Allowed::Only([] | [""]) => text.push_str(" allows none"),
        Allowed::Only(values) => {
            let is_set = matches!(finding.problem, Problem::Values(_));
            let (verb, separator) = if is_set { (" allows only ", ", ") } else { (" requires ", " or ") };
            push_all(&mut text, verb, separator, values);
        }
    }
    Ok(text)
}

fn push_all(text: &mut String, verb: &str, separator: &str, values: &[&str]) {
    text.push_str(verb);
    let values = values.iter().filter(|value| !value.is_empty());
    for (index, value) in values.enumerate() {
        if index > 0 {
            text.push_str(separator);
        }
        text.push_str(value);
    }
}
