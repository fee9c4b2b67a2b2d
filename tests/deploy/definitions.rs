//! The definitions of Kubewarden's kinds in `tests/deploy/definitions`, as validators.
//!
//! The files follow the Go types of Kubewarden's controller in `api/policies/v1`, release 1.36.
//! They are complete, so an API server accepts them, and rejects what it rejects with Kubewarden's.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::LazyLock;

use jsonschema::Validator;
use kubewarden::matching::PolicyManifest;
use serde_json::{Value, json};

use super::data;
use crate::files::{names, parse_one};

/// The description of a field that the oldest supported version of Kubewarden does not have.
const NEWER: &str = "Since Kubewarden 1.36.";

/// Returns the files of the definitions.
pub(crate) fn files() -> Vec<PathBuf> {
    names(&data("definitions")).iter().map(|name| data("definitions").join(name)).collect()
}

/// The strict validators of the defined kinds.
pub(crate) static DEFINED: LazyLock<BTreeMap<String, Validator>> = LazyLock::new(|| {
    let validator = |file: PathBuf| {
        let spec = parse_one(&file)["spec"].take();
        let version = &spec["versions"][0];
        let mut schema = strict(&version["schema"]["openAPIV3Schema"]);
        let name = format!("{}/{}", spec["group"].as_str().unwrap(), version["name"].as_str().unwrap());
        schema["properties"]["apiVersion"] = json!({ "const": name });
        (spec["names"]["kind"].as_str().unwrap().to_owned(), jsonschema::draft7::new(&schema).unwrap())
    };
    files().into_iter().map(validator).collect()
});

/// Returns a schema of a definition as JSON Schema.
///
/// The API server drops unknown fields, and a manifest with a misspelt field means something else
/// than its author believes. The result therefore rejects them, and the fields that not every
/// supported version knows.
fn strict(schema: &Value) -> Value {
    let Value::Object(keywords) = schema else { return schema.clone() };
    let mut strict = keywords.clone();
    for (keyword, rule) in &mut strict {
        match (keyword.as_str(), rule) {
            ("properties", Value::Object(fields)) => {
                fields.retain(|_, field| field["description"] != NEWER);
                fields.values_mut().for_each(|field| *field = self::strict(field));
            }
            ("items" | "additionalProperties", rule) => *rule = self::strict(rule),
            _ => {}
        }
    }
    if strict.contains_key("properties") && !strict.contains_key("x-kubernetes-preserve-unknown-fields") {
        strict.insert("additionalProperties".to_owned(), json!(false));
    }
    if strict.remove("nullable") == Some(json!(true)) {
        strict["type"] = json!([strict["type"], "null"]);
    }
    Value::Object(strict)
}

/// Returns the violations of a schema by a value, each with its place.
pub(crate) fn violations(validator: &Validator, value: &Value) -> Vec<String> {
    validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

#[test]
fn the_definitions_are_structural_schemas() {
    /// Checks what an API server requires of a structural schema: each has a type, unless it is an
    /// integer or a string.
    fn check(path: &str, schema: &Value) {
        let either = schema["x-kubernetes-int-or-string"] == json!(true);
        assert!(schema["type"].is_string() || either, "{path}: no type");
        for (name, field) in schema["properties"].as_object().into_iter().flatten() {
            check(&format!("{path}.{name}"), field);
        }
        for keyword in ["items", "additionalProperties"] {
            if let Some(below) = schema.get(keyword) {
                check(&format!("{path}.{keyword}"), below);
            }
        }
    }
    for file in files() {
        let definition = parse_one(&file);
        let (spec, plural) = (&definition["spec"], definition["spec"]["names"]["plural"].as_str().unwrap());
        assert_eq!(definition["kind"], "CustomResourceDefinition");
        assert_eq!(definition["metadata"]["name"], format!("{plural}.{}", spec["group"].as_str().unwrap()));
        assert_eq!(file.file_stem().unwrap(), plural);
        check("", &spec["versions"][0]["schema"]["openAPIV3Schema"]);
    }
    assert_eq!(DEFINED.len(), 5);
}

#[test]
fn fields_that_the_oldest_supported_version_lacks_are_rejected() {
    let server = |field: &str, value: Value| {
        json!({
            "apiVersion": "policies.kubewarden.io/v1",
            "kind": "PolicyServer",
            "spec": { "image": "a", "replicas": 1, field: value },
        })
    };
    let found = |object: &Value| violations(&DEFINED["PolicyServer"], object);
    assert_eq!(found(&server("minAvailable", json!("50%"))), Vec::<String>::new());
    for (field, value) in [("webhookPort", json!(8443)), ("labels", json!({})), ("minAvailable", json!(true))]
    {
        assert_eq!(found(&server(field, value)).len(), 1, "{field}");
    }
}

/// The tool knows the fields of `spec` that the definitions have, and no others.
#[test]
fn policies_are_read_with_the_fields_of_their_definitions() {
    let fields: BTreeMap<String, BTreeSet<String>> = files()
        .iter()
        .map(|file| {
            let spec = parse_one(file)["spec"].take();
            let schema = &spec["versions"][0]["schema"]["openAPIV3Schema"];
            let names = schema["properties"]["spec"]["properties"].as_object().unwrap().keys().cloned();
            (spec["names"]["kind"].as_str().unwrap().to_owned(), names.collect())
        })
        .filter(|(kind, _)| kind != "PolicyServer")
        .collect();
    assert_eq!(fields.len(), 4);
    let all: BTreeSet<&String> = fields.values().flatten().collect();
    for (kind, known) in &fields {
        for name in &all {
            let manifest = json!({
                "apiVersion": "policies.kubewarden.io/v1",
                "kind": kind,
                "metadata": { "name": "a", "namespace": "b" },
                "spec": { (*name).as_str(): null },
            });
            let error = PolicyManifest::read(&manifest).unwrap_err().to_string();
            assert_eq!(error.contains("unknown field"), !known.contains(*name), "{kind}: {name}: {error}");
        }
    }
}
