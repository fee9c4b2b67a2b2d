//! The fields that an API server sets before it evaluates conditions, and that files lack.
//!
//! A server sets defaults when it decodes an object, and its own admission plugins add more. It
//! sets `metadata.uid` and others when it prepares an object for storage: behind the mutating
//! webhooks, and before the validating ones. So a condition about an object of a file is evaluated
//! for the object as it is, and for the object with these fields. If the results differ, the value
//! depends on a field that is not in the file, and is not known.

use std::sync::LazyLock;

use serde_json::Value;

/// The fields by API version and kind: their path, the value that a server set, and for values that
/// differ from request to request another one.
///
/// A server 1.36.2 set them in a dry run for objects with the fields that it requires, a port, a
/// probe of each kind, and a volume of each common kind; one of 1.37.2 sets those of pods and
/// workloads in `./justw conformance received`. Those of the plugins that the server ran without,
/// `ServiceAccount`, `DefaultStorageClass`, `DefaultIngressClass`, and a default `PriorityClass`,
/// are written by hand. A field that only some objects get, such as `hostPort` in the host network,
/// is missing.
const FIELDS: &str = include_str!("server_fields/kubernetes-1.37.2.tsv");

static TABLE: LazyLock<Vec<Field>> = LazyLock::new(|| FIELDS.lines().filter_map(Field::read).collect());

#[derive(Debug)]
struct Field {
    api_version: &'static str,
    kind: &'static str,
    path: &'static str,
    value: Value,
    other: Option<Value>,
}

impl Field {
    fn read(line: &'static str) -> Option<Self> {
        let mut columns = line.split('\t');
        let (api_version, kind) = columns.next()?.split_once(' ')?;
        let path = columns.next()?;
        let value = serde_json::from_str(columns.next()?).ok()?;
        let other = columns.next().and_then(|other| serde_json::from_str(other).ok());
        Some(Self { api_version, kind, path, value, other })
    }

    fn is_of(&self, object: &Value) -> bool {
        let is = |name, value| object.get(name).and_then(Value::as_str) == Some(value);
        is("kind", self.kind) && is("apiVersion", self.api_version)
    }
}

/// Returns requests with the fields that the server would set; none if the objects have been
/// stored, or if nothing is missing.
pub(crate) fn filled(request: &Value) -> Vec<Value> {
    let value = with(request, |field| Some(&field.value));
    let other = with(request, |field| field.other.as_ref().or(Some(&field.value)));
    value.into_iter().chain(other).collect()
}

/// Returns the path of a field for which a property of the request depends on it.
pub(crate) fn deciding(request: &Value, is_same: impl Fn(&Value) -> bool) -> Option<&'static str> {
    let objects = ["object", "oldObject"].map(|name| request.get(name));
    let mut fields =
        TABLE.iter().filter(|field| objects.into_iter().flatten().any(|object| field.is_of(object)));
    let found = fields.find(|field| {
        let only = |value: fn(&Field) -> Option<&Value>| {
            with(request, |one| if one.path == field.path { value(one) } else { None })
        };
        let filled = [only(|one| Some(&one.value)), only(|one| one.other.as_ref())];
        filled.iter().flatten().any(|filled| !is_same(filled))
    });
    found.map(|field| field.path)
}

/// Returns the request with some fields; `None` if it has them.
fn with<'f>(request: &Value, value: impl Fn(&'f Field) -> Option<&'f Value>) -> Option<Value> {
    let mut filled = request.clone();
    let mut is_changed = false;
    for name in ["object", "oldObject"] {
        let Some(object) = filled.get_mut(name).filter(|object| !is_stored(object)) else { continue };
        let fields: Vec<&Field> = TABLE.iter().filter(|field| field.is_of(object)).collect();
        for field in fields {
            if let Some(value) = value(field) {
                is_changed |= set(object, field.path, value);
            }
        }
    }
    is_changed.then_some(filled)
}

/// Stored objects have what the server sets.
fn is_stored(object: &Value) -> bool {
    object.pointer("/metadata/uid").and_then(Value::as_str).is_some_and(|uid| !uid.is_empty())
}

/// Sets a field that is absent, where the object has the fields around it. Returns whether it did.
fn set(object: &mut Value, path: &str, value: &Value) -> bool {
    let (name, rest) = path.split_once('.').unwrap_or((path, ""));
    match object {
        Value::Array(items) if name == "*" => {
            items.iter_mut().filter_map(|item| set(item, rest, value).then_some(())).count() > 0
        }
        Value::Object(fields) if rest.is_empty() => {
            let is_absent = !fields.contains_key(name);
            if is_absent {
                fields.insert(name.to_owned(), value.clone());
            }
            is_absent
        }
        Value::Object(fields) => fields.get_mut(name).is_some_and(|inner| set(inner, rest, value)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::matching::table::rows;
    use crate::matching::{Decision, Webhook};

    #[test]
    fn every_line_is_a_field() {
        assert_eq!(TABLE.len(), FIELDS.lines().count());
        for (kind, path) in [
            ("Pod", "spec.restartPolicy"),
            ("Pod", "spec.initContainers.*.imagePullPolicy"),
            ("Pod", "spec.tolerations"),
            ("Service", "spec.clusterIP"),
            ("Service", "spec.ports.*.protocol"),
            ("Deployment", "spec.template.spec.dnsPolicy"),
            ("CronJob", "spec.jobTemplate.spec.template.spec.containers.*.terminationMessagePath"),
            ("Node", "metadata.creationTimestamp"),
            ("Namespace", "status"),
            ("Endpoints", "subsets.*.ports.*.protocol"),
        ] {
            assert!(TABLE.iter().any(|field| field.kind == kind && field.path == path), "{kind} {path}");
        }
    }

    fn decide(condition: &str, object: &Value) -> String {
        let webhook = Webhook::from_spec(&json!({
            "rules": [{ "apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"], "operations": ["CREATE"] }],
            "matchConditions": [{ "name": "c", "expression": condition }],
        }));
        let request = json!({
            "operation": "CREATE",
            "kind": { "group": "", "version": "v1", "kind": "Pod" },
            "resource": { "group": "", "version": "v1", "resource": "pods" },
            "namespace": "shop",
            "object": object,
        });
        match webhook.unwrap().decide_unstored(&kubernetes::kinds::Kinds::default(), &request, None) {
            Decision::Called(_) => "true".to_owned(),
            Decision::ConditionIsFalse(_) => "false".to_owned(),
            Decision::ConditionFailed(_) => "error".to_owned(),
            Decision::Unknown(reason) => reason.to_string(),
            other => other.explain(),
        }
    }

    #[test]
    fn a_condition_about_a_field_that_a_server_sets_is_unknown_by_its_name() {
        let file = json!({
            "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "web", "namespace": "shop" },
            "spec": { "containers": [{ "name": "a", "image": "a", "ports": [{ "containerPort": 80 }] }] },
        });
        for (condition, want) in rows(include_str!("server_fields/conditions.txt")) {
            let found = decide(condition, &file);
            match want {
                "true" | "false" | "error" => assert_eq!(found, want, "{condition}"),
                field => assert!(found.contains(field), "{condition}: {found}"),
            }
        }
        // A stored object has the fields.
        let mut stored = file;
        stored["metadata"]["uid"] = json!("u");
        assert_eq!(decide("has(object.status)", &stored), "false");
    }
}
