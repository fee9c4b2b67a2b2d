//! The fields of policy manifests, and fields that they do not have.

use serde_json::Value;
use text::nearest;

use crate::matching::policy_kind::PolicyKind;

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

/// The kinds and versions that have a field of `spec`, a bit for each.
type Kinds = u8;

const CLUSTER: Kinds = 1;
const NAMESPACED: Kinds = 2;
const CLUSTER_GROUP: Kinds = 4;
const NAMESPACED_GROUP: Kinds = 8;
const OLDER_CLUSTER: Kinds = 16;
const OLDER_NAMESPACED: Kinds = 32;
const GROUPS: Kinds = CLUSTER_GROUP | NAMESPACED_GROUP;
const V1: Kinds = CLUSTER | NAMESPACED | GROUPS;
/// The older version has neither groups nor conditions.
const OLDER: Kinds = OLDER_CLUSTER | OLDER_NAMESPACED;
const SINGLE: Kinds = CLUSTER | NAMESPACED | OLDER;
const ALL: Kinds = V1 | OLDER;

/// The fields of `spec`, with the kinds that have them (`api/policies` of
/// kubewarden/kubewarden-controller at 3460bb71). The members of the groups have other fields.
const SPEC: [(&str, Shape, Kinds); 21] = [
    ("allowInsideAdmissionControllerNamespace", Any, CLUSTER | CLUSTER_GROUP),
    ("backgroundAudit", Any, V1),
    ("contextAwareResources", CONTEXT, CLUSTER),
    ("expression", Any, GROUPS),
    ("failurePolicy", Any, ALL),
    ("matchConditions", CONDITIONS, V1),
    ("matchPolicy", Any, ALL),
    ("message", Any, V1),
    ("mode", Any, ALL),
    ("module", Any, SINGLE),
    ("mutating", Any, SINGLE),
    ("namespaceSelector", SELECTOR, CLUSTER | CLUSTER_GROUP | OLDER_CLUSTER),
    ("objectSelector", SELECTOR, ALL),
    ("policies", Values(&CLUSTER_MEMBER), CLUSTER_GROUP),
    ("policies", Values(&MEMBER), NAMESPACED_GROUP),
    ("policyServer", Any, ALL),
    ("rules", RULES, ALL),
    ("settings", Any, SINGLE),
    ("sideEffects", Any, ALL),
    ("timeoutEvalSeconds", Any, CLUSTER | NAMESPACED),
    ("timeoutSeconds", Any, ALL),
];

/// The fields of an object, with their shapes.
type FieldShapes = [(&'static str, Shape)];

/// Returns the fields of `spec` of a kind; `None` if it does not have the version.
pub(crate) fn spec(kind: PolicyKind, version: &str) -> Option<Vec<(&'static str, Shape)>> {
    let kind = match (kind, version) {
        (PolicyKind::ClusterAdmissionPolicy, "v1") => CLUSTER,
        (PolicyKind::AdmissionPolicy, "v1") => NAMESPACED,
        (PolicyKind::ClusterAdmissionPolicyGroup, "v1") => CLUSTER_GROUP,
        (PolicyKind::AdmissionPolicyGroup, "v1") => NAMESPACED_GROUP,
        (PolicyKind::ClusterAdmissionPolicy, "v1alpha2") => OLDER_CLUSTER,
        (PolicyKind::AdmissionPolicy, "v1alpha2") => OLDER_NAMESPACED,
        _ => return None,
    };
    let fields = SPEC.iter().filter(|(.., kinds)| kinds & kind != 0);
    Some(fields.map(|(name, shape, _)| (*name, *shape)).collect())
}

/// The fields of a whole manifest.
pub(crate) const MANIFEST: &FieldShapes =
    &[("apiVersion", Any), ("kind", Any), ("metadata", Any), ("spec", Any), ("status", Any)];

/// Returns a message about the first unknown field of an object, with its path, and the field that
/// was probably meant.
pub(crate) fn unknown_field(known: &FieldShapes, object: &Value, path: &str) -> Option<String> {
    object.as_object()?.iter().find_map(|(name, value)| {
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
    })
}

impl Shape {
    fn unknown_field(self, value: &Value, path: &str) -> Option<String> {
        match (self, value) {
            (Fields(known), value) => unknown_field(known, value, path),
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
    fn versions_have_fields_of_their_own() {
        let counts = |version| PolicyKind::ALL.map(|kind| spec(kind, version).map(|fields| fields.len()));
        assert_eq!(counts("v1"), [Some(18), Some(15), Some(15), Some(13)]);
        assert_eq!(counts("v1alpha2"), [Some(12), Some(11), None, None]);
        assert_eq!(counts("v2"), [None; 4]);
    }

    #[test]
    fn messages_say_what_each_field_takes() {
        let mut found = vec!["spec"];
        for (name, shape, _) in SPEC {
            found.push(name);
            names(shape, &mut found);
        }
        assert!(found.len() > 30);
        for name in &found {
            assert!(takes(name).is_some(), "{name}");
        }
        for (name, _) in TAKES {
            assert!(found.contains(name), "{name}");
        }
    }
}
