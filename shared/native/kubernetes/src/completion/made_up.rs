//! Values that only a running server or its controllers know.

use serde_json::{Map, Value, json};

use super::is_stored;

/// The hash of a pod template, of characters that no real one has.
pub const HASH: &str = "zzzzzzzzzz";
/// The minutes in the name of the Job of a `CronJob`.
pub const CRON_JOB_MINUTES: &str = "29999999";
pub(super) const SUFFIX: &str = "z2z4z";
/// The name of the node of a `DaemonSet`'s pod.
pub const NODE: &str = "node-z2z4z";
/// The UID of an object.
pub const UID: &str = "11111111-1111-4111-8111-111111111111";
pub(super) const MANAGER: &str = "client-z2z4z";
pub(super) const TIME: &str = "2000-01-01T00:00:00Z";
pub(super) const ADDRESS: &str = "192.0.2.254";
pub(super) const NODE_PORT: u16 = 32_767;
/// The priority of a class that is not one of Kubernetes.
pub(super) const PRIORITY: i32 = 999_999_937;

/// The values in texts, each with another one. A hash has up to ten characters.
const TEXTS: [(&str, &str); 6] = [
    (HASH, "xxxxxxxx"),
    (CRON_JOB_MINUTES, "30000000"),
    (SUFFIX, "bbbbb"),
    (UID, "00000000-0000-4000-8000-000000000000"),
    (TIME, "9999-12-31T23:59:59Z"),
    (ADDRESS, "2001:db8::1"),
];

/// Fields that some servers set, by the group and the kind: the path, the value that is completed,
/// null if none is, and another one.
///
/// Sources: the plugins Priority, `DefaultStorageClass` and `DefaultIngressClass`.
const FIELDS: [(&str, &str, &str, &str, &str); 6] = [
    ("", "Pod", "/spec/priority", "0", "1000"),
    ("", "Pod", "/spec/priority", "999999937", "-1"),
    ("", "Pod", "/spec/priorityClassName", "null", "\"default\""),
    ("", "PersistentVolumeClaim", "/spec/storageClassName", "null", "\"standard\""),
    ("networking.k8s.io", "Ingress", "/spec/ingressClassName", "null", "\"default\""),
    ("", "Service", "/spec/ipFamilies/0", "\"IPv4\"", "\"IPv6\""),
];

/// Returns whether a text contains a value that is made up.
#[must_use]
pub fn is_made_up(text: &str) -> bool {
    TEXTS.iter().any(|(value, _)| text.contains(value))
}

/// Returns the request with other values where values of its objects are made up; `None` if nothing
/// is.
#[must_use]
pub fn otherwise(request: &Value) -> Option<Value> {
    let mut other = request.clone();
    let mut is_changed = false;
    for name in ["object", "oldObject"] {
        let Some(object) = other.get_mut(name).filter(|object| !is_stored(object)) else { continue };
        is_changed |= change_fields(object);
        is_changed |= change_texts(object);
    }
    // A generated name is in the request, too.
    if let Some(name) = other.get_mut("name").filter(|_| is_changed) {
        change_texts(name);
    }
    is_changed.then_some(other)
}

fn change_fields(object: &mut Value) -> bool {
    let text = |name| object.get(name).and_then(Value::as_str).unwrap_or_default();
    let group = text("apiVersion").split_once('/').map_or("", |(group, _)| group).to_owned();
    let kind = text("kind").to_owned();
    let mut is_changed = false;
    for (_, _, path, value, another) in
        FIELDS.into_iter().filter(|field| (field.0, field.1) == (&*group, &*kind))
    {
        let (Ok(value), Ok(another)) = (serde_json::from_str::<Value>(value), serde_json::from_str(another))
        else {
            continue;
        };
        if *object.pointer(path).unwrap_or(&Value::Null) == value {
            is_changed |= set(object, path, another);
        }
    }
    for port in object.pointer_mut("/spec/ports").and_then(Value::as_array_mut).into_iter().flatten() {
        if port.get("nodePort").is_some_and(|port| *port == NODE_PORT) {
            port["nodePort"] = json!(NODE_PORT - 1);
            is_changed = true;
        }
    }
    is_changed
}

fn set(object: &mut Value, path: &str, value: Value) -> bool {
    let Some((parent, name)) = path.rsplit_once('/') else { return false };
    match object.pointer_mut(parent) {
        Some(Value::Object(fields)) => drop(fields.insert(name.to_owned(), value)),
        Some(Value::Array(items)) => match name.parse::<usize>().ok().and_then(|at| items.get_mut(at)) {
            Some(item) => *item = value,
            None => return false,
        },
        _ => return false,
    }
    true
}

/// Replaces the values in all texts.
fn change_texts(value: &mut Value) -> bool {
    match value {
        Value::String(text) => {
            let is_changed = is_made_up(text);
            for (value, another) in TEXTS.into_iter().filter(|_| is_changed) {
                *text = text.replace(value, another);
            }
            is_changed
        }
        Value::Array(items) => {
            items.iter_mut().fold(false, |is_changed, item| change_texts(item) | is_changed)
        }
        Value::Object(fields) => change_all(fields),
        _ => false,
    }
}

fn change_all(fields: &mut Map<String, Value>) -> bool {
    fields.values_mut().fold(false, |is_changed, value| change_texts(value) | is_changed)
}
