//! Holding a pod against a check: the one interpreter of the standard's data.

use std::borrow::Cow;

use admission::{Fault, Lookup, Node};

use super::finding::{Finding, Offence, Problem, Subject};
use super::standard::{Allows, Check, Exception, Field, FieldRule, Revision, Takes, UNKNOWN, Unset};
use crate::view::{Container, ContainerPart, Pod};

/// Who is told what a check finds.
pub(super) type Tell<'a, 'd> = &'a mut dyn FnMut(Finding<'d>) -> Result<(), Fault>;

/// A pod with what every check asks for.
#[derive(Debug)]
pub(super) struct Examined<'d> {
    pod: Pod<'d>,
    spec: Node<'d>,
    security_context: Option<Node<'d>>,
    containers: Vec<Opened<'d>>,
    volumes: Vec<Node<'d>>,
    is_windows: bool,
    has_user_namespace: bool,
}

/// A container with its parts, which every check asks for.
#[derive(Debug)]
struct Opened<'d> {
    container: Container<'d>,
    /// In the order of [`ContainerPart::ALL`].
    parts: [Option<Node<'d>>; ContainerPart::ALL.len()],
}

fn opened<'d>(pod: &Pod<'d>) -> Result<Vec<Opened<'d>>, Fault> {
    let mut all = Vec::new();
    for container in pod.all_containers()? {
        let mut parts = [None; ContainerPart::ALL.len()];
        for (part, place) in ContainerPart::ALL.iter().zip(&mut parts) {
            *place = container.part(*part)?;
        }
        all.push(Opened { container, parts });
    }
    Ok(all)
}

impl<'d> Examined<'d> {
    pub(super) fn of(pod: Pod<'d>) -> Result<Self, Fault> {
        Ok(Self {
            pod,
            spec: pod.spec(),
            security_context: pod.spec().entry("securityContext")?,
            containers: opened(&pod)?,
            volumes: pod.volumes()?,
            is_windows: pod.os_name().text()? == Some("windows"),
            has_user_namespace: pod.host_users().boolean()? == Some(false),
        })
    }

    /// Whether a revision says nothing of the pod.
    pub(super) fn is_exempt_from(&self, revision: &Revision) -> bool {
        match revision.unless {
            None => false,
            Some(Exception::Windows) => self.is_windows,
            Some(Exception::UserNamespace) => self.has_user_namespace,
        }
    }

    /// Tells what a revision of a check refuses: of the pod, of its containers one by one, of its volumes and of
    /// its annotations.
    ///
    /// What is found is told at once, as a list of it might be more than an instance has room for.
    ///
    /// # Errors
    /// What cannot be read.
    pub(super) fn find(
        &self,
        check: &'static Check,
        revision: &'static Revision,
        tell: Tell<'_, 'd>,
    ) -> Result<(), Fault> {
        if self.is_exempt_from(revision) {
            return Ok(());
        }
        let rules = revision.rules;
        let mut walk = Walk { check, subject: Subject::Pod, of_pod: OfPod::Unset, tell };
        for rule in rules {
            // No field of the pod itself has to be set.
            if let Some((place, steps)) = self.of_pod(rule.field) {
                walk.follow(rule, place, steps)?;
            }
        }
        if rules.iter().any(|rule| rule.unset == Unset::LeftToPod) {
            walk.of_pod = self.has(check, rules)?;
        }
        if rules.iter().any(|rule| rule.field.is_of_containers()) {
            for Opened { container, parts } in &self.containers {
                walk.subject = Subject::Container(*container);
                for rule in rules {
                    if let Field::Container(part, steps) = rule.field {
                        match parts.get(part as usize).copied().flatten() {
                            Some(place) => walk.follow(rule, place, steps)?,
                            None => walk.unset(rule, container.place(), Some(part.field()), steps)?,
                        }
                    }
                }
            }
        }
        for rule in rules {
            match rule.field {
                Field::Pod(_) | Field::PodSecurityContext(_) | Field::Container(..) => {}
                Field::Volume(steps) => {
                    for volume in &self.volumes {
                        walk.subject = Subject::Volume(*volume);
                        walk.follow(rule, *volume, steps)?;
                    }
                }
                Field::VolumeSource(refused) => {
                    for volume in &self.volumes {
                        walk.subject = Subject::Volume(*volume);
                        walk.source(rule, *volume, refused)?;
                    }
                }
                Field::Annotation(_) | Field::Annotations(_) | Field::ContainerAnnotations(_) => {
                    walk.subject = Subject::Pod;
                    self.annotations(&mut walk, rule)?;
                }
            }
        }
        Ok(())
    }

