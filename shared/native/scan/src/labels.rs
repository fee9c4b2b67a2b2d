//! The labels of Namespaces.

use serde_json::{Map, Value, json};

/// Adds the label with the name of a Namespace, as the API server does when it stores one.
pub(crate) fn add_name_label(namespace: &mut Value) {
    let name = namespace.pointer("/metadata/name").cloned().unwrap_or_default();
    if name.is_string()
        && let Some(labels) = labels_mut(namespace)
    {
        labels.insert("kubernetes.io/metadata.name".to_owned(), name);
    }
}

/// Returns the labels of an object, which get their field if the object has metadata.
pub(crate) fn labels_mut(object: &mut Value) -> Option<&mut Map<String, Value>> {
    let labels = object.get_mut("metadata")?.as_object_mut()?.entry("labels").or_insert(Value::Null);
    if labels.is_null() {
        *labels = json!({});
    }
    labels.as_object_mut()
}

/// Returns an object with nothing but the labels of another.
pub(crate) fn labels_of(object: &Value) -> Value {
    json!({ "metadata": { "labels": object.pointer("/metadata/labels") } })
}
