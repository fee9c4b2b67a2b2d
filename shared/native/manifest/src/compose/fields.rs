//! The fields of a mapping, with those that it merges.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use serde_json::Value;

use super::{Fault, Limits};
use crate::Position;
use crate::part::{Part, Parts};
use crate::scalar::Scalar;

#[derive(Default)]
pub(super) struct Fields {
    pub(super) list: Vec<(String, Position, Part)>,
    known: BTreeMap<String, Known>,
}

struct Known {
    index: usize,
    is_merged: bool,
}

impl Fields {
    pub(super) fn explicit(
        &mut self,
        name: String,
        at: Position,
        value: Part,
        limits: Limits,
    ) -> Result<(), Fault> {
        match self.known.entry(name) {
            Entry::Vacant(new) => {
                let field = (new.key().clone(), at, value);
                new.insert(Known { index: self.list.len(), is_merged: false });
                self.list.push(field);
            }
            Entry::Occupied(mut known) => {
                if !known.get().is_merged && !limits.takes_duplicates || is_no_string(known.key()) {
                    return Err(Fault::Duplicate(at, duplicate_key(known.key())));
                }
                if let Some(field) = self.list.get_mut(known.get().index) {
                    *field = (known.key().clone(), at, value);
                }
                known.get_mut().is_merged = false;
            }
        }
        Ok(())
    }

    /// Adds the fields of a mapping, or of a list of mappings, the first of which outweighs others.
    pub(super) fn merge(&mut self, merged: Part, at: Position, limits: Limits) -> Result<(), Fault> {
        let no_mapping = || Fault::Refused(at, "<< takes a mapping or a list of mappings".to_owned());
        let mappings = match merged.parts {
            Parts::List(items) => items,
            _ => vec![merged],
        };
        let mut new: BTreeMap<String, (Position, Part)> = BTreeMap::new();
        for mapping in mappings {
            let Parts::Object(fields) = mapping.parts else { return Err(no_mapping()) };
            for (name, at, value) in fields {
                new.entry(name).or_insert((at, value));
            }
        }
        for (name, (place, value)) in new {
            match self.known.entry(name) {
                Entry::Vacant(new) => {
                    let field = (new.key().clone(), place, value);
                    new.insert(Known { index: self.list.len(), is_merged: true });
                    self.list.push(field);
                }
                Entry::Occupied(known) => {
                    let Some(field) = self.list.get_mut(known.get().index) else { continue };
                    if field.2.clone().into_value() == value.clone().into_value() {
                        continue;
                    }
                    if !limits.takes_duplicates || is_no_string(known.key()) {
                        return Err(Fault::Duplicate(at, overridden(known.key())));
                    }
                    *field = (known.key().clone(), place, value);
                }
            }
        }
        Ok(())
    }
}

/// Returns whether the text of a key can be that of a number or a boolean: kubectl takes `1` and
/// `"1"` for two keys, and then one of their values at random.
fn is_no_string(key: &str) -> bool {
    let plain = Scalar { text: key, is_plain: true, tag: None };
    !matches!(plain.value(), Ok(Value::String(_)))
}

pub(crate) fn duplicate_key(key: &str) -> String {
    format!("duplicate key `{key}`")
}

fn overridden(key: &str) -> String {
    format!(
        "duplicate key `{key}`: this merge has another value, which kubectl takes and kustomize does not; \
         write << before the key, or remove one of the values"
    )
}
