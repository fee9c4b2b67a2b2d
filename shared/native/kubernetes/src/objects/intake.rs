//! Conversion of JSON values to objects with an identity.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use text::Step;

use crate::objects::{ItemsError, ObjectError, ObjectPlace, ObjectProblem};

/// The objects of one kind, in the order in which they were given.
pub(crate) type Kinds = BTreeMap<KindKey, Vec<Object>>;

pub(crate) type KindKey = (String, String);

/// An object with its namespace and name, which identify it among those of its kind.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub(crate) namespace: Option<String>,
    pub(crate) name: String,
    pub(crate) value: Value,
}

#[derive(Debug, Default)]
pub(crate) struct Intake {
    pub(crate) kinds: Kinds,
    places: BTreeMap<(KindKey, Option<String>, String), ObjectPlace>,
}

impl Intake {
    pub(crate) fn value(&mut self, value: Value, place: &ObjectPlace) -> Result<(), ObjectError> {
        let value = match items(value) {
            Ok(items) => {
                for (index, item) in (0..).zip(items) {
                    self.value(item, &place.field("items").step(Step::Index(index)))?;
                }
                return Ok(());
            }
            Err(value) => value,
        };
        match value {
            Value::Object(fields) if is_list(&fields) => {
                Err(place.field("items").unreadable("expected a list; give the objects as a list"))
            }
            Value::Object(fields) => self.object(fields, place),
            _ => Err(place.unreadable("expected a Kubernetes object; give one with apiVersion and kind")),
        }
    }

    fn object(&mut self, fields: Map<String, Value>, place: &ObjectPlace) -> Result<(), ObjectError> {
        let api_version = required(&fields, "apiVersion", place)?;
        let kind = required(&fields, "kind", place)?;
        let at = place.field("metadata");
        let Some(Value::Object(metadata)) = fields.get("metadata") else {
            return Err(at.unreadable("expected an object; give it at least a name"));
        };
        let name = required(metadata, "name", &at)?;
        let namespace = match metadata.get("namespace") {
            None | Some(Value::Null) => None,
            Some(Value::String(namespace)) => Some(namespace.clone()).filter(|text| !text.is_empty()),
            Some(_) => {
                let problem = "expected a string; give the name of the namespace or remove the field";
                return Err(at.field("namespace").unreadable(problem));
            }
        };
        let key = (api_version, kind);
        let identity = (key.clone(), namespace.clone(), name.clone());
        if let Some(first) = self.places.insert(identity, place.clone()) {
            let (api_version, kind) = key;
            let path = namespace.map_or(name.clone(), |namespace| format!("{namespace}/{name}"));
            let object = format!("{api_version} {kind} {path}");
            let problem = ObjectProblem::Duplicate { object, first };
            return Err(ObjectError { place: place.clone(), problem });
        }
        self.kinds.entry(key).or_default().push(Object { namespace, name, value: Value::Object(fields) });
        Ok(())
    }
}

impl ObjectPlace {
    fn step(&self, step: Step) -> Self {
        let mut place = self.clone();
        place.steps.push(step);
        place
    }

    fn field(&self, name: &str) -> Self {
        self.step(Step::Field(name.to_owned()))
    }

    fn unreadable(&self, problem: &'static str) -> ObjectError {
        ObjectError { place: self.clone(), problem: ObjectProblem::Unreadable(problem) }
    }
}

/// Returns the items of a `List`, or of a typed list such as `PodList`, whose items inherit the API
/// version and kind that the list implies.
///
/// # Errors
/// Returns the value itself if it is not a list, or if its items are not an array.
pub fn items(value: Value) -> Result<Vec<Value>, Value> {
    let Value::Object(mut list) = value else { return Err(value) };
    if !is_list(&list) {
        return Err(Value::Object(list));
    }
    match list.remove("items") {
        Some(Value::Array(mut items)) => {
            for item in &mut items {
                if let Value::Object(fields) = item {
                    inherit(fields, &list);
                }
            }
            Ok(items)
        }
        // The API server's encoder writes an empty list this way.
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(other) => {
            list.insert("items".to_owned(), other);
            Err(Value::Object(list))
        }
    }
}

/// Checks that an object of a text is the one that kubectl applies: it takes everything with a
/// field `items` for a list, whatever its kind, and applies the items alone. Objects from an API
/// server and the items of a list may have the field.
///
/// The source is `unstructuredJSONScheme.decode` in `k8s.io/apimachinery`.
///
/// # Errors
/// An object that is not a list and has the field, and a list with another value in it.
///
/// # Example
/// ```
/// use serde_json::json;
///
/// let pod = json!({ "apiVersion": "v1", "kind": "Pod", "items": [] });
/// let message = "items: kubectl applies the items and not the Pod; remove the field, or give the items in a List";
/// assert_eq!(kubernetes::objects::check_items(&pod).unwrap_err().to_string(), message);
/// ```
pub fn check_items(value: &Value) -> Result<(), ItemsError> {
    let Value::Object(fields) = value else { return Ok(()) };
    match fields.get("kind").and_then(Value::as_str) {
        // Without a kind, kubectl refuses the object.
        Some(kind) if fields.contains_key("items") && !is_list(fields) => {
            Err(ItemsError::OfObject { kind: kind.to_owned() })
        }
        Some(_) if is_list(fields) && !matches!(fields.get("items"), Some(Value::Array(_) | Value::Null)) => {
            Err(ItemsError::NoList)
        }
        _ => Ok(()),
    }
}

