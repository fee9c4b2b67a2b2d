//! The interpreter of the standards: applies the rules of a check to a pod.

use std::borrow::Cow;

use admission::{Fault, Lookup, Node};

use super::finding::{Finding, Problem, RefusedValue, Subject, UnsetField};
use super::standard::{Allowed, Check, Exception, Field, FieldRule, Revision, UNKNOWN, Unset, ValueType};
use crate::view::{Container, ContainerPart, Pod};

/// Receives the findings of a check one by one: all at once might not fit into memory.
pub(super) type Sink<'a, 'd> = &'a mut dyn FnMut(Finding<'d>) -> Result<(), Fault>;

/// A pod with the parts that every check reads.
#[derive(Debug)]
pub(super) struct ExaminedPod<'d> {
    pod: Pod<'d>,
    spec: Node<'d>,
    security_context: Option<Node<'d>>,
    containers: Vec<ExaminedContainer<'d>>,
    volumes: Vec<Node<'d>>,
    is_windows: bool,
    has_user_namespace: bool,
}

#[derive(Debug)]
struct ExaminedContainer<'d> {
    container: Container<'d>,
    /// In the order of [`ContainerPart::ALL`].
    parts: [Option<Node<'d>>; ContainerPart::ALL.len()],
}

fn containers<'d>(pod: &Pod<'d>) -> Result<Vec<ExaminedContainer<'d>>, Fault> {
    let mut containers = Vec::new();
    for container in pod.all_containers()? {
        let mut parts = [None; ContainerPart::ALL.len()];
        for (part, place) in ContainerPart::ALL.iter().zip(&mut parts) {
            *place = container.part(*part)?;
        }
        containers.push(ExaminedContainer { container, parts });
    }
    Ok(containers)
}

impl<'d> ExaminedPod<'d> {
    pub(super) fn of(pod: Pod<'d>) -> Result<Self, Fault> {
        Ok(Self {
            pod,
            spec: pod.spec(),
            security_context: pod.spec().entry("securityContext")?,
            containers: containers(&pod)?,
            volumes: pod.volumes()?,
            is_windows: pod.os_name().text()? == Some("windows"),
            has_user_namespace: pod.host_users().boolean()? == Some(false),
        })
    }

    pub(super) fn is_exempt_from(&self, revision: &Revision) -> bool {
        match revision.unless {
            None => false,
            Some(Exception::Windows) => self.is_windows,
            Some(Exception::UserNamespace) => self.has_user_namespace,
        }
    }

    /// Reports the findings of a check to a sink: those of the pod, of its containers one by one,
    /// of its volumes and of its annotations.
    pub(super) fn find(
        &self,
        check: &'static Check,
        revision: &'static Revision,
        sink: Sink<'_, 'd>,
    ) -> Result<(), Fault> {
        if self.is_exempt_from(revision) {
            return Ok(());
        }
        let Revision { rules, .. } = revision;
        let Some(first) = rules.first() else { return Ok(()) };
        let mut walk = Walk { check, rules, rule: first, subject: Subject::Pod, of_pod: OfPod::Unset, sink };
        self.find_in_pod(&mut walk, rules)?;
        if rules.iter().any(|rule| rule.unset.is_left_to_pod()) {
            walk.of_pod = self.value_of_pod(check, rules)?;
        }
        self.find_in_containers(&mut walk, rules)?;
        self.find_in_volumes_and_annotations(&mut walk, rules)
    }

    /// Applies the rules of the pod's fields. No field of the pod has to be set.
    fn find_in_pod(&self, walk: &mut Walk<'_, 'd>, rules: &'static [FieldRule]) -> Result<(), Fault> {
        for rule in rules {
            if let Some((place, steps)) = self.place_in_pod(rule.field) {
                walk.rule = rule;
                walk.follow(place, steps)?;
            }
        }
        Ok(())
    }

    fn find_in_containers(&self, walk: &mut Walk<'_, 'd>, rules: &'static [FieldRule]) -> Result<(), Fault> {
        if !rules.iter().any(|rule| rule.field.is_of_containers()) {
            return Ok(());
        }
        for ExaminedContainer { container, parts } in &self.containers {
            walk.subject = Subject::Container(*container);
            for rule in rules {
                if let Field::Container(part, steps) = rule.field {
                    walk.rule = rule;
                    if let Some(place) = parts.get(part as usize).copied().flatten() {
                        walk.follow(place, steps)?;
                    } else {
                        let parent = container.place();
                        walk.unset(UnsetField { parent, part: Some(part.field()), steps })?;
                    }
                }
            }
        }
        Ok(())
    }

