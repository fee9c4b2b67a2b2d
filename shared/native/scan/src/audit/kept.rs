//! The parts of an object that an audit reads. The rest of a large dump need not be in memory.

use admission::{Policy, Shape};
use rules::selinux::Selinux;
use serde_json::{Map, Value};

use super::selinux::VOLUME_FIELDS;

/// The annotation in which `kubectl apply` stores a copy of the object.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// The parts of objects that stay.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Kept {
    /// Metadata and `spec.nodeName`: for the audit of the labels of mirror pods.
    Metadata,
    /// Metadata, the fields that `selinux` reads, volumes, the phase of a pod and the conditions of
    /// a Job: for the audit of levels and of volumes. Kinds that the policy does not evaluate stay
    /// whole.
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
        let is_job = fields.get("kind").is_some_and(|kind| kind == "Job");
        if let Some(Value::Object(status)) = fields.get_mut("status") {
            keep(status, if is_job { &["conditions"] } else { &["phase"] });
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
                            return reduce_field(name, value, &[Selinux::OBJECT, VOLUME_FIELDS]);
                        }
                        true
                    });
                }
            }
        }
    }
}

/// Reduces a field to what one of the shapes has. Returns whether one has the field.
fn reduce_field(name: &str, value: &mut Value, shapes: &[Shape<'_>]) -> bool {
    let mut below = Vec::new();
    for shape in shapes {
        match shape {
            Shape::Each(None) => return true,
            Shape::Each(Some(each)) => below.push(**each),
            Shape::Fields(fields) => {
                below.extend(fields.iter().filter(|(field, _)| *field == name).map(|(_, shape)| *shape));
            }
        }
    }
    reduce_to(value, &below);
    !below.is_empty()
}

/// Reduces a value to what one of the shapes has, which apply to every item of a list.
fn reduce_to(value: &mut Value, shapes: &[Shape<'_>]) {
    match value {
        Value::Object(fields) => fields.retain(|name, value| reduce_field(name, value, shapes)),
        Value::Array(items) => items.iter_mut().for_each(|item| reduce_to(item, shapes)),
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
    fn volumes_keep_what_identifies_them() {
        let volume = |source: Value| json!({ "kind": "PersistentVolume", "spec": source });
        let mut csi = volume(
            json!({ "csi": { "driver": "d", "volumeHandle": "h", "fsType": "ext4" }, "capacity": {} }),
        );
        Kept::Levels.reduce(&mut csi);
        assert_eq!(csi, volume(json!({ "csi": { "driver": "d", "volumeHandle": "h" } })));
        let pod = |volume: Value| {
            json!({ "kind": "CronJob", "spec": { "jobTemplate": { "spec": { "template": { "spec": {
            "volumes": [volume],
        } } } } } })
        };
        let mut ephemeral = pod(json!({ "name": "v", "ephemeral": { "volumeClaimTemplate": {} } }));
        Kept::Levels.reduce(&mut ephemeral);
        assert_eq!(ephemeral, pod(json!({ "name": "v", "ephemeral": {} })));
        let mut claimed =
            pod(json!({ "name": "v", "persistentVolumeClaim": { "claimName": "c" }, "emptyDir": {} }));
        Kept::Levels.reduce(&mut claimed);
        assert_eq!(claimed, pod(json!({ "name": "v", "persistentVolumeClaim": { "claimName": "c" } })));
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
