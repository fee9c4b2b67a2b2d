//! Objects that are probably not meant as they are written, so that a policy admits them for the
//! wrong reason.

use serde_json::Value;
use text::{Path, Step};

use crate::pods;

/// Something in an object that is probably not meant as it is written.
#[derive(Clone, Debug)]
pub struct Suspicion {
    /// The path that it is about.
    pub path: Vec<Step>,
    /// The path, the problem and the remedy, in a sentence.
    pub message: String,
    /// The name that an unknown field should probably have.
    pub rename: Option<&'static str>,
}

/// Returns the unknown fields of an object, and the missing containers of a workload.
#[must_use]
pub fn suspicions(object: &Value) -> Vec<Suspicion> {
    let text = |name| object.get(name).and_then(Value::as_str).unwrap_or_default();
    let unknown = known_fields::unknown_fields(text("apiVersion"), text("kind"), object);
    let unknown = unknown.into_iter().map(|field| Suspicion {
        path: field.path.iter().map(Step::owned).collect(),
        message: field.to_string(),
        rename: field.nearest,
    });
    unknown.chain(without_containers(text("apiVersion"), text("kind"), object)).collect()
}

fn without_containers(api_version: &str, kind: &str, object: &Value) -> Option<Suspicion> {
    let spec = pods::pod_spec(api_version, kind)?;
    let containers = pods::at(object, &spec).and_then(|spec| spec.get("containers"));
    if containers.and_then(Value::as_array).is_some_and(|containers| !containers.is_empty()) {
        return None;
    }
    let path: Vec<Step<&str>> = spec.into_iter().chain(["containers"]).map(Step::Field).collect();
    let message = format!("{}: Required value: a pod has at least one container; add it", Path(&path));
    Some(Suspicion { path: path.iter().map(Step::owned).collect(), message, rename: None })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_misspelt_or_misplaced_field_is_suspicious() {
        let messages = |object: Value| -> Vec<String> {
            suspicions(&object).into_iter().map(|suspicion| suspicion.message).collect()
        };
        assert_eq!(
            messages(
                json!({ "apiVersion": "v1", "kind": "Pod", "spec": { "container": [{ "name": "a" }] } })
            ),
            [
                "spec.container: unknown field; did you mean containers?",
                "spec.containers: Required value: a pod has at least one container; add it",
            ]
        );
        assert_eq!(
            messages(json!({ "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "spec": {} } })),
            [
                "metadata.spec: unknown field",
                "spec.template.spec.containers: Required value: a pod has at least one container; add it",
            ]
        );
        let pod = json!({ "apiVersion": "v1", "kind": "Pod", "spec": { "containers": [{ "name": "a" }] } });
        assert_eq!(messages(pod), [] as [&str; 0]);
        assert_eq!(messages(json!({ "apiVersion": "v1", "kind": "Secret", "x": 1 })), [] as [&str; 0]);
    }
}
