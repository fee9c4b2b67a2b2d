//! The stored objects that the input is compared with.

use std::collections::{BTreeMap, BTreeSet};

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
    objects: Vec<Known>,
}

#[derive(Debug)]
struct Known {
    object: Value,
    place: Place,
    /// The path that identifies its file in the new side.
    path: String,
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
                    notices.push(unreadable.notice());
                    continue;
                }
            };
            let read = match crate::entry::read(&chunk) {
                Ok(read) => read,
                Err(problem) => {
                    notices.push(chunk.unreadable(&problem));
                    continue;
                }
            };
            notices.extend(read.lost(&chunk, Level::Warning));
            let locator = Locator::new(&chunk);
            for entry in read.entries {
                let (content, spot) = entry.take(&chunk);
                if let Content::Object(object) = content {
                    let (place, path) = (locator.place(&spot, None), chunk.origin.path.clone());
                    old.objects.push(Known { object, place, path });
                }
            }
        }
        (old, notices)
    }

    pub(crate) fn definitions(&self) -> Kinds {
        let mut kinds = Kinds::default();
        for Known { object, .. } in &self.objects {
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
    /// The objects with an identity, at most one of each file.
    objects: BTreeMap<Identity, Vec<&'s Known>>,
    /// The identities of several objects of the new side.
    repeated: BTreeSet<Identity>,
    options: &'s Options,
    kinds: Kinds,
}

/// An object of the old side, by its identity and the path of its file.
pub(crate) type Seen = (Identity, String);

impl<'s> Stored<'s> {
    /// Identifies the objects. An object is the same in both sides if group, kind, namespace and
    /// name are, and the file is. If each side has one such object, the file does not matter.
    ///
    /// The notices are about objects that a file of the old side has twice.
    pub(crate) fn of(
        old: &'s Old,
        new: &mut dyn Input,
        options: &'s Options,
        kinds: Kinds,
    ) -> (Self, Vec<Notice>) {
        let mut stored = Self { objects: BTreeMap::new(), repeated: BTreeSet::new(), options, kinds };
        let mut notices = Vec::new();
        for one in &old.objects {
            let Some(identity) = identity_of(&one.object, options, &stored.kinds) else { continue };
            let namesakes = stored.objects.entry(identity).or_default();
            let Some(known) = namesakes.iter_mut().find(|known| known.path == one.path) else {
                namesakes.push(one);
                continue;
            };
            let known = std::mem::replace(known, one);
            if stored.complete(&known.object) != stored.complete(&one.object) {
                let message = format!(
                    "the state before has this object twice, also at {}; name one state with --old",
                    known.place
                );
                notices.push(Notice { level: Level::Error, place: Some(one.place.clone()), message });
            }
        }
        stored.repeated = stored.repeated_in(new);
        (stored, notices)
    }

    /// Returns the identities that several objects of the new side have. The evaluation reports
    /// texts that cannot be read.
    fn repeated_in(&self, new: &mut dyn Input) -> BTreeSet<Identity> {
        let (mut found, mut repeated) = (BTreeSet::new(), BTreeSet::new());
        new.rewind();
        while let Some(next) = new.next() {
            let Ok(chunk) = next else { continue };
            let entries = crate::entry::read(&chunk).map(|read| read.entries).unwrap_or_default();
            for entry in entries {
                let Content::Object(object) = entry.content else { continue };
                let identity = identity_of(&object, self.options, &self.kinds);
                let known = identity.filter(|identity| self.objects.contains_key(identity));
                repeated.extend(known.and_then(|identity| found.replace(identity)));
            }
        }
        new.rewind();
        repeated
    }

    /// Returns the object that one of a file of the new side, in an API version, changes, with its
    /// place if it is in another file.
    pub(crate) fn get(
        &self,
        identity: Identity,
        path: &str,
        version: &str,
    ) -> Option<(Seen, Value, Option<&Place>)> {
        let namesakes = self.objects.get(&identity)?;
        let known = namesakes.iter().find(|known| known.path == path).or(match namesakes.as_slice() {
            [one] if !self.repeated.contains(&identity) => Some(one),
            _ => None,
        })?;
        let elsewhere = (known.path != path).then_some(&known.place);
        let mut object = known.object.clone();
        convert(&mut object, version);
        complete(&mut object, self.options, &self.kinds);
        Some(((identity, known.path.clone()), object, elsewhere))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (Seen, Value, &Place)> {
        let all =
            self.objects.iter().flat_map(|(identity, of)| of.iter().map(move |known| (identity, known)));
        all.map(|(identity, known)| {
            ((identity.clone(), known.path.clone()), self.complete(&known.object), &known.place)
        })
    }

    fn complete(&self, object: &Value) -> Value {
        let mut object = object.clone();
        complete(&mut object, self.options, &self.kinds);
        object
    }
}

/// Converts an object to another version of its group, as API servers do for the old object of a
/// request. An object with fields that the version does not have stays as it is.
fn convert(object: &mut Value, version: &str) {
    let text = |key| object.get(key).and_then(Value::as_str).unwrap_or_default();
    let kind = text("kind");
    if text("apiVersion") == version {
        return;
    }
    let is_known = kubernetes::fields::fields_of(version, kind).is_some();
    if is_known
        && kubernetes::fields::mistakes(version, kind, object).is_empty()
        && let Some(own) = object.get_mut("apiVersion")
    {
        *own = version.into();
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
