//! Objects of files as webhooks receive them.
//!
//! A server decodes an object into the types of its kind, and drops what they do not have and zero
//! values that they omit. It sets the defaults of absent fields, its own admission plugins add
//! more, and mutating webhooks receive the result. Before validating webhooks receive the object,
//! the server prepares it for storage: it sets `metadata.uid`, and generates names. [`complete`]
//! does the same, for Kubernetes 1.37 with its default plugins and feature gates.
//!
//! Values that only a running server knows, such as the UID, are made up. [`otherwise`] and
//! [`by_literals`] return requests with other ones: what depends on the difference is not known.
//! [`created_anew`] returns the request for a new object in the place of one with a UID.
//!
//! `tests/conformance` compares the results with what webhooks of a running server receive.
//!
//! # What this module does not do
//! It does not convert objects between versions, and knows nothing of a cluster, such as its limit
//! ranges, priority classes and other webhooks.

mod defaults;
mod made_up;
mod plugins;
mod quantity;
mod stored;
mod types;

use serde_json::{Map, Value, json};

use crate::fields::{Fields, fields_of};
pub use made_up::{
    CRON_JOB_MINUTES, HASH, Literals, NODE, UID, by_literals, created_anew, is_made_up, otherwise,
};

/// The webhooks that receive an object.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Phase {
    /// Mutating webhooks, which receive the object that the client wrote, with defaults.
    Mutating,
    /// Validating webhooks, which receive the object as it would be stored.
    Validating,
}

/// Completes an object of a file for the webhooks of a phase. One with a UID of its own
/// ([`has_own_uid`]) keeps its metadata and its status.
///
/// # Example
/// ```
/// use kubernetes::completion::{Phase, complete};
/// use serde_json::json;
///
/// let mut pod = json!({
///     "apiVersion": "v1",
///     "kind": "Pod",
///     "metadata": { "name": "web" },
///     "spec": {
///         "hostNetwork": true,
///         "hostPID": false,
///         "containers": [{ "name": "web", "image": "web:1", "ports": [{ "containerPort": 80 }] }],
///     },
/// });
/// complete(&mut pod, Phase::Mutating);
/// assert_eq!(pod["spec"]["containers"][0]["ports"][0]["hostPort"], 80);
/// assert!(pod["spec"].get("hostPID").is_none());
/// ```
pub fn complete(object: &mut Value, phase: Phase) {
    complete_own(object);
    let Value::Object(fields) = object else { return };
    manage(fields);
    if Kind::of(fields).names() == ("", "Pod") {
        plugins::equip(fields);
    }
    if phase == Phase::Validating {
        store(object);
    }
}

/// Completes an object as [`complete`] does for mutating webhooks, without what servers add to
/// every object, whatever it has: its managers, and the token, the priority and the tolerations of
/// a pod. The token is a projected volume with read-only mounts, which no mirror pod has.
pub fn complete_own(object: &mut Value) {
    let Value::Object(fields) = object else { return };
    let kind = Kind::of(fields);
    if let Some(of) = kind.of {
        types::complete(fields, of);
    }
    plugins::admit(fields, &kind);
}

/// Turns an object that is completed for mutating webhooks into the one that validating webhooks
/// receive.
pub fn store(object: &mut Value) {
    let has_own_uid = has_own_uid(object);
    let Value::Object(fields) = object else { return };
    let kind = Kind::of(fields);
    stored::prepare(fields, &kind);
    if !has_own_uid {
        stored::identify(fields, &kind);
    }
}

/// The kind of an object.
struct Kind {
    /// The fields; `None` for a custom resource.
    of: Option<&'static Fields>,
    group: String,
    name: String,
}

impl Kind {
    fn of(object: &Map<String, Value>) -> Self {
        let (api_version, name) = (text_in(object, "apiVersion"), text_in(object, "kind"));
        let group = api_version.split_once('/').map_or("", |(group, _)| group);
        Self { of: fields_of(api_version, name), group: group.to_owned(), name: name.to_owned() }
    }

    /// Returns the group and the name.
    fn names(&self) -> (&str, &str) {
        (&self.group, &self.name)
    }
}

/// Completes an object of a file as if it had been stored, for requests that change or delete it.
/// Unlike that of a new object, its status is that of the file.
pub fn complete_stored(object: &mut Value) {
    let status = object.get("status").cloned();
    complete(object, Phase::Validating);
    if let (Some(status), Some(fields)) = (status, object.as_object_mut()) {
        fields.insert("status".to_owned(), status);
    }
}

/// Sets who manages the fields of an object. The fields themselves are made up.
///
/// Source: `UpdateNoErrors` in the handlers of `pkg/endpoints` of k8s.io/apiserver.
fn manage(object: &mut Map<String, Value>) {
    let api_version = text_in(object, "apiVersion").to_owned();
    let Some(metadata) = object_in(object, "metadata") else { return };
    let managed = json!([{
        "manager": made_up::MANAGER,
        "operation": "Update",
        "apiVersion": api_version,
        "time": made_up::TIME,
        "fieldsType": "FieldsV1",
        "fieldsV1": {},
    }]);
    set_absent(metadata, "managedFields", managed);
}

/// The annotation in which servers write a former field of a `DaemonSet`.
const TEMPLATE_GENERATION: &str = "deprecated.daemonset.template.generation";

/// Returns whether an object has a UID that completion has not made up. It is one of a server, as
/// in a dump, or a file claims so: kubectl and servers replace the metadata that servers set if
/// they create the object, and its status.
#[must_use]
pub fn has_own_uid(object: &Value) -> bool {
    let uid = object.pointer("/metadata/uid").and_then(Value::as_str).unwrap_or_default();
    !uid.is_empty() && !is_made_up(uid)
}

/// Returns an object in a field, which is created if it is absent; `None` for another value.
fn object_in<'v>(fields: &'v mut Map<String, Value>, name: &str) -> Option<&'v mut Map<String, Value>> {
    fields.entry(name).or_insert_with(|| Value::Object(Map::new())).as_object_mut()
}

/// Returns the objects in a list; none if it is absent.
fn objects_in<'v>(
    fields: &'v mut Map<String, Value>,
    name: &str,
) -> impl Iterator<Item = &'v mut Map<String, Value>> {
    let items = fields.get_mut(name).and_then(Value::as_array_mut);
    items.into_iter().flatten().filter_map(Value::as_object_mut)
}

/// Returns the text in a field; "" if there is none.
fn text_in<'v>(fields: &'v Map<String, Value>, name: &str) -> &'v str {
    fields.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn set_absent(fields: &mut Map<String, Value>, name: &str, value: impl Into<Value>) {
    fields.entry(name).or_insert_with(|| value.into());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_with_a_uid_keeps_its_metadata_and_its_status() {
        let mut pod = json!({
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": { "name": "web", "uid": "u", "generation": 3 },
            "spec": { "hostNetwork": true, "containers": [{ "name": "web", "ports": [{ "containerPort": 80 }] }] },
            "status": { "phase": "Running" },
        });
        complete(&mut pod, Phase::Validating);
        assert_eq!(pod["spec"]["containers"][0]["ports"][0]["hostPort"], 80);
        assert_eq!(pod["spec"]["serviceAccountName"], "default");
        assert_eq!((&pod["status"], &pod["metadata"]["uid"]), (&json!({ "phase": "Running" }), &json!("u")));
        let completed = pod.clone();
        complete(&mut pod, Phase::Validating);
        assert_eq!(pod, completed);
    }
}
