//! Values that only a running server or its controllers know.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{Phase, complete, has_own_uid, objects_in};

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

/// The fields that only servers set, and that a new object does not have yet.
pub(super) const OF_SERVERS: [&str; 7] = [
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "generation",
    "resourceVersion",
    "selfLink",
    "uid",
];

/// A value that is made up in texts.
struct MadeUp {
    value: &'static str,
    another: &'static str,
    /// The characters of such values; empty for any.
    alphabet: &'static str,
    /// The least and the most bytes of such values.
    lengths: (usize, usize),
}

const fn made_up(
    value: &'static str,
    another: &'static str,
    alphabet: &'static str,
    lengths: (usize, usize),
) -> MadeUp {
    MadeUp { value, another, alphabet, lengths }
}

/// The characters of hashes and generated names (`k8s.io/apimachinery/pkg/util/rand`).
const RANDOM: &str = "bcdfghjklmnpqrstvwxz2456789";

const TEXTS: [MadeUp; 8] = [
    made_up(HASH, "xxxxxxxx", RANDOM, (1, 10)),
    made_up(CRON_JOB_MINUTES, "30000000", "0123456789", (8, 8)),
    made_up(MANAGER, "another-client", "", (1, 128)),
    made_up(NODE, "another-node", "", (1, 253)),
    made_up(SUFFIX, "bbbbb", RANDOM, (5, 5)),
    made_up(UID, "00000000-0000-4000-8000-000000000000", "0123456789abcdef-", (36, 36)),
    made_up(TIME, "9999-12-31T23:59:59Z", "0123456789-:.TZ", (20, 20)),
    made_up(ADDRESS, "2001:db8::1", "0123456789abcdef.:", (2, 45)),
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
    TEXTS.iter().any(|one| text.contains(one.value))
}

/// Returns the request with other values where values of its objects are made up; `None` if nothing
/// is.
#[must_use]
pub fn otherwise(request: &Value) -> Option<Value> {
    let mut other = request.clone();
    let is_changed =
        objects_of(&mut other).fold(false, |is_changed, object| change_fields(object) | is_changed);
    let texts = TEXTS.map(|one| (one.value, one.another.to_owned()));
    (change_texts_of(&mut other, &texts) | is_changed).then_some(other)
}

/// Returns the request if a server creates its object, which has a UID of its own; `None` for
/// another request.
#[must_use]
pub fn created_anew(request: &Value) -> Option<Value> {
    let is_creation = request.get("operation").and_then(Value::as_str) == Some("CREATE");
    if !is_creation || !request.get("object").is_some_and(has_own_uid) {
        return None;
    }
    let mut created = request.clone();
    let object = created.get_mut("object")?;
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.retain(|name, _| !OF_SERVERS.contains(&name.as_str()));
    }
    complete(object, Phase::Validating);
    Some(created)
}

/// The literals of an expression.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Literals {
    /// The texts.
    pub texts: BTreeSet<String>,
    /// The integers.
    pub integers: BTreeSet<i64>,
}

/// The most values of [`by_literals`].
const MOST: usize = 64;

/// Returns the request with the values that texts and numbers are compared with, where a server
/// could make them up: for the text `web-4`, a generated name that begins so. `None` if there are
/// too many.
#[must_use]
pub fn by_literals(request: &Value, literals: &Literals) -> Option<Vec<Value>> {
    let mut texts = BTreeSet::new();
    for object in ["object", "oldObject"].iter().filter_map(|name| request.get(name)) {
        collect(object, &mut texts);
    }
    let mut found = BTreeSet::new();
    for literal in &literals.texts {
        for text in &texts {
            for one in &TEXTS {
                found.extend(one.candidates(text, literal).into_iter().map(|value| (one.value, value)));
            }
        }
        if found.len() > MOST {
            return None;
        }
    }
    let numbers = literals.integers.iter().filter_map(|number| with_number(request, *number));
    let mut others: Vec<Value> = numbers.take(MOST.saturating_add(1)).collect();
    if found.len().saturating_add(others.len()) > MOST {
        return None;
    }
    let with = |replacement| {
        let mut other = request.clone();
        change_texts_of(&mut other, &[replacement]);
        other
    };
    others.extend(found.into_iter().map(with));
    Some(others)
}

