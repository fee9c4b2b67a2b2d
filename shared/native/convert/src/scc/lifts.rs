//! Exclusions from the Pod Security Standards, for what constraints allow.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

/// The lists of containers.
const LISTS: [&str; 3] = ["containers", "initContainers", "ephemeralContainers"];

/// The part of a control that is lifted.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) enum Part {
    /// The whole control, for fields of the pod.
    Pod,
    /// The whole control, for all containers.
    Containers,
    /// Values of a field of the pod.
    PodField(&'static str),
    /// Values of a field of all containers.
    ContainerField(&'static str),
}

/// The parts of controls that are lifted, with the values; whole controls have none.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(super) struct Lifts(BTreeMap<(&'static str, Part), BTreeSet<String>>);

impl Lifts {
    /// Lifts a whole control, for the pod and for all containers.
    pub(super) fn control(&mut self, control: &'static str) {
        self.part(control, Part::Pod);
        self.part(control, Part::Containers);
    }

    /// Lifts parts of a control.
    pub(super) fn parts(&mut self, control: &'static str, parts: &[Part]) {
        for part in parts {
            self.part(control, *part);
        }
    }

    /// Lifts a whole control for the pod or for all containers.
    pub(super) fn part(&mut self, control: &'static str, part: Part) {
        self.0.entry((control, part)).or_default();
    }

    /// Lifts values of a field, if there are any.
    pub(super) fn values(
        &mut self,
        control: &'static str,
        part: Part,
        values: impl IntoIterator<Item = impl Into<String>>,
    ) {
        let values: BTreeSet<String> = values.into_iter().map(Into::into).collect();
        if !values.is_empty() {
            self.0.entry((control, part)).or_default().extend(values);
        }
    }

    /// Adds what others lift.
    pub(super) fn extend(&mut self, other: &Self) {
        for (key, values) in &other.0 {
            self.0.entry(*key).or_default().extend(values.iter().cloned());
        }
    }

    /// The parts that others do not lift.
    pub(super) fn without(&self, other: &Self) -> Self {
        let mut rest = Self::default();
        for (key @ (control, part), values) in &self.0 {
            let whole = match part {
                Part::PodField(_) => Part::Pod,
                Part::ContainerField(_) => Part::Containers,
                part => *part,
            };
            if other.0.contains_key(&(*control, whole)) {
                continue;
            }
            let known = other.0.get(key).cloned().unwrap_or_default();
            let left: BTreeSet<String> = values.difference(&known).cloned().collect();
            if values.is_empty() || !left.is_empty() {
                rest.0.insert(*key, left);
            }
        }
        rest
    }

    /// The entries of `exclude`, with a further condition.
    pub(super) fn entries(&self, condition: &Map<String, Value>) -> Vec<Value> {
        let mut entries = Vec::new();
        for ((control, part), values) in &self.0 {
            let fields: Vec<Option<String>> = match part {
                Part::Pod | Part::Containers => vec![None],
                Part::PodField(field) => vec![Some(format!("spec.{field}"))],
                Part::ContainerField(field) => {
                    LISTS.iter().map(|list| Some(format!("spec.{list}[*].{field}"))).collect()
                }
            };
            for field in fields {
                let mut entry = condition.clone();
                entry.insert("controlName".to_owned(), (*control).into());
                if matches!(part, Part::Containers | Part::ContainerField(_)) {
                    entry.insert("images".to_owned(), json!(["*"]));
                }
                if let Some(field) = field {
                    entry.insert("restrictedField".to_owned(), field.into());
                    entry.insert("values".to_owned(), json!(values));
                }
                entries.push(Value::Object(entry));
            }
        }
        entries
    }
}
