//! The fields of policy manifests, and fields that they do not have.

use serde_json::Value;
use text::nearest;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape {
    /// Anything; the type is checked when the value is read.
    Any,
    Fields(&'static [(&'static str, Shape)]),
    Items(&'static Shape),
    /// An object with any keys, with the shape of its values.
    Values(&'static Shape),
}

use Shape::{Any, Fields, Items, Values};

/// The values that the fields of manifests take, in words.
const TAKES: &[(&str, &str)] = &[
    ("allowInsideAdmissionControllerNamespace", "true or false"),
    ("apiGroups", "a list of API groups, such as ['', apps]"),
    ("apiVersion", "an API version, such as apps/v1"),
    ("apiVersions", "a list of versions, such as [v1]"),
    ("backgroundAudit", "true or false"),
    ("contextAwareResources", "a list of objects with apiVersion and kind"),
    ("expression", "an expression of CEL as a string"),
    ("failurePolicy", "Fail or Ignore"),
    ("key", "the key of a label"),
    ("kind", "a kind, such as Namespace"),
    ("matchConditions", "a list of objects with name and expression"),
    ("matchExpressions", "a list of objects with key, operator and values"),
    ("matchLabels", "an object with strings as values"),
    ("matchPolicy", "Exact or Equivalent"),
    ("message", "a string"),
    ("mode", "protect or monitor"),
    ("module", "the address of a module, such as registry://ghcr.io/…"),
    ("mutating", "true or false"),
    ("name", "a name as a string"),
    ("namespaceSelector", "an object with matchLabels and matchExpressions"),
    ("objectSelector", "an object with matchLabels and matchExpressions"),
    ("operations", "a list of CREATE, UPDATE, DELETE and CONNECT, or ['*']"),
    ("operator", "In, NotIn, Exists or DoesNotExist"),
    ("policies", "an object with a module and its settings for each name"),
    ("policyServer", "the name of a PolicyServer"),
    ("resources", "a list of resources, such as [pods]"),
    ("rules", "a list of objects with apiGroups, apiVersions, resources and operations"),
    ("scope", "Cluster, Namespaced or '*'"),
    ("settings", "an object with the settings of the policy"),
    ("sideEffects", "None or NoneOnDryRun"),
    ("spec", "an object with the fields of the policy"),
    ("timeoutEvalSeconds", "a whole number from 2 to 30"),
    ("timeoutSeconds", "a whole number from 2 to 30"),
    ("values", "a list of strings"),
];

pub(crate) fn takes(field: &str) -> Option<&'static str> {
    TAKES.iter().find(|(name, _)| *name == field).map(|(_, takes)| *takes)
}

const SELECTOR: Shape = Fields(&[
    ("matchExpressions", Items(&Fields(&[("key", Any), ("operator", Any), ("values", Any)]))),
    ("matchLabels", Any),
]);

const RULES: Shape = Items(&Fields(&[
    ("apiGroups", Any),
    ("apiVersions", Any),
    ("operations", Any),
    ("resources", Any),
    ("scope", Any),
]));

const CONDITIONS: Shape = Items(&Fields(&[("expression", Any), ("name", Any)]));

const CONTEXT: Shape = Items(&Fields(&[("apiVersion", Any), ("kind", Any)]));

const MEMBER: Shape = Fields(&[("module", Any), ("settings", Any), ("timeoutEvalSeconds", Any)]);

const CLUSTER_MEMBER: Shape = Fields(&[
    ("contextAwareResources", CONTEXT),
    ("module", Any),
    ("settings", Any),
    ("timeoutEvalSeconds", Any),
]);

