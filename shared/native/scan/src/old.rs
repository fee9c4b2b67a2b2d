//! The stored objects that the input is compared with.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use kubernetes::kinds::Kinds;
use report::{Level, Notice, Place};
use serde_json::{Value, json};

use crate::cluster::DEFINITION;
use crate::entry::Content;
use crate::input::Input;
use crate::locate::Locator;
use crate::options::Options;
use crate::request::complete;
use crate::subject::{Identity, identity};

/// The objects that are stored before the change that the input is, as they were read.
#[derive(Debug, Default)]
pub struct Old {
    objects: Vec<(Value, Place)>,
}

impl Old {
    /// Reads the old side. The notices are about what cannot be read.
    pub fn read(input: &mut dyn Input) -> (Self, Vec<Notice>) {
        let mut old = Self::default();
        let mut notices = Vec::new();
        while let Some(next) = input.next() {
            let chunk = match next {
                Ok(chunk) => chunk,
                Err(unreadable) => {
                    notices.push(crate::unreadable_input(&unreadable, false));
                    continue;
                }
            };
            let read = match crate::entry::read(&chunk) {
                Ok(read) => read,
                Err(problem) => {
                    notices.push(crate::unreadable(&chunk, &problem));
                    continue;
                }
            };
            let locator = Locator::new(&chunk);
            for entry in read.entries {
                let (content, spot) = entry.take(&chunk);
                if let Content::Object(object) = content {
                    old.objects.push((object, locator.place(&spot, None)));
                }
            }
        }
        (old, notices)
    }

    pub(crate) fn definitions(&self) -> Kinds {
        let mut kinds = Kinds::default();
        for (object, _) in &self.objects {
            if object.get("kind").and_then(Value::as_str) == Some(DEFINITION.1) {
                // A definition that cannot be read defines nothing.
                let _ = kinds.add_definition(object);
            }
        }
        kinds
    }
}

/// The old side with the identities of its objects.
///
/// Objects are completed by the same definitions on both sides: an object that has a namespace on
/// one side alone would be a deletion and a creation, and not an update.
#[derive(Debug)]
pub(crate) struct Stored<'s> {
    objects: BTreeMap<Identity, &'s (Value, Place)>,
    options: &'s Options,
    kinds: Kinds,
}

impl<'s> Stored<'s> {
    /// Identifies the objects. An object is the same in both sides if group, kind, namespace and
    /// name are. The notices are about objects that the old side has twice.
    pub(crate) fn of(old: &'s Old, options: &'s Options, kinds: Kinds) -> (Self, Vec<Notice>) {
        let mut stored = Self { objects: BTreeMap::new(), options, kinds };
        let mut notices = Vec::new();
        for object in &old.objects {
            let Some(identity) = identity_of(&object.0, options, &stored.kinds) else { continue };
            let known = match stored.objects.entry(identity) {
                Entry::Vacant(entry) => {
                    entry.insert(object);
                    continue;
                }
                Entry::Occupied(mut entry) => entry.insert(object),
            };
            if stored.complete(&known.0) != stored.complete(&object.0) {
                let message = format!(
                    "the state before has this object twice, also at {}; name one state with --old",
                    known.1
                );
                let place = Some(object.1.clone());
                notices.push(Notice { level: Level::Error, place, message });
            }
        }
        (stored, notices)
    }

    pub(crate) fn get(&self, identity: &Identity) -> Option<Value> {
        self.objects.get(identity).map(|(object, _)| self.complete(object))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Identity, Value, &Place)> {
        self.objects.iter().map(|(identity, (object, place))| (identity, self.complete(object), place))
    }

    fn complete(&self, object: &Value) -> Value {
        let mut object = object.clone();
        complete(&mut object, self.options, &self.kinds);
        object
    }
}

/// Returns group, kind, namespace and name of an object, completed with the namespace of objects
/// that name none, without a copy of the whole object. `None` without a name.
#[must_use]
pub fn identity_in(object: &Value, namespace: &str, kinds: &Kinds) -> Option<Identity> {
    let options = Options { default_namespace: namespace.to_owned(), ..Options::default() };
    identity_of(object, &options, kinds)
}

fn identity_of(object: &Value, options: &Options, kinds: &Kinds) -> Option<Identity> {
    let at = |pointer: &str| object.pointer(pointer).cloned().unwrap_or_default();
    let mut object = json!({
        "apiVersion": at("/apiVersion"),
        "kind": at("/kind"),
        "metadata": { "name": at("/metadata/name"), "namespace": at("/metadata/namespace") },
    });
    complete(&mut object, options, kinds);
    identity(&object)
}
