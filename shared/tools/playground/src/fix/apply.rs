//! The change of an object by an action.

use manifest::Step;
use serde_json::{Map, Value};

use super::Action;

impl Action {
    /// Notes what the action does with the object. Removals come after all others, the last items
    /// of lists first, so that indices stay.
    pub(crate) fn apply(&self, object: &mut Value, path: &[Step]) -> Option<()> {
        match self {
            Self::Set(value) => {
                *make(object, path)? = value.clone();
                Some(())
            }
            Self::Add(value) => {
                let list = make(object, path)?;
                if list.is_null() {
                    *list = Value::Array(Vec::new());
                }
                let items = list.as_array_mut()?;
                if !items.contains(value) {
                    items.push(value.clone());
                }
                Some(())
            }
            Self::Remove => remove(object, path),
        }
    }
}

/// Returns a field, which is created with its parents if it does not exist.
fn make<'v>(object: &'v mut Value, path: &[Step]) -> Option<&'v mut Value> {
    path.iter().try_fold(object, |value, step| match step {
        Step::Field(name) => {
            if value.is_null() {
                *value = Value::Object(Map::new());
            }
            Some(value.as_object_mut()?.entry(name.clone()).or_insert(Value::Null))
        }
        Step::Index(index) => value.get_mut(usize::try_from(*index).ok()?),
    })
}

/// Removes a field, with the parents that have no other field, and an item of a list with its list.
/// The name of an item stands for the item.
fn remove(object: &mut Value, path: &[Step]) -> Option<()> {
    let path = match path {
        [item @ .., Step::Index(_), Step::Field(name)] if name == "name" => {
            path.get(..item.len().saturating_add(1))?
        }
        path => path,
    };
    let (last, parents) = path.split_last()?;
    let parent = parents.iter().try_fold(&mut *object, |value, step| match step {
        Step::Field(name) => value.get_mut(name),
        Step::Index(index) => value.get_mut(usize::try_from(*index).ok()?),
    })?;
    let is_empty = match last {
        Step::Field(name) => {
            let fields = parent.as_object_mut()?;
            fields.remove(name)?;
            fields.is_empty()
        }
        Step::Index(index) => {
            let (items, index) = (parent.as_array_mut()?, usize::try_from(*index).ok()?);
            if items.len() <= index {
                return None;
            }
            items.remove(index);
            items.is_empty()
        }
    };
    // The specification stays, and so does an item of a list.
    if is_empty && parents.len() > 1 && matches!(parents.last(), Some(Step::Field(_))) {
        return remove(object, parents);
    }
    Some(())
}
