//! Findings: what a check finds in a pod.

use std::borrow::Cow;

use admission::{Fault, Node};

use super::standard::{Check, Field, FieldRule, annotation};
use crate::view::{Container, ContainerKind};

/// One refused field of the pod, of a container or of a volume.
#[derive(Clone, Debug)]
pub(super) struct Finding<'d> {
    pub(super) check: &'static Check,
    pub(super) rule: &'static FieldRule,
    /// The position of the rule in the revision, which identifies it among the rules of the check.
    pub(super) rule_number: usize,
    pub(super) subject: Subject<'d>,
    /// The part of the field that the document names: the key of an annotation, the source of a
    /// volume.
    pub(super) name: Option<&'d str>,
    pub(super) problem: Problem<'d>,
    /// Whether a container leaves the field to a pod whose value is refused. The value of the pod
    /// is a separate finding.
    pub(super) inherits: bool,
}

/// The owner of a field.
#[derive(Clone, Copy, Debug)]
pub(super) enum Subject<'d> {
    Pod,
    Container(Container<'d>),
    Volume(Node<'d>),
}

#[derive(Clone, Debug)]
pub(super) enum Problem<'d> {
    Values(Vec<RefusedValue<'d>>),
    Unset(UnsetField<'d>),
    /// A list lacks a required value. Holds the list and the values that it has instead.
    Lacking(Node<'d>, Vec<RefusedValue<'d>>),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct UnsetField<'d> {
    /// The nearest parent that is set.
    pub(super) parent: Node<'d>,
    /// The part of the container between the parent and the steps, if the container lacks it.
    pub(super) part: Option<&'static str>,
    pub(super) steps: &'static [&'static str],
}

#[derive(Clone, Debug)]
pub(super) struct RefusedValue<'d> {
    pub(super) at: Node<'d>,
    /// The text that exclusions compare; `None` for a volume source, which has no value.
    pub(super) value: Option<Cow<'d, str>>,
}

impl Finding<'_> {
    /// Returns the refused values. An unset field and an empty list have the empty value.
    pub(super) fn values(&self) -> Vec<Option<&str>> {
        match &self.problem {
            Problem::Unset(_) => vec![Some("")],
            Problem::Lacking(_, values) if values.is_empty() => vec![Some("")],
            Problem::Values(values) | Problem::Lacking(_, values) => {
                values.iter().map(|refused| refused.value.as_deref()).collect()
            }
        }
    }

    /// Whether a test holds for every one of the [values](Self::values), without a list of them.
    pub(super) fn all_values(&self, test: &dyn Fn(Option<&str>) -> bool) -> bool {
        match &self.problem {
            Problem::Unset(_) => test(Some("")),
            Problem::Lacking(_, values) if values.is_empty() => test(Some("")),
            Problem::Values(values) | Problem::Lacking(_, values) => {
                values.iter().all(|refused| test(refused.value.as_deref()))
            }
        }
    }

    pub(super) fn is_unset(&self) -> bool {
        matches!(self.problem, Problem::Unset(_))
    }

    /// Returns the path of the field as `restrictedField` writes it.
    pub(super) fn field(&self) -> String {
        let field = self.rule.field;
        match (field, self.subject, self.name) {
            (Field::Container(..), Subject::Container(container), _) => field.path_in(container.kind),
            (Field::VolumeSource(_), _, Some(source)) => Field::path_of_source(source),
            (Field::Annotations(_) | Field::ContainerAnnotations(_), _, Some(key)) => annotation(key, ""),
            _ => field.paths().into_iter().next().unwrap_or_default(),
        }
    }
}

impl<'d> Subject<'d> {
    /// Returns the noun that introduces the name in a message, or `None` for the pod, which
    /// messages do not name.
    pub(super) fn noun(&self) -> Option<&'static str> {
        match self {
            Subject::Pod => None,
            Subject::Container(container) => Some(container.kind.noun()),
            Subject::Volume(_) => Some("volume"),
        }
    }

    /// Returns the name, which is empty for the pod.
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

    /// Returns the list of a container.
    pub(super) fn kind(&self) -> Option<ContainerKind> {
        match self {
            Subject::Container(container) => Some(container.kind),
            Subject::Pod | Subject::Volume(_) => None,
        }
    }
}