    fn find_in_volumes_and_annotations(
        &self,
        walk: &mut Walk<'_, 'd>,
        rules: &'static [FieldRule],
    ) -> Result<(), Fault> {
        for rule in rules {
            walk.rule = rule;
            match rule.field {
                Field::Pod(_) | Field::PodSecurityContext(_) | Field::Container(..) => {}
                Field::Volume(steps) => {
                    for volume in &self.volumes {
                        walk.subject = Subject::Volume(*volume);
                        walk.follow(*volume, steps)?;
                    }
                }
                Field::VolumeSource(refused) => {
                    for volume in &self.volumes {
                        walk.subject = Subject::Volume(*volume);
                        walk.source(*volume, refused)?;
                    }
                }
                Field::Annotation(_) | Field::Annotations(_) | Field::ContainerAnnotations(_) => {
                    walk.subject = Subject::Pod;
                    self.find_in_annotations(walk)?;
                }
            }
        }
        Ok(())
    }

    fn find_in_annotations(&self, walk: &mut Walk<'_, 'd>) -> Result<(), Fault> {
        let mut names: Option<Lookup<&str>> = None;
        for (key, at) in self.pod.metadata().annotations().fields()? {
            let is_restricted = match walk.rule.field {
                Field::Annotation(known) => key == known,
                Field::Annotations(prefix) => key.starts_with(prefix),
                Field::ContainerAnnotations(prefix) => match key.strip_prefix(prefix) {
                    None => false,
                    Some(name) => {
                        if names.is_none() {
                            names = Some(self.names_of_containers()?);
                        }
                        names.as_ref().is_some_and(|names| names.position(&name).is_some())
                    }
                },
                _ => false,
            };
            if is_restricted && at.is_present()? {
                walk.value(at, Some(key))?;
            }
        }
        Ok(())
    }

    fn names_of_containers(&self) -> Result<Lookup<&'d str>, Fault> {
        let mut names = Vec::new();
        for ExaminedContainer { container, .. } in &self.containers {
            names.push(container.name()?);
        }
        Ok(Lookup::of(names))
    }

    /// Returns the state of the pod's field that its containers may inherit.
    fn value_of_pod(&self, check: &'static Check, rules: &'static [FieldRule]) -> Result<OfPod, Fault> {
        let mut of_pod = OfPod::Unset;
        for rule in rules {
            if let Some((place, steps)) = self.place_in_pod(rule.field)
                && is_set(place, steps)?
            {
                of_pod = OfPod::Allowed;
                let sink: Sink<'_, 'd> = &mut |_| {
                    of_pod = OfPod::Refused;
                    Ok(())
                };
                let subject = Subject::Pod;
                let mut walk = Walk { check, rules, rule, subject, of_pod: OfPod::Unset, sink };
                walk.follow(place, steps)?;
            }
        }
        Ok(of_pod)
    }

    /// Returns the parent of a field of the pod and the steps from it, or `None` if the field is
    /// not one of the pod or the parent is not set.
    fn place_in_pod(&self, field: Field) -> Option<(Node<'d>, &'static [&'static str])> {
        match field {
            Field::Pod(steps) => Some((self.spec, steps)),
            Field::PodSecurityContext(steps) => Some((self.security_context?, steps)),
            _ => None,
        }
    }
}

#[derive(Clone, Copy, Eq, PartialEq)]
enum OfPod {
    Unset,
    Allowed,
    Refused,
}

/// A walk along the path of a rule, to the values that the rule restricts.
struct Walk<'a, 'd> {
    check: &'static Check,
    rules: &'static [FieldRule],
    rule: &'static FieldRule,
    subject: Subject<'d>,
    /// The value that containers inherit.
    of_pod: OfPod,
    sink: Sink<'a, 'd>,
}