/// Returns whether an object is a `List`, or a typed list such as `PodList` with items. An object
/// with a name is not a list, even if its kind ends in `List`.
fn is_list(fields: &Map<String, Value>) -> bool {
    match fields.get("kind").and_then(Value::as_str) {
        Some("List") => true,
        Some(kind) => {
            kind.ends_with("List")
                && fields.contains_key("items")
                && fields.get("metadata").and_then(|metadata| metadata.get("name")).is_none()
        }
        None => false,
    }
}

/// Adds the API version and kind to an item of a list with these fields: the API server omits them
/// in the items of a `PodList`.
pub fn inherit(item: &mut Map<String, Value>, list: &Map<String, Value>) {
    let kind = list.get("kind").and_then(Value::as_str).and_then(|kind| kind.strip_suffix("List"));
    let Some(kind) = kind.filter(|kind| !kind.is_empty()) else { return };
    if !item.contains_key("kind") {
        item.insert("kind".to_owned(), kind.into());
    }
    if !item.contains_key("apiVersion")
        && let Some(api_version) = list.get("apiVersion")
    {
        item.insert("apiVersion".to_owned(), api_version.clone());
    }
}

fn required(fields: &Map<String, Value>, name: &str, place: &ObjectPlace) -> Result<String, ObjectError> {
    match fields.get(name) {
        Some(Value::String(text)) if !text.is_empty() => Ok(text.clone()),
        _ => Err(place.field(name).unreadable("expected a non-empty string; add it")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn take(values: Vec<Value>) -> Result<Kinds, ObjectError> {
        let mut intake = Intake::default();
        for (index, value) in values.into_iter().enumerate() {
            intake.value(value, &ObjectPlace { index, steps: Vec::new() })?;
        }
        Ok(intake.kinds)
    }

    fn refused(values: Vec<Value>) -> String {
        take(values).unwrap_err().to_string()
    }

    fn names(kinds: &Kinds) -> Vec<String> {
        let objects = kinds.iter().flat_map(|((_, kind), objects)| objects.iter().map(move |o| (kind, o)));
        objects.map(|(kind, object)| format!("{kind} {}", object.name)).collect()
    }

    #[test]
    fn reads_the_items_of_lists() {
        let kinds = take(vec![
            json!({ "apiVersion": "v1", "kind": "PodList", "metadata": { "resourceVersion": "1" }, "items": [
                { "metadata": { "name": "a" } },
                { "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "b" } },
            ] }),
            json!({ "apiVersion": "v1", "kind": "List", "items": [
                { "apiVersion": "v1", "kind": "Node", "metadata": { "name": "c" } },
            ] }),
            json!({ "apiVersion": "v1", "kind": "ServiceList", "items": null }),
        ]);
        assert_eq!(names(&kinds.unwrap()), ["Node c", "Pod a", "Pod b"]);
    }

    #[test]
    fn a_named_object_whose_kind_ends_in_list_is_not_a_list() {
        let kinds = take(vec![
            json!({ "apiVersion": "example.com/v1", "kind": "AllowList", "metadata": { "name": "a" }, "items": [] }),
        ]);
        assert_eq!(names(&kinds.unwrap()), ["AllowList a"]);
    }

    #[test]
    fn rejects_other_values_with_their_place() {
        let none = "expected a non-empty string; add it";
        for (value, message) in [
            (json!(1), "objects[0]: expected a Kubernetes object; give one with apiVersion and kind".into()),
            (json!({ "kind": "Pod" }), format!("objects[0]: apiVersion: {none}")),
            (json!({ "apiVersion": "v1" }), format!("objects[0]: kind: {none}")),
            (
                json!({ "apiVersion": "v1", "kind": "Pod" }),
                "objects[0]: metadata: expected an object; give it at least a name".into(),
            ),
            (
                json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "generateName": "a-" } }),
                format!("objects[0]: metadata.name: {none}"),
            ),
            (
                json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "a", "namespace": 1 } }),
                "objects[0]: metadata.namespace: expected a string; give the name of the namespace or remove the field"
                    .into(),
            ),
            (
                json!({ "apiVersion": "v1", "kind": "List", "items": {} }),
                "objects[0]: items: expected a list; give the objects as a list".into(),
            ),
            (
                json!({ "apiVersion": "v1", "kind": "List", "items": [{ "apiVersion": "v1" }] }),
                format!("objects[0]: items[0].kind: {none}"),
            ),
        ] {
            assert_eq!(refused(vec![value]), message);
        }
    }

    #[test]
    fn rejects_duplicate_objects() {
        let pod = json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "a", "namespace": "d" } });
        let other =
            json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "a", "namespace": "e" } });
        assert_eq!(
            refused(vec![pod.clone(), other, json!({ "kind": "List", "items": [pod] })]),
            "objects[2]: items[0]: v1 Pod d/a is a duplicate of objects[0]; remove one of the two",
        );
    }
}
