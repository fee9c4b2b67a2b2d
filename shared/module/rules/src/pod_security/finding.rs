//! What a check finds in a pod.

use std::borrow::Cow;

use admission::{Fault, Node};

use super::standard::{Check, Field, FieldRule, annotation};
use crate::view::{Container, ContainerKind};

/// One thing that a check refuses: one field of the pod, of a container or of a volume.
#[derive(Clone, Debug)]
pub(super) struct Finding<'d> {
    pub(super) check: &'static Check,
    pub(super) rule: &'static FieldRule,
    pub(super) subject: Subject<'d>,
    /// What the subject does not say of the field: the key of an annotation, the source of a volume.
    pub(super) name: Option<&'d str>,
    pub(super) problem: Problem<'d>,
    /// Whether a container leaves the field to a pod whose value is refused. The pod's is a finding of its own.
    pub(super) inherits: bool,
}

/// What a field belongs to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Subject<'d> {
    Pod,
    Container(Container<'d>),
    Volume(Node<'d>),
}

/// What is wrong with a field.
#[derive(Clone, Debug)]
pub(super) enum Problem<'d> {
    /// Values that are refused.
    Values(Vec<Offence<'d>>),
    /// It is not set: the nearest place that is there, and the steps from it to the field.
    Unset(Node<'d>, Option<&'static str>, &'static [&'static str]),
    /// A value that has to be in a list is not; what is in it.
    Lacking(Node<'d>, Vec<Offence<'d>>),
}

/// A value that is refused.
#[derive(Clone, Debug)]
pub(super) struct Offence<'d> {
    pub(super) at: Node<'d>,
    /// As exclusions compare it; types of volumes have none.
    pub(super) value: Option<Cow<'d, str>>,
}

impl Finding<'_> {
    /// The refused values; the empty text of a field that is not set, or of a list with nothing in it.
    pub(super) fn values(&self) -> Vec<Option<&str>> {
        match &self.problem {
            Problem::Unset(..) => vec![Some("")],
            Problem::Lacking(_, offences) if offences.is_empty() => vec![Some("")],
            Problem::Values(offences) | Problem::Lacking(_, offences) => {
                offences.iter().map(|offence| offence.value.as_deref()).collect()
            }
        }
    }

    /// Whether the field is not set.
    pub(super) fn is_unset(&self) -> bool {
        matches!(self.problem, Problem::Unset(..))
    }

    /// The field as `restrictedField` names it.
    pub(super) fn field(&self) -> String {
        let one = || self.rule.field.written().into_iter().next().unwrap_or_default();
        match (self.rule.field, self.subject, self.name) {
            (Field::Container(..), Subject::Container(container), _) => {
                self.rule.field.written_of(container.kind)
            }
            (Field::VolumeSource(_), _, Some(source)) => Field::written_of_source(source),
            (Field::Annotations(_) | Field::ContainerAnnotations(_), _, Some(key)) => annotation(key, ""),
            _ => one(),
        }
    }
}

impl<'d> Subject<'d> {
    /// What it is called in a sentence: `container "app"`; nothing for the pod, which every message is about.
    pub(super) fn noun(&self) -> Option<&'static str> {
        match self {
            Subject::Pod => None,
            Subject::Container(container) => Some(container.kind.noun()),
            Subject::Volume(_) => Some("volume"),
        }
    }

    /// Its name; empty for the pod.
    ///
    /// # Errors
    /// When the name is no string.
    pub(super) fn name(&self) -> Result<&'d str, Fault> {
        match self {
            Subject::Pod => Ok(""),
            Subject::Container(container) => container.name(),
            Subject::Volume(volume) => Ok(match volume.entry("name")? {
                Some(name) => name.text()?.unwrap_or_default(),
                None => "",
            }),
        }
    }

    /// The list of a container.
    pub(super) fn kind(&self) -> Option<ContainerKind> {
        match self {
            Subject::Container(container) => Some(container.kind),
            Subject::Pod | Subject::Volume(_) => None,
        }
    }
}