    /// What the pod has of the field that containers may leave to it.
    fn has(&self, check: &'static Check, rules: &'static [FieldRule]) -> Result<OfPod, Fault> {
        let mut of_pod = OfPod::Unset;
        for rule in rules {
            if let Some((place, steps)) = self.of_pod(rule.field)
                && is_set(place, steps)?
            {
                of_pod = OfPod::Allowed;
                let refuse = &mut |_| {
                    of_pod = OfPod::Refused;
                    Ok(())
                };
                let mut walk = Walk { check, subject: Subject::Pod, of_pod: OfPod::Unset, tell: refuse };
                walk.follow(rule, place, steps)?;
            }
        }
        Ok(of_pod)
    }

    /// Where the path of a field of the pod begins, and the path.
    fn of_pod(&self, field: Field) -> Option<(Node<'d>, &'static [&'static str])> {
        match field {
            Field::Pod(steps) => Some((self.spec, steps)),
            Field::PodSecurityContext(steps) => Some((self.security_context?, steps)),
            _ => None,
        }
    }

    fn annotations(&self, walk: &mut Walk<'_, 'd>, rule: &'static FieldRule) -> Result<(), Fault> {
        let mut names: Option<Lookup<&str>> = None;
        for (key, at) in self.pod.metadata().annotations().fields()? {
            let concerned = match rule.field {
                Field::Annotation(known) => key == known,
                Field::Annotations(prefix) => key.starts_with(prefix),
                Field::ContainerAnnotations(prefix) => match key.strip_prefix(prefix) {
                    None => false,
                    Some(name) => {
                        if names.is_none() {
                            let mut known = Vec::new();
                            for Opened { container, .. } in &self.containers {
                                known.push(container.name()?);
                            }
                            names = Some(Lookup::of(known));
                        }
                        names.as_ref().is_some_and(|names| names.position(&name).is_some())
                    }
                },
                _ => false,
            };
            if concerned && at.is_present()? {
                walk.value(rule, at, Some(key))?;
            }
        }
        Ok(())
    }
}

/// What a pod has of a field that its containers may leave to it.
#[derive(Clone, Copy, Eq, PartialEq)]
enum OfPod {
    Unset,
    Allowed,
    Refused,
}

/// Following the steps of rules to the values that they are about.
struct Walk<'a, 'd> {
    check: &'static Check,
    subject: Subject<'d>,
    /// What containers have that leave the field to the pod.
    of_pod: OfPod,
    tell: Tell<'a, 'd>,
}

impl<'d> Walk<'_, 'd> {
    fn follow(
        &mut self,
        rule: &'static FieldRule,
        at: Node<'d>,
        steps: &'static [&'static str],
    ) -> Result<(), Fault> {
        let Some((step, rest)) = steps.split_first() else { return self.value(rule, at, None) };
        if *step == "*" {
            for item in at.items()? {
                if !item.object()? {
                    return Err(item.fault("expected an object, found null"));
                }
                self.follow(rule, item, rest)?;
            }
            return Ok(());
        }
        match at.entry(step)? {
            Some(next) => self.follow(rule, next, rest),
            // An object without its type is refused as in-tree, wherever a missing object would be fine.
            None if rest.is_empty() && rule.takes == Takes::Required => {
                self.found(rule, None, Problem::Unset(at, None, steps))
            }
            None => self.unset(rule, at, None, steps),
        }
    }

    /// Judges that a field is not set.
    fn unset(
        &mut self,
        rule: &'static FieldRule,
        at: Node<'d>,
        part: Option<&'static str>,
        steps: &'static [&'static str],
    ) -> Result<(), Fault> {
        let is_fine = match rule.unset {
            Unset::Allowed => true,
            Unset::Refused => false,
            Unset::LeftToPod => self.of_pod == OfPod::Allowed,
        };
        if is_fine { Ok(()) } else { self.found(rule, None, Problem::Unset(at, part, steps)) }
    }

    /// Judges a value that is there.
    fn value(&mut self, rule: &'static FieldRule, at: Node<'d>, name: Option<&'d str>) -> Result<(), Fault> {
        if rule.takes == Takes::Texts {
            return self.texts(rule, at);
        }
        let value = text_of(at, rule.takes)?;
        if value.as_deref().is_some_and(|value| rule.allows.value(value)) {
            return Ok(());
        }
        let offence = Offence { at, value: Some(value.unwrap_or_default()) };
        self.found(rule, name, Problem::Values(vec![offence]))
    }

    fn texts(&mut self, rule: &'static FieldRule, at: Node<'d>) -> Result<(), Fault> {
        let mut refused = Vec::new();
        let mut lacks = matches!(rule.allows, Allows::With(_));
        for (at, text) in at.texts()? {
            if rule.allows.value(text) {
                lacks = false;
            } else {
                refused.push(Offence { at, value: Some(text.into()) });
            }
        }
        match rule.allows {
            Allows::With(_) if lacks => self.found(rule, None, Problem::Lacking(at, refused)),
            Allows::Only(_) | Allows::Not(_) if !refused.is_empty() => {
                self.found(rule, None, Problem::Values(refused))
            }
            _ => Ok(()),
        }
    }

    /// Judges what a volume is made of. One with no source is an `emptyDir`, as for the API server.
    fn source(
        &mut self,
        rule: &'static FieldRule,
        volume: Node<'d>,
        refused: &'static [&'static str],
    ) -> Result<(), Fault> {
        for (source, at) in volume.fields()? {
            if source == "name" || !at.is_present()? || rule.allows.value(source) {
                continue;
            }
            let name = refused.iter().find(|known| **known == source).copied().unwrap_or(UNKNOWN);
            let value = if name == "hostPath" { text_of(at, rule.takes)? } else { None };
            self.found(rule, Some(name), Problem::Values(vec![Offence { at, value }]))?;
        }
        Ok(())
    }

    fn found(
        &mut self,
        rule: &'static FieldRule,
        name: Option<&'d str>,
        problem: Problem<'d>,
    ) -> Result<(), Fault> {
        let inherits = self.of_pod == OfPod::Refused
            && rule.unset == Unset::LeftToPod
            && matches!(problem, Problem::Unset(..));
        (self.tell)(Finding { check: self.check, rule, subject: self.subject, name, problem, inherits })
    }
}

