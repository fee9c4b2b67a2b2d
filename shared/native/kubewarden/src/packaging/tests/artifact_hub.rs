//! Packages for Artifact Hub, and the forms within.

use serde_json::{Value, json};

use super::GOOD;
use crate::packaging::{Metadata, Questions, artifact_hub_package};

/// The package of valid metadata with some annotations changed, or removed where the value is
/// `None`.
fn package(changes: &[(&str, Option<&str>)]) -> Result<Value, String> {
    let mut metadata = Metadata::from_yaml(GOOD).unwrap();
    for (key, value) in changes {
        match value {
            Some(value) => metadata.annotations.insert((*key).to_owned(), (*value).to_owned()),
            None => metadata.annotations.remove(*key),
        };
    }
    let package = artifact_hub_package(&metadata, "questions: []\n", "2026-11-20T00:00:00Z");
    Ok(serde_saphyr::from_str(&package.map_err(|error| error.to_string())?).unwrap())
}

#[test]
fn takes_the_package_from_the_metadata() {
    let found = package(&[]).unwrap();
    assert_eq!(found["version"], "0.1.0");
    assert_eq!(found["name"], "external-ips");
    assert_eq!(found["createdAt"], "2026-11-20T00:00:00Z");
    let image = json!([{"name": "policy", "image": "ghcr.io/portcullis/policies/external-ips:v0.1.0"}]);
    assert_eq!(found["containersImages"], image);
    assert_eq!(found["keywords"], json!(["service", "externalIPs", "networking", "CVE-2020-8554"]));
    let of_release =
        "https://github.com/portcullis/portcullis/releases/download/external-ips%2Fv0.1.0/policy.wasm";
    assert_eq!(found["links"][0], json!({"name": "policy", "url": of_release}));
    let annotations = &found["annotations"];
    assert_eq!(annotations["kubewarden/mutation"], "false");
    assert_eq!(annotations["kubewarden/questions-ui"], "questions: []\n");
    let rules: Value = serde_saphyr::from_str(annotations["kubewarden/rules"].as_str().unwrap()).unwrap();
    assert_eq!(rules[0]["resources"], json!(["services"]));
    assert_eq!(annotations.get("kubewarden/hidden-ui"), None);
}

#[test]
fn omits_optional_annotations_and_requires_others() {
    let found = package(&[("com.github.release.tag", None), ("io.artifacthub.keywords", None)]).unwrap();
    let url = found["links"][0]["url"].as_str().unwrap();
    assert!(url.ends_with("/releases/download/v0.1.0/policy.wasm"), "{url}");
    assert_eq!(found.get("keywords"), None);

    let elsewhere = [("io.kubewarden.policy.source", Some("https://git.example.org/portcullis"))];
    let links = json!([{"name": "source", "url": "https://git.example.org/portcullis"}]);
    assert_eq!(package(&elsewhere).unwrap()["links"], links);

    let hidden = package(&[("io.kubewarden.hidden-ui", Some("true"))]).unwrap();
    assert_eq!(hidden["annotations"]["kubewarden/hidden-ui"], "true");

    let error = package(&[("io.artifacthub.displayName", None)]).unwrap_err();
    assert_eq!(error, "annotations.io.artifacthub.displayName: is missing");
}

#[test]
fn every_author_maintains_and_the_first_provides() {
    let authors = [("io.kubewarden.policy.author", Some("Ann <ann@example.org>, Bo Li <bo@example.org>"))];
    let found = package(&authors).unwrap();
    let maintainers = json!([
        {"name": "Ann", "email": "ann@example.org"},
        {"name": "Bo Li", "email": "bo@example.org"},
    ]);
    assert_eq!(found["maintainers"], maintainers);
    assert_eq!(found["provider"], json!({"name": "Ann"}));
}

#[test]
fn reads_a_form_as_written() {
    let form = "questions:
        - {variable: a, label: A, type: enum, options: ['Off', 'no'], default: 'Off'}
        - {variable: b, label: B, default: null}";
    let form = Questions::from_yaml(form).unwrap();
    let yaml = form.to_yaml().unwrap();
    // Rancher reads the unquoted word as a boolean.
    assert!(yaml.contains(r#"default: "Off""#), "{yaml}");
    assert!(yaml.contains("default: null"), "{yaml}");
    assert_eq!(Questions::from_yaml(&yaml).unwrap(), form);
    let error = Questions::from_yaml("questions: 7").unwrap_err().to_string();
    assert!(error.starts_with("questions: "), "{error}");
}
