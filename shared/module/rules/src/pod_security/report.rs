//! What is said of a pod: the message of a denial, warnings, and annotations for the audit log.

use std::borrow::Cow;

use admission::{Fault, Json, ObjectWriter, Quoted, Violation, Violations};

use super::finding::{Finding, Problem, Subject};
use super::standard::{Allows, Check, Field, FieldRule, Unset};
use super::{LevelVersion, Modes};
use crate::summary::within;
use crate::view::ContainerKind;

/// What was found in a pod at one level and version.
#[derive(Debug)]
pub(super) struct Report<'d> {
    pub(super) standard: LevelVersion,
    pub(super) modes: Modes,
    pub(super) violations: Violations<'d>,
    notes: Vec<Note<'d>>,
}

/// The findings of one rule, in containers of one list, that are refused or let be by the same entry.
#[derive(Debug)]
struct Note<'d> {
    check: &'static Check,
    rule: &'static FieldRule,
    kind: Option<ContainerKind>,
    /// The source of a volume.
    source: Option<&'d str>,
    /// The entry that lets them be.
    entry: Option<usize>,
    images: Vec<&'d str>,
    names: Vec<&'d str>,
    /// How many names there are besides.
    more: usize,
}

/// The most names and images that a note lists.
const LISTED: usize = 16;

/// No reference of an image is longer: a name has at most 255 characters, a tag 128. What is, a note does not list.
const LONGEST_IMAGE: usize = 512;

/// The same of the name of a container, a volume or a sysctl.
const LONGEST_NAME: usize = 253;

impl<'d> Report<'d> {
    pub(super) fn new(standard: LevelVersion, modes: Modes) -> Self {
        Self { standard, modes, violations: Violations::default(), notes: Vec::new() }
    }

    /// Adds what is refused, or what an entry lets be.
    ///
    /// # Errors
    /// What cannot be read that a message would say.
    pub(super) fn add(&mut self, finding: &Finding<'d>, entry: Option<usize>) -> Result<(), Fault> {
        self.note(finding, entry)?;
        if entry.is_none() && self.modes.enforce {
            list(&mut self.violations, finding)?;
        }
        Ok(())
    }

    fn note(&mut self, finding: &Finding<'d>, entry: Option<usize>) -> Result<(), Fault> {
        let Finding { check, rule, subject, .. } = finding;
        // Keys of annotations are data, of which there may be any number.
        let source = if matches!(rule.field, Field::VolumeSource(_)) { finding.name } else { None };
        let kind = subject.kind();
        let same = |note: &Note<'_>| {
            note.check.id == check.id
                && std::ptr::eq(note.rule, *rule)
                && note.kind == kind
                && note.source == source
                && note.entry == entry
        };
        let known = self.notes.iter().position(same);
        let at = known.unwrap_or(self.notes.len());
        if known.is_none() {
            let (images, names) = (Vec::new(), Vec::new());
            self.notes.push(Note { check, rule, kind, source, entry, images, names, more: 0 });
        }
        let Some(note) = self.notes.get_mut(at) else { return Ok(()) };
        if let Subject::Container(container) = subject {
            let image = container.image()?;
            let is_listed = image.len() <= LONGEST_IMAGE && note.images.len() < LISTED;
            if is_listed && !note.images.contains(&image) {
                note.images.push(image);
            }
        }
        let name = match (subject, &finding.problem, rule.field) {
            // Elements of a list of the pod's, which are known by their values.
            (Subject::Pod, Problem::Values(offences), Field::PodSecurityContext(["sysctls", ..])) => {
                offences.first().map_or(Ok(""), |offence| offence.at.text().map(Option::unwrap_or_default))?
            }
            _ => subject.name()?,
        };
        if name.is_empty() || note.names.contains(&name) {
            return Ok(());
        }
        if name.len() <= LONGEST_NAME && note.names.len() < LISTED {
            note.names.push(name);
        } else {
            note.more = note.more.saturating_add(1);
        }
        Ok(())
    }

    /// Whether something is refused.
    pub(super) fn refuses(&self) -> bool {
        self.notes.iter().any(|note| note.entry.is_none())
    }

    /// What would be refused, one line for each control, with the names of what is to blame.
    pub(super) fn lines(&self, start: &str, longest: usize) -> Vec<String> {
        let mut lines = Vec::new();
        let refused = || self.notes.iter().filter(|note| note.entry.is_none());
        let mut last = "";
        for Note { check, .. } in refused() {
            if last == check.id {
                continue;
            }
            last = check.id;
            let mut what = start.to_owned();
            what.push_str(check.control);
            let mut items: Vec<String> = Vec::new();
            let mut more = 0_usize;
            for note in refused().filter(|note| note.check.id == check.id) {
                more = more.saturating_add(note.more);
                let names = note.names.iter().map(|name| (*name).to_owned());
                let fields = if note.names.is_empty() { Some(note.short_field()) } else { None };
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

    /// How a line about the pod begins: `would violate PodSecurity "restricted:latest": `.
    pub(super) fn start(&self) -> String {
        let mut start = "would violate PodSecurity \"".to_owned();
        start.push_str(&self.standard.to_string());
        start.push_str("\": ");
        start
    }

    /// What was refused and what was let be, for programs.
    pub(super) fn controls(&self, controls: &mut Vec<Json>) {
        for note in &self.notes {
            let outcome = if note.entry.is_some() { "excluded" } else { "violated" };
            let images: Vec<String> = note.images.iter().map(|image| (*image).to_owned()).collect();
            let mut control = ObjectWriter::new()
                .text("outcome", outcome)
                .texts("modes", &self.modes.names())
                .text("id", note.check.id)
                .text("controlName", note.check.control)
                .text("restrictedField", &note.field())
                .texts("images", &images);
            if let Some(entry) = note.entry {
                control = control.raw("entry", &entry.to_string());
            }
            controls.push(control.into());
        }
    }
}

impl Note<'_> {
    /// The field, or all annotations in place of keys that no warning has room for.
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
            (Some(kind), _) => self.rule.field.written_of(kind),
            (None, Some(source)) => Field::written_of_source(source),
            (None, None) => self.rule.field.written().into_iter().next().unwrap_or_default(),
        }
    }
}