/// The fields of `spec` by kind and version (`api/policies` of kubewarden/kubewarden-controller at
/// 3460bb71).
pub(crate) const SPECS: &[(&str, &str, Shape)] = &[
    (
        "ClusterAdmissionPolicy",
        "v1",
        Fields(&[
            ("allowInsideAdmissionControllerNamespace", Any),
            ("backgroundAudit", Any),
            ("contextAwareResources", CONTEXT),
            ("failurePolicy", Any),
            ("matchConditions", CONDITIONS),
            ("matchPolicy", Any),
            ("message", Any),
            ("mode", Any),
            ("module", Any),
            ("mutating", Any),
            ("namespaceSelector", SELECTOR),
            ("objectSelector", SELECTOR),
            ("policyServer", Any),
            ("rules", RULES),
            ("settings", Any),
            ("sideEffects", Any),
            ("timeoutEvalSeconds", Any),
            ("timeoutSeconds", Any),
        ]),
    ),
    (
        "AdmissionPolicy",
        "v1",
        Fields(&[
            ("backgroundAudit", Any),
            ("failurePolicy", Any),
            ("matchConditions", CONDITIONS),
            ("matchPolicy", Any),
            ("message", Any),
            ("mode", Any),
            ("module", Any),
            ("mutating", Any),
            ("objectSelector", SELECTOR),
            ("policyServer", Any),
            ("rules", RULES),
            ("settings", Any),
            ("sideEffects", Any),
            ("timeoutEvalSeconds", Any),
            ("timeoutSeconds", Any),
        ]),
    ),
    (
        "ClusterAdmissionPolicyGroup",
        "v1",
        Fields(&[
            ("allowInsideAdmissionControllerNamespace", Any),
            ("backgroundAudit", Any),
            ("expression", Any),
            ("failurePolicy", Any),
            ("matchConditions", CONDITIONS),
            ("matchPolicy", Any),
            ("message", Any),
            ("mode", Any),
            ("namespaceSelector", SELECTOR),
            ("objectSelector", SELECTOR),
            ("policies", Values(&CLUSTER_MEMBER)),
            ("policyServer", Any),
            ("rules", RULES),
            ("sideEffects", Any),
            ("timeoutSeconds", Any),
        ]),
    ),
    (
        "AdmissionPolicyGroup",
        "v1",
        Fields(&[
            ("backgroundAudit", Any),
            ("expression", Any),
            ("failurePolicy", Any),
            ("matchConditions", CONDITIONS),
            ("matchPolicy", Any),
            ("message", Any),
            ("mode", Any),
            ("objectSelector", SELECTOR),
            ("policies", Values(&MEMBER)),
            ("policyServer", Any),
            ("rules", RULES),
            ("sideEffects", Any),
            ("timeoutSeconds", Any),
        ]),
    ),
    // The older version has neither groups nor conditions.
    (
        "ClusterAdmissionPolicy",
        "v1alpha2",
        Fields(&[
            ("failurePolicy", Any),
            ("matchPolicy", Any),
            ("mode", Any),
            ("module", Any),
            ("mutating", Any),
            ("namespaceSelector", SELECTOR),
            ("objectSelector", SELECTOR),
            ("policyServer", Any),
            ("rules", RULES),
            ("settings", Any),
            ("sideEffects", Any),
            ("timeoutSeconds", Any),
        ]),
    ),
    (
        "AdmissionPolicy",
        "v1alpha2",
        Fields(&[
            ("failurePolicy", Any),
            ("matchPolicy", Any),
            ("mode", Any),
            ("module", Any),
            ("mutating", Any),
            ("objectSelector", SELECTOR),
            ("policyServer", Any),
            ("rules", RULES),
            ("settings", Any),
            ("sideEffects", Any),
            ("timeoutSeconds", Any),
        ]),
    ),
];

/// The fields of a whole manifest beside `spec`.
pub(crate) const MANIFEST: Shape =
    Fields(&[("apiVersion", Any), ("kind", Any), ("metadata", Any), ("spec", Any), ("status", Any)]);

impl Shape {
    /// Returns a message about the first unknown field of a value, with its path, and the field
    /// that was probably meant.
    pub(crate) fn unknown_field(self, value: &Value, path: &str) -> Option<String> {
        match (self, value) {
            (Fields(known), Value::Object(fields)) => fields.iter().find_map(|(name, value)| {
                let place = join(path, name);
                let Some((_, shape)) = known.iter().find(|(known, _)| known == name) else {
                    let names: Vec<&str> = known.iter().map(|(known, _)| *known).collect();
                    let remedy = match nearest(name, &names) {
                        Some(near) => format!("write {near}"),
                        None => "remove it".to_owned(),
                    };
                    return Some(format!("{place}: Forbidden: unknown field; {remedy}"));
                };
                shape.unknown_field(value, &place)
            }),
            (Items(shape), Value::Array(items)) => {
                let mut items = items.iter().enumerate();
                items.find_map(|(at, item)| shape.unknown_field(item, &format!("{path}[{at}]")))
            }
            (Values(shape), Value::Object(fields)) => {
                fields.iter().find_map(|(name, value)| shape.unknown_field(value, &join(path, name)))
            }
            _ => None,
        }
    }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(shape: Shape, found: &mut Vec<&'static str>) {
        match shape {
            Any => {}
            Fields(fields) => {
                for (name, shape) in fields {
                    found.push(name);
                    names(*shape, found);
                }
            }
            Items(shape) | Values(shape) => names(*shape, found),
        }
    }

    #[test]
    fn messages_say_what_each_field_takes() {
        let mut found = vec!["spec"];
        for (_, _, shape) in SPECS {
            names(*shape, &mut found);
        }
        assert!(found.len() > 100);
        for name in &found {
            assert!(takes(name).is_some(), "{name}");
        }
        for (name, _) in TAKES {
            assert!(found.contains(name), "{name}");
        }
    }
}
