//! The parts of an object that an audit reads. The rest of a large dump need not be in memory.

use serde_json::{Map, Value};

/// The annotation in which `kubectl apply` stores a copy of the object.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// The fields of a container that no audit reads: programs and their surroundings.
const OF_CONTAINERS: [&str; 11] = [
    "args",
    "command",
    "env",
    "envFrom",
    "lifecycle",
    "livenessProbe",
    "ports",
    "readinessProbe",
    "resources",
    "startupProbe",
    "terminationMessagePath",
];

/// The parts of objects that stay.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Kept {
    /// Metadata, `spec.externalIPs` and `spec.nodeName`: for the audits of labels and addresses.
    Metadata,
    /// Also the specification, without the programs of containers, and the phase of a pod: for the
    /// audit of levels.
    Specification,
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
                    keep(spec, &["externalIPs", "nodeName"]);
                }
            }
            Self::Specification => fields.values_mut().for_each(without_programs),
        }
    }
}

/// Removes the programs of all containers below a value.
fn without_programs(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                if let ("containers" | "initContainers" | "ephemeralContainers", Value::Array(containers)) =
                    (name.as_str(), &mut *field)
                {
                    for container in containers.iter_mut().filter_map(Value::as_object_mut) {
                        container.retain(|name, _| !OF_CONTAINERS.contains(&name.as_str()));
                    }
                } else {
                    without_programs(field);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(without_programs),
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
        Kept::Specification.reduce(&mut reduced);
        let metadata = json!({ "name": "a", "annotations": { "a": "b" } });
        let spec = json!({ "nodeName": "n", "containers": [{ "name": "c", "securityContext": {} }] });
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
            Kept::Specification.reduce(&mut reduced);
            assert_eq!(reduced, object);
        }
    }
}
