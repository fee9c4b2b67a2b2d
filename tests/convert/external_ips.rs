//! The manifests for `external-ips`, held against the deployment and the guide.

use std::fs;

use serde_json::{Value, json};

use super::cases::{convert, convert_kyverno};
use super::documents;
use super::requests::refusals;

/// The expressions of match conditions, each with single spaces.
fn expressions(manifest: &Value) -> Vec<String> {
    let text = |condition: &Value| {
        condition["expression"].as_str().unwrap().split_whitespace().collect::<Vec<_>>().join(" ")
    };
    manifest["spec"]["matchConditions"].as_array().unwrap().iter().map(text).collect()
}

fn deployed() -> Value {
    let deployed = fs::read_to_string(tests::root().join("artifacthub/deploy/external-ips.yaml")).unwrap();
    documents(&deployed)[0].take()
}

#[test]
fn conditions_are_those_of_the_deployment() {
    let policy = json!({
        "apiVersion": "kyverno.io/v1",
        "kind": "ClusterPolicy",
        "metadata": { "name": "p" },
        "spec": {
            "background": false,
            "rules": [{
                "name": "r",
                "match": { "any": [{ "resources": { "kinds": ["Service"] } }] },
                "validate": { "failureAction": "Enforce", "pattern": { "spec": { "X(externalIPs)": "null" } } },
            }],
        },
    });
    let converted = convert_kyverno(&policy);
    assert_eq!(expressions(&converted.manifests[0]), expressions(&deployed()));
    // Stored values are evaluated on every update.
    let constraint = json!({
        "apiVersion": "constraints.gatekeeper.sh/v1beta1",
        "kind": "K8sExternalIPs",
        "metadata": { "name": "c" },
        "spec": {
            "match": { "kinds": [{ "apiGroups": [""], "kinds": ["Service"] }] },
            "parameters": { "allowedIPs": ["203.0.113.7"] },
        },
    });
    let converted = convert("gatekeeper", None, &constraint).unwrap();
    assert_eq!(expressions(&converted.manifests[0]), expressions(&deployed())[..1]);
}

#[test]
fn the_manifest_of_the_guide_restricts_addresses() {
    let page = fs::read_to_string(tests::root().join("docs/migrate-external-ips.md")).unwrap();
    let block = page.split("```yaml\n").nth(1).unwrap().split_once("```").unwrap().0;
    let manifests = documents(block);
    assert_eq!(manifests.len(), 1);
    assert_eq!(manifests[0]["spec"]["module"], deployed()["spec"]["module"]);
    assert_eq!(expressions(&manifests[0]), expressions(&deployed())[..1]);
    for (address, is_denied) in [("192.0.2.1", false), ("192.0.2.200", true), ("198.51.100.1", true)] {
        let service = json!({
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": { "name": "web", "namespace": "shop" },
            "spec": { "type": "LoadBalancer", "ports": [{ "port": 80 }], "externalIPs": [address] },
        });
        assert_eq!(!refusals(&manifests, Some(&service), &service).is_empty(), is_denied, "{address}");
    }
}
