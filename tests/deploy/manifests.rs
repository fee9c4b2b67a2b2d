//! The manifests are valid for the API server, and for Kubewarden's webhooks.

use std::sync::LazyLock;

use k8s_openapi::api::core::v1::{ConfigMap, ServiceAccount};
use k8s_openapi::api::rbac::v1::{ClusterRole, ClusterRoleBinding};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::definitions::{DEFINED, violations};
use super::renderings::{RENDERINGS, rendering};
use super::{EXAMPLES, base, by_name, data, file, items, parse_one};

/// A check of a value; the error is the reason.
type Check = fn(&Value) -> Result<(), String>;

/// The kinds of Kubernetes in manifests, with their types.
const KUBERNETES: &[(&str, Check)] = &[
    ("ClusterRole", is_exactly::<ClusterRole>),
    ("ClusterRoleBinding", is_exactly::<ClusterRoleBinding>),
    ("ConfigMap", is_exactly::<ConfigMap>),
    ("ServiceAccount", is_exactly::<ServiceAccount>),
];

/// The schema with the requirements that are not in the definitions.
static REQUIREMENTS: LazyLock<Value> = LazyLock::new(|| parse_one(&data("requirements.yaml")));

/// Returns an error unless a value is one of a type of Kubernetes: reading and writing it keeps
/// every field, so it has no unknown one.
fn is_exactly<T: DeserializeOwned + Serialize>(value: &Value) -> Result<(), String> {
    let read: T = serde_json::from_value(value.clone()).map_err(|error| error.to_string())?;
    let written = serde_json::to_value(read).map_err(|error| error.to_string())?;
    if written == *value { Ok(()) } else { Err(format!("has unknown fields; the known ones are {written}")) }
}

/// Returns the violations of the schemas by an object.
fn of_schemas(kind: &str, object: &Value) -> Vec<String> {
    let mut found = match (DEFINED.get(kind), KUBERNETES.iter().find(|(name, _)| *name == kind)) {
        (Some(definition), _) => violations(definition, object),
        (None, Some((_, check))) => check(object).err().into_iter().collect(),
        (None, None) => return vec![format!("{kind}: unknown kind")],
    };
    found.extend(is_exactly::<ObjectMeta>(&object["metadata"]).err());
    let mut requirements = REQUIREMENTS.clone();
    assert!(requirements["definitions"].get(kind).is_some(), "{kind}: has no requirements");
    requirements["$ref"] = json!(format!("#/definitions/{kind}"));
    found.extend(violations(&jsonschema::draft7::new(&requirements).unwrap(), object));
    found
}

/// Returns the reasons for which the API server or Kubewarden's webhooks would reject an object.
fn invalid(object: &Value) -> Vec<String> {
    let kind = object["kind"].as_str().unwrap_or_default();
    let mut found = of_schemas(kind, object);
    let spec = &object["spec"];
    let seconds = |of: &Value, field: &str| of[field].as_u64();
    let limit = seconds(spec, "timeoutSeconds").unwrap_or(10);
    let members = spec["policies"].as_object().into_iter().flatten();
    let of_members = members.filter_map(|(_, member)| seconds(member, "timeoutEvalSeconds"));
    if seconds(spec, "timeoutEvalSeconds").into_iter().chain(of_members).sum::<u64>() > limit {
        found.push("spec: timeoutEvalSeconds: more than timeoutSeconds".to_owned());
    }
    let names: Vec<&Value> =
        items(&spec["matchConditions"]).iter().map(|condition| &condition["name"]).collect();
    if names.iter().enumerate().any(|(at, name)| names[..at].contains(name)) {
        found.push("spec.matchConditions: duplicate name".to_owned());
    }
    if let Some(expression) = spec["expression"].as_str() {
        for (name, _) in spec["policies"].as_object().into_iter().flatten() {
            if !expression.contains(&format!("{name}()")) {
                found.push(format!("spec.expression: does not use {name}()"));
            }
        }
    }
    found
}

#[test]
fn every_object_is_valid_for_the_api_server() {
    let rendered = RENDERINGS.iter().flat_map(|(name, _)| rendering(name));
    for object in base().into_iter().chain(EXAMPLES.iter().flat_map(|name| file(name))).chain(rendered) {
        let found = invalid(&object);
        assert!(found.is_empty(), "{}: {found:#?}", object["metadata"]["name"]);
    }
}

