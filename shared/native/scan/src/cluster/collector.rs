//! The collection of the objects that policies look up.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use kubernetes::kinds::Kinds;
use kubernetes::objects::Objects;
use serde_json::Value;

use super::{Cluster, DEFINITION, Key, Kind, MOST_STATES, owned};
use crate::entry::{Content, Entry};
use crate::input::{Chunk, Input, may_spell};
use crate::labels::{add_name_label, labels_mut, labels_of};
use crate::options::Options;
use crate::request::complete;

const INPUT_COUNTS: &str =
    "policies are matched by its labels in the input, which override those in the cluster";

#[derive(Debug)]
pub(crate) struct Collector {
    kinds: BTreeSet<Kind>,
    stored: Vec<Value>,
    /// The objects of the input; `None` while the cluster is read.
    given: Option<Vec<Value>>,
    /// The kinds that the old side and the cluster define.
    resources: Kinds,
    withheld: BTreeMap<Kind, String>,
}

impl Collector {
    pub(crate) fn new(kinds: BTreeSet<Kind>, resources: Kinds) -> Self {
        Self { kinds, stored: Vec::new(), given: None, resources, withheld: BTreeMap::new() }
    }

    /// Notes the kinds that a source knows, and those that it could not read.
    pub(crate) fn note(&mut self, source: &dyn Input) {
        self.resources.extend(source.kinds());
        self.withheld.extend(source.withheld());
    }

    pub(crate) fn kinds(&self) -> &BTreeSet<Kind> {
        &self.kinds
    }

    /// Returns whether a piece can contain an object of one of the kinds. The list can name the
    /// kind of its items, and the text can spell it in another way.
    pub(crate) fn may_have(&self, chunk: &Chunk) -> bool {
        let of_items = chunk.list.as_ref().and_then(|list| list.fields.get("kind")).and_then(Value::as_str);
        let of_items = of_items.and_then(|kind| kind.strip_suffix("List"));
        may_spell(chunk.text.as_bytes())
            || self.kinds.iter().any(|(_, kind)| of_items == Some(kind) || chunk.text.contains(kind.as_str()))
    }

    pub(crate) fn select(&self, entry: Entry) -> Option<Value> {
        let Content::Object(object) = entry.content else { return None };
        self.wants(&object).then_some(object)
    }

    pub(crate) fn has_kind(&self, name: &str) -> bool {
        self.kinds.iter().any(|(_, kind)| kind == name)
    }

    pub(crate) fn wants(&self, object: &Value) -> bool {
        let text = |name| object.get(name).and_then(Value::as_str).unwrap_or_default();
        self.kinds.contains(&owned((text("apiVersion"), text("kind"))))
    }

    pub(crate) fn add(&mut self, object: Value) {
        // An object whose name the API server makes up cannot be looked up.
        if !key(&object).2.is_empty() {
            self.given.as_mut().unwrap_or(&mut self.stored).push(object);
        }
    }

    /// Notes that the objects that follow are those of the input, and not stored.
    pub(crate) fn begin_input(&mut self) {
        self.given = Some(Vec::new());
    }

    /// Returns the cluster. Objects of the input are completed as for requests, and replace stored
    /// ones.
    pub(crate) fn finish(self, is_complete: bool, options: &Options) -> Cluster {
        let Self { kinds: collected, stored, given, mut resources, withheld } = self;
        let given = given.unwrap_or_default();
        let definitions = stored.iter().chain(&given).filter(|object| key(object).0.1 == DEFINITION.1);
        let definitions: BTreeMap<Key, &Value> = definitions.map(|object| (key(object), object)).collect();
        for definition in definitions.into_values() {
            // A definition that cannot be read defines nothing.
            let _ = resources.add_definition(definition);
        }
        let mut objects = BTreeMap::new();
        for mut object in stored {
            complete_stored(&mut object, options, &resources);
            objects.insert(key(&object), object);
        }
        let Given { states, ambiguous, without_labels } = Given::of(given, options, &resources);
        let remarks = replace(&mut objects, states);
        let mut namespaces = BTreeMap::new();
        let mut values = Vec::new();
        let mut kinds = BTreeSet::new();
        for (key, mut object) in objects {
            if is_namespace(&key) {
                add_name_label(&mut object);
                // Selectors on one of several states are unknown.
                if !without_labels.contains(&key.2) {
                    namespaces.insert(key.2, labels_of(&object));
                }
            }
            kinds.insert(key.0);
            values.push(object);
        }
        let objects =
            Objects::from_values(values).unwrap_or_else(|error| Objects::unreachable(error.to_string()));
        Cluster {
            objects: Arc::new(objects),
            is_complete,
            collected: Some(collected),
            kinds,
            ambiguous,
            withheld,
            namespaces,
            remarks,
            resources,
            session: None,
            memo: Arc::default(),
        }
    }
}

/// The objects of the input, completed as for requests.
#[derive(Default)]
struct Given {
    /// The last state of each.
    states: BTreeMap<Key, Value>,
    /// All states of those with different ones.
    ambiguous: BTreeMap<Key, Vec<Value>>,
    /// The Namespaces of which the input has states with different labels.
    without_labels: BTreeSet<String>,
}

impl Given {
    fn of(objects: Vec<Value>, options: &Options, resources: &Kinds) -> Self {
        let mut given = Self::default();
        for mut object in objects {
            complete(&mut object, options, resources);
            let key = key(&object);
            if let Some(known) = given.states.insert(key.clone(), object.clone())
                && known != object
            {
                if is_namespace(&key) && labels_of(&known) != labels_of(&object) {
                    given.without_labels.insert(key.2.clone());
                }
                let states = given.ambiguous.entry(key).or_insert_with(|| vec![known]);
                if states.len() < MOST_STATES && !states.contains(&object) {
                    states.push(object);
                }
            }
        }
        given
    }
}

/// Replaces stored objects by states of the input, and returns what is to say about it.
fn replace(stored: &mut BTreeMap<Key, Value>, states: BTreeMap<Key, Value>) -> Vec<String> {
    let mut remarks = Vec::new();
    for (key, mut object) in states {
        // A manifest does not remove the labels that others gave a stored Namespace.
        if is_namespace(&key)
            && let Some(stored) = stored.get_mut(&key)
        {
            add_name_label(stored);
            keep_labels(stored, &mut object);
            if labels_of(stored) != labels_of(&object) {
                remarks.push(format!("Namespace {}: {INPUT_COUNTS}", key.2));
            }
        }
        stored.insert(key, object);
    }
    remarks
}

/// Completes a stored object that a file may write as users do. Servers show the others whole, and
/// an object of an unknown kind may have no namespace.
fn complete_stored(object: &mut Value, options: &Options, resources: &Kinds) {
    let text = |name| object.get(name).and_then(Value::as_str).unwrap_or_default();
    if resources.resource(text("apiVersion"), text("kind")).is_namespaced.is_some() {
        complete(object, options, resources);
    }
}

fn key(object: &Value) -> Key {
    let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
    ((text("/apiVersion"), text("/kind")), text("/metadata/namespace"), text("/metadata/name"))
}

fn is_namespace(((api_version, kind), ..): &Key) -> bool {
    api_version == "v1" && kind == "Namespace"
}

/// Adds the labels of a stored object that another state of the object lacks.
fn keep_labels(stored: &Value, object: &mut Value) {
    let Some(stored) = stored.pointer("/metadata/labels").and_then(Value::as_object) else { return };
    let Some(labels) = labels_mut(object) else { return };
    for (key, value) in stored {
        labels.entry(key.clone()).or_insert_with(|| value.clone());
    }
}