fn is_set(at: Node<'_>, steps: &'static [&'static str]) -> Result<bool, Fault> {
    let mut at = at;
    for step in steps {
        match at.entry(step)? {
            Some(next) => at = next,
            None => return Ok(false),
        }
    }
    Ok(true)
}

impl Allows {
    /// Whether a value is allowed.
    fn value(self, value: &str) -> bool {
        match self {
            Allows::Only(known) => known.iter().any(|known| match known.strip_suffix('*') {
                Some(prefix) => value.starts_with(prefix),
                None => *known == value,
            }),
            Allows::Not(refused) => value != refused,
            Allows::With(wanted) => value == wanted,
        }
    }
}

/// A value as text: what rules and exclusions compare.
fn text_of(at: Node<'_>, takes: Takes) -> Result<Option<Cow<'_, str>>, Fault> {
    Ok(match takes {
        Takes::Flag => at.boolean()?.map(|flag| Cow::Borrowed(if flag { "true" } else { "false" })),
        Takes::Integer => at.integer()?.map(|number| Cow::Owned(number.to_string())),
        Takes::HostPath => {
            let path = at.entry("path")?;
            Some(match path {
                Some(path) => Cow::Borrowed(path.text()?.unwrap_or_default()),
                None => Cow::Borrowed(""),
            })
        }
        Takes::Text | Takes::Required | Takes::Texts => at.text()?.map(Cow::Borrowed),
    })
}