#[test]
fn invalid_objects_are_detected() {
    let objects = by_name(base().into_iter().chain(EXAMPLES.iter().flat_map(|name| file(name))).collect());
    let policy = ("ClusterAdmissionPolicy", "pod-security");
    let of_group = ("ClusterAdmissionPolicyGroup", "restricted-or-confined");
    let of_server = ("PolicyServer", "portcullis");
    let of_namespace = ("AdmissionPolicy", "pod-security");
    let role = ("ClusterRole", "portcullis-node-pods");
    let twice = json!([{ "name": "a", "expression": "true" }, { "name": "a", "expression": "true" }]);
    let many: Vec<Value> =
        (0..65).map(|at| json!({ "name": format!("c{at}"), "expression": "true" })).collect();
    for ((kind, name), path, value) in [
        (policy, "/apiVersion", json!("policies.kubewarden.io/v2")),
        (policy, "/kind", json!("Policy")),
        (policy, "/metadata/name", json!("Pod_Security")),
        (policy, "/spec/mode", json!("audit")),
        (policy, "/spec/mutating", json!("false")),
        (policy, "/spec/failurePolicy", json!("fail")),
        (policy, "/spec/timeoutSeconds", json!(31)),
        (policy, "/spec/timeoutSeconds", json!("5")),
        (policy, "/spec/timeoutEvalSeconds", json!(1)),
        (policy, "/spec/timeoutEvalSeconds", json!(6)),
        (policy, "/spec/settings", json!([])),
        (policy, "/spec/rules", json!([])),
        (policy, "/spec/rules/0/resources", json!([])),
        (policy, "/spec/rules/0/operations", json!(["PATCH"])),
        (
            policy,
            "/spec/rules/0",
            json!({ "apiGroups": [""], "resources": ["pods"], "operations": ["CREATE"] }),
        ),
        (policy, "/spec/matchConditions", twice),
        (policy, "/spec/matchConditions", json!(many)),
        (policy, "/spec/matchConditions/0/expression", json!("")),
        (policy, "/spec/matchConditions/0", json!({ "name": "a", "expressions": "true" })),
        (policy, "/spec/namespaceSelector/matchExpressions/0/operator", json!("Exists")),
        (policy, "/spec/namespaceSelector/matchExpressions/0/operator", json!("Not")),
        (policy, "/spec/contextAwareResources/0", json!({ "kind": "Namespace" })),
        (policy, "/spec", json!({ "module": "registry://a", "mutating": false })),
        (of_server, "/spec/image", json!("")),
        (of_server, "/spec/replicas", json!("3")),
        (of_server, "/spec/limits/memory", json!("512 MB")),
        (of_server, "/spec/maxUnavailable", json!(1.5)),
        (of_server, "/spec/affinity/podAntiAffinity", json!({ "required": [] })),
        (of_server, "/spec/securityContexts/pod/runAsNonRoot", json!("true")),
        (of_server, "/spec", json!({ "image": "a", "replicas": 3, "minAvailable": 2, "maxUnavailable": 1 })),
        (of_namespace, "/spec/settings", json!("restricted")),
        (of_namespace, "/metadata", json!({ "name": "a", "labels": {} })),
        (of_group, "/spec/message", json!("")),
        (of_group, "/spec/policies", json!({})),
        (of_group, "/spec/policies", json!({ "a-b": { "module": "registry://a" } })),
        (of_group, "/spec/policies", json!({ "package": { "module": "registry://a" } })),
        (of_group, "/spec/expression", json!("restricted() || baseline()")),
        (of_group, "/spec/timeoutSeconds", json!(5)),
        (policy, "/metadata", json!({ "name": "a", "labels": {}, "label": {} })),
        (role, "/rules/0/verbs", json!([])),
        (
            role,
            "/rules/0",
            json!({ "apiGroups": [""], "resources": ["nodes"], "verbs": ["get"], "verb": "get" }),
        ),
        (role, "/apiVersion", json!("rbac.authorization.k8s.io/v1beta1")),
    ] {
        let mut object = objects[&(kind.to_owned(), name.to_owned())].clone();
        *object.pointer_mut(path).unwrap_or_else(|| panic!("{name}: no {path}")) = value.clone();
        assert!(!invalid(&object).is_empty(), "{name}: {path}: {value}");
    }
}
