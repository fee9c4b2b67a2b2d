//! The parts of an object that an audit reads. The rest of a large dump need not be in memory.

use admission::{Policy, Shape};
use rules::selinux::Selinux;
use serde_json::{Map, Value};

/// The annotation in which `kubectl apply` stores a copy of the object.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// The parts of objects that stay.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Kept {
    /// Metadata and `spec.nodeName`: for the audit of the labels of mirror pods.
    Metadata,
    /// Metadata, the fields that `selinux` reads, and the phase of a pod: for the audit of levels.
    /// Kinds that the policy does not evaluate but may look up stay whole.
    Levels,
}

impl Kept {
    /// Removes the fields that an audit does not read. Malformed ones stay: audits report them.
    pub fn reduce(self, object: &mut Value) {
        let Value::Object(fields) = object else { return };
        if let Some(Value::Object(metadata)) = fields.get_mut("metadata") {
            metadata.remove("managedFields");
            if let Some(Value::Object(annotations)) = metadata.get_mut("annotations") {
                annotations.remove(LAST_APPLIED);
            }
        }
        let keep = |fields: &mut Map<String, Value>, names: &[&str]| {
            fields.retain(|name, _| names.contains(&name.as_str()));
        };
        if let Some(Value::Object(status)) = fields.get_mut("status") {
            keep(status, &["phase"]);
        }
        match self {
            Self::Metadata => {
                keep(fields, &["apiVersion", "kind", "metadata", "spec"]);
                if let Some(Value::Object(spec)) = fields.get_mut("spec") {
                    keep(spec, &["nodeName"]);
                }
            }
            Self::Levels => {
                let kind = fields.get("kind").and_then(Value::as_str).unwrap_or_default();
                if Selinux::SCOPE.0.iter().any(|rule| rule.kind == kind) {
                    fields.retain(|name, value| {
                        if !matches!(name.as_str(), "apiVersion" | "kind" | "metadata" | "status") {
                            return reduce_field(name, value, Selinux::OBJECT);
                        }
                        true
                    });
                }
            }
        }
    }
}

/// Reduces a field to a shape. Returns whether the shape has the field.
fn reduce_field(name: &str, value: &mut Value, shape: Shape<'_>) -> bool {
    let below = match shape {
        Shape::Each(None) => return true,
        Shape::Each(Some(below)) => Some(below),
        Shape::Fields(fields) => fields.iter().find(|(field, _)| *field == name).map(|(_, below)| below),
    };
    if let Some(below) = below {
        reduce_to(value, *below);
    }
    below.is_some()
}

/// Reduces a value to a shape, which applies to every item of a list.
fn reduce_to(value: &mut Value, shape: Shape<'_>) {
    match value {
        Value::Object(fields) => fields.retain(|name, value| reduce_field(name, value, shape)),
        Value::Array(items) => items.iter_mut().for_each(|item| reduce_to(item, shape)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn pod() -> Value {
        json!({
            "apiVersion": "v1", "kind": "Pod",
            "metadata": {
                "name": "a", "managedFields": [{}], "annotations": { LAST_APPLIED: "{}", "a": "b" },
            },
            "spec": { "nodeName": "n", "containers": [{ "name": "c", "env": [{}], "securityContext": {} }] },
            "status": { "phase": "Running", "podIP": "192.0.2.1" },
        })
    }

    #[test]
    fn keeps_what_audits_read() {
        let mut reduced = pod();
        Kept::Levels.reduce(&mut reduced);
        let metadata = json!({ "name": "a", "annotations": { "a": "b" } });
        let spec = json!({ "containers": [{ "name": "c", "securityContext": {} }] });
        let status = json!({ "phase": "Running" });
        let kept = json!({ "apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": status });
        assert_eq!(reduced, kept);
        let mut reduced = pod();
        Kept::Metadata.reduce(&mut reduced);
        let kept =
            json!({ "apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": { "nodeName": "n" } });
        assert_eq!(reduced, kept);
    }

    #[test]
    fn what_is_malformed_stays() {
        for object in [json!(7), json!({ "metadata": 7, "spec": "x", "status": [] })] {
            let mut reduced = object.clone();
            Kept::Levels.reduce(&mut reduced);
            assert_eq!(reduced, object);
        }
    }
}