/// Returns the request with another number as the ports of nodes and priorities that are made up.
fn with_number(request: &Value, number: i64) -> Option<Value> {
    let has_number = |object: &Value| {
        let has_port = |port: &Value| port["nodePort"] == NODE_PORT;
        object["spec"]["ports"].as_array().is_some_and(|ports| ports.iter().any(has_port))
            || object["spec"]["priority"] == PRIORITY
    };
    if !has_number(&request["object"]) && !has_number(&request["oldObject"]) {
        return None;
    }
    let mut other = request.clone();
    for object in objects_of(&mut other) {
        let Some(spec) = object.get_mut("spec").and_then(Value::as_object_mut) else { continue };
        if spec.get("priority").is_some_and(|priority| *priority == PRIORITY) {
            spec.insert("priority".to_owned(), number.into());
        }
        for port in objects_in(spec, "ports") {
            if port.get("nodePort").is_some_and(|port| *port == NODE_PORT) {
                port.insert("nodePort".to_owned(), number.into());
            }
        }
    }
    Some(other)
}

impl MadeUp {
    /// Returns the values with which a text is, begins with or ends with a literal.
    fn candidates(&self, text: &str, literal: &str) -> Vec<String> {
        let Some((before, behind)) = text.split_once(self.value) else { return Vec::new() };
        let begin = literal.strip_prefix(before);
        let end = literal.strip_suffix(behind);
        let whole = begin.and_then(|rest| rest.strip_suffix(behind)).map(str::to_owned);
        // The longer value has the rest of a long literal.
        let values = [self.another, self.value];
        let tail = |length: usize| values.iter().find_map(|value| value.get(length..));
        let begin = begin.and_then(|begin| Some(format!("{begin}{}", tail(begin.len())?)));
        let head =
            |length: usize| values.iter().find_map(|value| value.get(..value.len().checked_sub(length)?));
        let end = end.and_then(|end| Some(format!("{}{end}", head(end.len())?)));
        let (least, most) = self.lengths;
        let is_possible = |value: &String| {
            (least..=most).contains(&value.len())
                && (self.alphabet.is_empty() || value.chars().all(|one| self.alphabet.contains(one)))
        };
        [whole, begin, end].into_iter().flatten().filter(is_possible).collect()
    }
}

fn objects_of(request: &mut Value) -> impl Iterator<Item = &mut Value> {
    let fields = request.as_object_mut().into_iter().flatten();
    fields.filter(|(name, _)| ["object", "oldObject"].contains(&name.as_str())).map(|(_, object)| object)
}

/// Adds the texts with values that are made up.
fn collect(value: &Value, texts: &mut BTreeSet<String>) {
    match value {
        Value::String(text) if is_made_up(text) => drop(texts.insert(text.clone())),
        Value::Array(items) => items.iter().for_each(|item| collect(item, texts)),
        Value::Object(fields) => fields.values().for_each(|value| collect(value, texts)),
        _ => {}
    }
}

/// Replaces values in the texts of the objects of a request, and in a generated name.
fn change_texts_of(request: &mut Value, texts: &[(&str, String)]) -> bool {
    let is_changed =
        objects_of(request).fold(false, |is_changed, object| change_texts(object, texts) | is_changed);
    if let Some(name) = request.get_mut("name").filter(|_| is_changed) {
        change_texts(name, texts);
    }
    is_changed
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

fn change_texts(value: &mut Value, texts: &[(&str, String)]) -> bool {
    match value {
        Value::String(text) if is_made_up(text) => {
            let mut is_changed = false;
            for (value, another) in texts {
                if text.contains(value) {
                    *text = text.replace(value, another);
                    is_changed = true;
                }
            }
            is_changed
        }
        Value::Array(items) => {
            items.iter_mut().fold(false, |is_changed, item| change_texts(item, texts) | is_changed)
        }
        Value::Object(fields) => {
            fields.values_mut().fold(false, |is_changed, value| change_texts(value, texts) | is_changed)
        }
        _ => false,
    }
}
