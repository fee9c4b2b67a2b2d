//! The manifests are valid for the API server, and for Kubewarden's webhooks.

use std::sync::LazyLock;

use k8s_openapi::api::admissionregistration::v1::{
    ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding,
};
use k8s_openapi::api::core::v1::{ConfigMap, ServiceAccount};
use k8s_openapi::api::rbac::v1::{ClusterRole, ClusterRoleBinding};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::alerts::PrometheusRule;
use super::definitions::{DEFINED, violations};
use super::renderings::{RENDERINGS, rendering};
use super::{EXAMPLES, base, by_name, data, file, items};
use crate::files::parse_one;

/// A check of a value; the error is the reason.
type Check = fn(&Value) -> Result<(), String>;

/// The kinds of Kubernetes and of the Prometheus operator in manifests, with their types.
const KUBERNETES: &[(&str, Check)] = &[
    ("ClusterRole", is_exactly::<ClusterRole>),
    ("ClusterRoleBinding", is_exactly::<ClusterRoleBinding>),
    ("ConfigMap", is_exactly::<ConfigMap>),
    ("PrometheusRule", is_exactly::<PrometheusRule>),
    ("ServiceAccount", is_exactly::<ServiceAccount>),
    ("ValidatingAdmissionPolicy", is_exactly::<ValidatingAdmissionPolicy>),
    ("ValidatingAdmissionPolicyBinding", is_exactly::<ValidatingAdmissionPolicyBinding>),
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
    let detects = |of: &[Value], path: &str, value: &Value| {
        let [kind, name] = [0, 1].map(|at| of[at].as_str().unwrap().to_owned());
        let mut object = objects[&(kind, name)].clone();
        *object.pointer_mut(path).unwrap_or_else(|| panic!("{of:?}: no {path}")) = value.clone();
        assert!(!invalid(&object).is_empty(), "{of:?}: {path}: {value}");
    };
    for changed in items(&parse_one(&data("invalid.yaml"))) {
        for change in items(&changed["values"]) {
            detects(items(&changed["of"]), change[0].as_str().unwrap(), &change[1]);
        }
    }
    let condition = |at: usize| json!({ "name": format!("c{at}"), "expression": "true" });
    let many: Vec<Value> = (0..65).map(condition).collect();
    let policy = [json!("ClusterAdmissionPolicy"), json!("pod-security")];
    detects(&policy, "/spec/matchConditions", &json!(many));
}