/// Adds the lines of a finding to a message.
fn list<'d>(violations: &mut Violations<'d>, finding: &Finding<'d>) -> Result<(), Fault> {
    let Finding { rule, problem, .. } = finding;
    match problem {
        // Paths and texts of what no message lists would only take room.
        Problem::Values(offences) if violations.are_full() => {
            for _ in offences {
                violations.count();
            }
        }
        _ if violations.are_full() => violations.count(),
        Problem::Unset(place, part, steps) => {
            let field = part.iter().chain(*steps).fold(*place, |at, step| at.at(step));
            let remedy: Cow<'static, str> = match rule.unset {
                Unset::LeftToPod => [rule.remedy, ", here or for the pod"].concat().into(),
                Unset::Allowed | Unset::Refused => rule.remedy.into(),
            };
            violations.push(Violation::required(field, demand(finding)?, remedy));
        }
        Problem::Lacking(place, _) => {
            violations.push(Violation::required(*place, demand(finding)?, rule.remedy));
        }
        Problem::Values(offences) => {
            let demand = demand(finding)?;
            for offence in offences {
                let violation = match (rule.field, &offence.value) {
                    (Field::VolumeSource(_) | Field::Volume(_), None) => {
                        Violation::forbidden(offence.at, demand.clone(), rule.remedy)
                    }
                    (Field::VolumeSource(_) | Field::Volume(_), Some(_)) => {
                        let path = offence.at.at("path");
                        Violation::invalid(path, demand.clone(), rule.remedy)
                    }
                    _ => Violation::invalid(offence.at, demand.clone(), rule.remedy),
                };
                violations.push(violation);
            }
        }
    }
    Ok(())
}

/// What a control demands, and of whom: `container "app": Privileged Containers (baseline) allows only false`.
fn demand(finding: &Finding<'_>) -> Result<String, Fault> {
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
    text.push_str(") ");
    match rule.allows {
        Allows::Not(value) => push_all(&mut text, "allows all but ", "", &[value]),
        Allows::With(value) => push_all(&mut text, "demands ", "", &[value]),
        Allows::Only([] | [""]) => text.push_str("allows none"),
        Allows::Only(values) => {
            let set = !matches!(finding.problem, Problem::Values(_));
            let (verb, separator) = if set { ("demands ", " or ") } else { ("allows only ", ", ") };
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
