//! Charts for Rancher's catalogue.

use serde_json::{Value, json};

use crate::packaging::{Metadata, rancher_chart};

const GOOD: &str = include_str!("../../../../../../policies/selinux/metadata.yml");

fn metadata() -> Metadata {
    Metadata::from_yaml(GOOD).unwrap()
}

#[test]
fn takes_the_chart_from_the_metadata() {
    let files = rancher_chart(&metadata()).unwrap();
    let values: Value = serde_saphyr::from_str(&files.values).unwrap();
    let expected = json!({
        "global": {"cattle": {"systemDefaultRegistry": "ghcr.io"}},
        "module": {"repository": "portcullis/policies/selinux", "tag": "v0.1.0"},
    });
    assert_eq!(values, expected);

    let chart: Value = serde_saphyr::from_str(&files.chart).unwrap();
    assert_eq!(chart["name"], "selinux");
    assert_eq!(chart["version"], "0.1.0");
    let annotations = &chart["annotations"];
    for (key, value) in [
        ("catalog.cattle.io/hidden", "true"),
        ("catalog.cattle.io/type", "kubewarden-policy"),
        ("kubewarden/displayName", "SELinux"),
        ("kubewarden/mutation", "true"),
        ("kubewarden/registry", "ghcr.io"),
        ("kubewarden/repository", "portcullis/policies/selinux"),
        ("kubewarden/tag", "v0.1.0"),
    ] {
        assert_eq!(annotations[key], value, "{key}");
    }
    // Annotations have to be texts: Helm reads no others.
    assert!(annotations.as_object().unwrap().values().all(Value::is_string), "{annotations:#}");
    let resources = annotations["kubewarden/resources"].as_str().unwrap();
    assert!(!resources.contains(' ') && resources.ends_with(",PersistentVolume"), "{resources}");
    let looked_up = annotations["kubewarden/contextAwareResources"].as_str().unwrap();
    let looked_up: Value = serde_saphyr::from_str(looked_up).unwrap();
    assert_eq!(looked_up[0], json!({"apiVersion": "batch/v1", "kind": "Job"}));
    assert_eq!(annotations.get("kubewarden/questions-ui"), None, "questions.yaml contains them");
}

#[test]
fn requires_a_registry_and_a_name() {
    let without = |key: &str, value: Option<&str>| {
        let mut metadata = metadata();
        metadata.annotations.remove(key);
        if let Some(value) = value {
            metadata.annotations.insert(key.to_owned(), value.to_owned());
        }
        rancher_chart(&metadata).unwrap_err().to_string()
    };
    assert_eq!(
        without("io.kubewarden.policy.ociUrl", Some("selinux")),
        "annotations.io.kubewarden.policy.ociUrl: has no registry; write REGISTRY/REPOSITORY"
    );
    assert_eq!(
        without("io.artifacthub.displayName", None),
        "annotations.io.artifacthub.displayName: is missing"
    );
}
