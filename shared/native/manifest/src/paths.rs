//! Values at paths.

use serde_json::Value;
use text::{Path, Step};

/// Displays a path, as in `spec.containers[0]`.
#[must_use]
pub fn path(steps: &[Step]) -> String {
    Path(&steps.iter().map(Step::borrowed).collect::<Vec<_>>()).to_string()
}

/// Returns the value of a field or an item.
#[must_use]
pub fn child<'v>(value: &'v Value, step: &Step) -> Option<&'v Value> {
    match step {
        Step::Field(name) => value.get(name),
        Step::Index(index) => value.get(usize::try_from(*index).ok()?),
    }
}

/// Returns the value at a path, to change it.
pub fn value_at_mut<'v>(value: &'v mut Value, path: &[Step]) -> Option<&'v mut Value> {
    path.iter().try_fold(value, |value, step| match step {
        Step::Field(name) => value.get_mut(name),
        Step::Index(index) => value.get_mut(usize::try_from(*index).ok()?),
    })
}

/// Removes the field or item at the last step of a path from its object or list, which is
/// returned.
pub fn remove<'v>(value: &'v mut Value, path: &[Step]) -> Option<&'v Value> {
    let (last, parents) = path.split_last()?;
    let parent = value_at_mut(value, parents)?;
    match last {
        Step::Field(name) => {
            parent.as_object_mut()?.remove(name)?;
        }
        Step::Index(index) => {
            let (items, index) = (parent.as_array_mut()?, usize::try_from(*index).ok()?);
            if items.len() <= index {
                return None;
            }
            items.remove(index);
        }
    }
    Some(parent)
}