impl<'d> Walk<'_, 'd> {
    fn follow(&mut self, at: Node<'d>, steps: &'static [&'static str]) -> Result<(), Fault> {
        let Some((step, rest)) = steps.split_first() else { return self.value(at, None) };
        if *step == "*" {
            for item in at.items()? {
                if !item.object()? {
                    return Err(item.fault("expected an object, found null"));
                }
                self.follow(item, rest)?;
            }
            return Ok(());
        }
        let field = UnsetField { parent: at, part: None, steps };
        match at.entry(step)? {
            Some(next) => self.follow(next, rest),
            // As in-tree, an object without its required field is refused even if the object may be
            // absent.
            None if rest.is_empty() && self.rule.value_type == ValueType::RequiredText => {
                self.report(None, Problem::Unset(field))
            }
            None => self.unset(field),
        }
    }

    fn unset(&mut self, field: UnsetField<'d>) -> Result<(), Fault> {
        let is_allowed = match self.rule.unset {
            Unset::Allowed => true,
            Unset::Refused => false,
            Unset::LeftToPod | Unset::Inherited => self.of_pod == OfPod::Allowed,
        };
        if is_allowed { Ok(()) } else { self.report(None, Problem::Unset(field)) }
    }

    fn value(&mut self, at: Node<'d>, name: Option<&'d str>) -> Result<(), Fault> {
        let FieldRule { value_type, allowed, .. } = self.rule;
        if *value_type == ValueType::Texts {
            return self.texts(at);
        }
        let value = text_of(at, *value_type)?;
        if value.as_deref().is_some_and(|value| allowed.includes(value)) {
            return Ok(());
        }
        let refused = RefusedValue { at, value: Some(value.unwrap_or_default()) };
        self.report(name, Problem::Values(vec![refused]))
    }

    fn texts(&mut self, at: Node<'d>) -> Result<(), Fault> {
        let allowed = self.rule.allowed;
        let mut refused = Vec::new();
        let mut lacks = matches!(allowed, Allowed::Dropping(_));
        for (at, text) in at.texts()? {
            if allowed.includes(text) {
                lacks = false;
            } else {
                refused.push(RefusedValue { at, value: Some(text.into()) });
            }
        }
        match allowed {
            Allowed::Dropping(_) if lacks => self.report(None, Problem::Lacking(at, refused)),
            Allowed::Only(_) | Allowed::Except(_) if !refused.is_empty() => {
                self.report(None, Problem::Values(refused))
            }
            _ => Ok(()),
        }
    }

    /// Applies the rule to the sources of a volume. A volume without a source is an `emptyDir`, as
    /// for the API server.
    fn source(&mut self, volume: Node<'d>, refused: &'static [&'static str]) -> Result<(), Fault> {
        let FieldRule { value_type, allowed, .. } = self.rule;
        for (source, at) in volume.fields()? {
            if source == "name" || !at.is_present()? || allowed.includes(source) {
                continue;
            }
            let name = refused.iter().find(|known| **known == source).copied().unwrap_or(UNKNOWN);
            let value = if name == "hostPath" { text_of(at, *value_type)? } else { None };
            self.report(Some(name), Problem::Values(vec![RefusedValue { at, value }]))?;
        }
        Ok(())
    }

    fn report(&mut self, name: Option<&'d str>, problem: Problem<'d>) -> Result<(), Fault> {
        let Self { check, rules, rule, subject, .. } = *self;
        let rule_number = rules.iter().position(|one| std::ptr::eq(one, rule)).unwrap_or_default();
        let inherits = self.of_pod == OfPod::Refused
            && rule.unset.is_left_to_pod()
            && matches!(problem, Problem::Unset(_));
        (self.sink)(Finding { check, rule, rule_number, subject, name, problem, inherits })
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

impl Allowed {
    /// Whether a value is allowed; of a list, whether the element is one of the wanted values.
    fn includes(self, value: &str) -> bool {
        match self {
            Allowed::Only(known) => known.iter().any(|known| match known.strip_suffix('*') {
                Some(prefix) => value.starts_with(prefix),
                None => *known == value,
            }),
            Allowed::Except(refused) => value != refused,
            Allowed::Dropping(wanted) => value == wanted,
        }
    }
}

/// Returns a value as the text that rules and exclusions compare, or `None` for null.
fn text_of(at: Node<'_>, value_type: ValueType) -> Result<Option<Cow<'_, str>>, Fault> {
    Ok(match value_type {
        ValueType::Flag => at.boolean()?.map(|flag| Cow::Borrowed(if flag { "true" } else { "false" })),
        ValueType::Integer => at.integer()?.map(|number| Cow::Owned(number.to_string())),
        ValueType::HostPath => {
            let path = at.entry("path")?;
            Some(match path {
                Some(path) => Cow::Borrowed(path.text()?.unwrap_or_default()),
                None => Cow::Borrowed(""),
            })
        }
        ValueType::Text | ValueType::RequiredText | ValueType::Texts => at.text()?.map(Cow::Borrowed),
    })
}
