//! Changes of objects.

use admission::Change;
use manifest::Step;
use serde_json::{Map, Value};

/// Makes a change at a path of an object; `None` if the object does not have the path. Of several
/// changes, removals come after all others, the last items of lists first, so that indices stay.
pub(crate) fn apply(change: &Change, object: &mut Value, path: &[Step]) -> Option<()> {
    match change {
        Change::SetFlag(value) => *make(object, path)? = (*value).into(),
        Change::SetText(value) => *make(object, path)? = value.as_ref().into(),
        Change::Insert(value) => {
            let list = make(object, path)?;
            if list.is_null() {
                *list = Value::Array(Vec::new());
            }
            let items = list.as_array_mut()?;
            if !items.iter().any(|item| item == value.as_ref()) {
                items.push(value.as_ref().into());
            }
        }
        Change::Remove => remove(object, path)?,
        Change::RemoveItem => {
            let last = path.iter().rposition(|step| matches!(step, Step::Index(_)))?;
            remove(object, path.get(..=last)?)?;
        }
    }
    Some(())
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
fn remove(object: &mut Value, path: &[Step]) -> Option<()> {
    let is_empty = match manifest::remove(object, path)? {
        Value::Object(fields) => fields.is_empty(),
        parent => parent.as_array().is_some_and(Vec::is_empty),
    };
    let parents = path.split_last()?.1;
    // The specification stays, and so does an item of a list.
    if is_empty && parents.len() > 1 && matches!(parents.last(), Some(Step::Field(_))) {
        return remove(object, parents);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn changes_are_made_with_the_parents_of_fields() {
        let mut object = json!({
            "spec": {
                "hostPID": true,
                "securityContext": { "sysctls": [{ "name": "a" }, { "name": "b" }] },
                "containers": [{ "name": "c", "securityContext": { "privileged": true } }],
            },
        });
        let container = "spec.containers[0].securityContext";
        for (change, path) in [
            (Change::SetFlag(false), format!("{container}.allowPrivilegeEscalation")),
            (Change::Insert("ALL".into()), format!("{container}.capabilities.drop")),
            (Change::Remove, format!("{container}.privileged")),
            (Change::RemoveItem, "spec.securityContext.sysctls[1].name".to_owned()),
            (Change::RemoveItem, "spec.securityContext.sysctls[0].name".to_owned()),
            (Change::Remove, "spec.hostPID".to_owned()),
        ] {
            apply(&change, &mut object, &convert::steps(&path)).unwrap();
        }
        let context = json!({ "allowPrivilegeEscalation": false, "capabilities": { "drop": ["ALL"] } });
        assert_eq!(
            object,
            json!({ "spec": { "containers": [{ "name": "c", "securityContext": context }] } })
        );
        assert_eq!(apply(&Change::Remove, &mut object, &convert::steps("spec.x")), None);
        assert_eq!(apply(&Change::Remove, &mut object, &convert::steps("spec.containers[7]")), None);
    }
}
