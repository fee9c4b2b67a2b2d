//! Fields that Kubernetes does not know.

use std::fmt;

use serde_json::Value;
use text::{Path, Step, nearest};

use crate::{Fields, Type, fields_of};

/// A field of an object that its kind does not have.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct UnknownField<'v> {
    /// The steps from the object to the field; the last is its name.
    pub path: Vec<Step<&'v str>>,
    /// The known field that was probably meant.
    pub nearest: Option<&'static str>,
}

impl fmt::Display for UnknownField<'_> {
    /// Displays the path, the problem and the suggestion on one line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: unknown field", Path(&self.path))?;
        self.nearest.map_or(Ok(()), |name| write!(f, "; did you mean {name}?"))
    }
}

/// Returns the fields of an object that its kind does not have, in the order of the object.
///
/// Keys of maps, such as labels, are arbitrary. Nothing is reported below a value whose type is not
/// that of its field, or for a kind that is not in the table.
///
/// # Example
/// ```
/// use serde_json::json;
///
/// let pod = json!({ "spec": { "containers": [{ "name": "a", "imagePullPolcy": "Always" }] } });
/// let unknown = known_fields::unknown_fields("v1", "Pod", &pod);
/// assert_eq!(
///     unknown[0].to_string(),
///     "spec.containers[0].imagePullPolcy: unknown field; did you mean imagePullPolicy?",
/// );
/// ```
#[must_use]
pub fn unknown_fields<'v>(api_version: &str, kind: &str, object: &'v Value) -> Vec<UnknownField<'v>> {
    let mut search = Search { path: Vec::new(), found: Vec::new() };
    if let Some(fields) = fields_of(api_version, kind) {
        search.visit(object, Type::Object(fields));
    }
    search.found
}

struct Search<'v> {
    /// The steps to the value that is visited.
    path: Vec<Step<&'v str>>,
    found: Vec<UnknownField<'v>>,
}

impl<'v> Search<'v> {
    fn visit(&mut self, value: &'v Value, of: Type) {
        match (value, of) {
            (Value::Object(members), Type::Object(fields)) => {
                for (name, value) in members {
                    self.path.push(Step::Field(name));
                    match fields.get(name) {
                        Some(of) => self.visit(value, of),
                        None => self.report(name, fields),
                    }
                    self.path.pop();
                }
            }
            (Value::Object(members), Type::Map(of)) => {
                for (key, value) in members {
                    self.path.push(Step::Field(key));
                    self.visit(value, *of);
                    self.path.pop();
                }
            }
            (Value::Array(items), Type::List(of)) => {
                for (index, item) in (0..).zip(items) {
                    self.path.push(Step::Index(index));
                    self.visit(item, *of);
                    self.path.pop();
                }
            }
            _ => {}
        }
    }

    fn report(&mut self, name: &str, fields: &Fields) {
        let known: Vec<&'static str> = fields.names().collect();
        self.found.push(UnknownField { path: self.path.clone(), nearest: nearest(name, &known) });
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn found(api_version: &str, kind: &str, object: &Value) -> Vec<String> {
        unknown_fields(api_version, kind, object).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn reports_a_misspelt_field_with_its_path_and_the_likely_name() {
        let pod = json!({
            "apiVersion": "v1",
            "kind": "Pod",
            "metdata": { "name": "a" },
            "spec": {
                "hostPid": true,
                "containers": [
                    { "name": "a", "securityContext": { "privilegd": true } },
                    { "name": "b", "ports": [{ "hostPort": 80 }, { "hostPorts": 81 }], "colour": null },
                ],
            },
        });
        assert_eq!(
            found("v1", "Pod", &pod),
            [
                "metdata: unknown field; did you mean metadata?",
                "spec.containers[0].securityContext.privilegd: unknown field; did you mean privileged?",
                "spec.containers[1].colour: unknown field",
                "spec.containers[1].ports[1].hostPorts: unknown field; did you mean hostPort?",
                "spec.hostPid: unknown field; did you mean hostPID?",
            ],
        );
    }

    #[test]
    fn a_field_in_the_wrong_place_is_unknown() {
        let deployment = json!({ "spec": { "template": { "spec": { "privileged": true, "spec": {} } } } });
        assert_eq!(
            found("apps/v1", "Deployment", &deployment),
            ["spec.template.spec.privileged: unknown field", "spec.template.spec.spec: unknown field"],
        );
    }

    #[test]
    fn accepts_any_keys_in_maps_and_in_values_without_fields() {
        let labels = json!({ "any/key": "x", "spec": "x" });
        let deployment = json!({
            "metadata": {
                "annotations": labels,
                "creationTimestamp": "2026-01-01T00:00:00Z",
                "labels": labels,
                "managedFields": [{ "fieldsV1": { "f:spec": { "f:any": {} } } }],
            },
            "spec": {
                "selector": { "matchLabels": labels },
                "template": {
                    "spec": {
                        "containers": [{
                            "ports": [{ "containerPort": 1 }],
                            "livenessProbe": { "httpGet": { "port": "http" } },
                            "resources": { "limits": { "cpu": 1, "example.com/any": "1" } },
                        }],
                        "nodeSelector": labels,
                        "volumes": [{ "emptyDir": { "sizeLimit": "1Gi" }, "csi": { "volumeAttributes": labels } }],
                    },
                },
            },
        });
        assert_eq!(found("apps/v1", "Deployment", &deployment), [] as [&str; 0]);
        let node = json!({ "status": { "allocatable": { "example.com/any": "1" }, "config": { "x": 1 } } });
        assert_eq!(found("v1", "Node", &node), ["status.config.x: unknown field"]);
    }

    #[test]
    fn does_not_search_values_of_another_type_or_other_kinds() {
        for object in [json!(null), json!([{ "x": 1 }]), json!({ "spec": [{ "x": 1 }] })] {
            assert_eq!(found("v1", "Pod", &object), [] as [&str; 0]);
        }
        assert_eq!(found("example.com/v1", "Pod", &json!({ "x": 1 })), [] as [&str; 0]);
    }
}
