//! The manifests for `external-ips` from policies of Kyverno.

use harness::{Case, judge};
use matching::{Decision, Webhook};
use serde_json::{Value, json};

use super::{converted_from, documents, empty_configuration, folder, missing};

/// Documents, the lines about them, and requests with their verdicts.
#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Conversion {
    name: String,
    /// The source of the facts.
    source: String,
    input: Vec<Value>,
    /// The beginning of each line about what is not converted: the path and the reason.
    #[serde(default)]
    not_converted: Vec<String>,
    /// The settings of each manifest.
    settings: Vec<Value>,
    #[serde(default)]
    spec: Value,
    #[serde(default)]
    requests: Vec<Asked>,
}

/// A request, and the verdict that the source gives.
#[derive(Default, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    verdict: String,
    #[serde(default)]
    old: Option<Vec<String>>,
    new: Vec<String>,
    #[serde(default)]
    groups: Vec<String>,
}

/// A policy that denies external IPs by the pattern of Kyverno's library.
fn policy() -> String {
    json!({
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
    })
    .to_string()
}

#[test]
fn the_configuration_of_kyverno_leaves_out_services() {
    let folder = folder("external-ips-kyverno");
    let configuration = folder.join("configuration.yaml").display().to_string();
    let text = "{apiVersion: v1, kind: ConfigMap, metadata: {name: kyverno}, data: {resourceFilters: '[*/*,quiet,*]'}}\n";
    std::fs::write(&configuration, text).unwrap();
    let (_, list) = converted_from("kyverno", &["--kyverno-config", &configuration], &policy());
    let selector = &list["items"][0]["spec"]["namespaceSelector"];
    assert_eq!(selector["matchExpressions"][0]["values"], json!(["quiet"]), "{list}");
}

/// Whether one of the manifests refuses a request.
fn is_refused(manifests: &[Value], request: &Asked) -> bool {
    let service = |addresses: &[String]| {
        let mut service = json!({
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": { "name": "web", "namespace": "shop" },
            "spec": { "type": "LoadBalancer", "ports": [{ "port": 80 }] },
        });
        if !addresses.is_empty() {
            service["spec"]["externalIPs"] = json!(addresses);
        }
        service
    };
    let (new, old) = (service(&request.new), request.old.as_deref().map(service));
    let user = json!({ "username": "ann", "groups": request.groups });
    let namespace = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": "shop", "labels": { "kubernetes.io/metadata.name": "shop" } } });
    let sent = json!({
        "uid": "u",
        "operation": if old.is_some() { "UPDATE" } else { "CREATE" },
        "kind": { "group": "", "version": "v1", "kind": "Service" },
        "resource": { "group": "", "version": "v1", "resource": "services" },
        "name": "web",
        "namespace": "shop",
        "userInfo": user,
        "object": new,
        "oldObject": old,
    });
    manifests.iter().any(|manifest| {
        let spec = &manifest["spec"];
        let decision = Webhook::from_spec(spec).unwrap().decide(&sent, Some(&namespace));
        match decision {
            Decision::Called(_) => {}
            Decision::Unknown(_) | Decision::ConditionFailed(_) => {
                panic!("{}: {manifest}", decision.explain())
            }
            _ => return false,
        }
        let case: Case = serde_json::from_value(json!({
            "name": "converted",
            "settings": spec["settings"],
            "user": user,
            "object": new,
            "oldObject": old,
            "cluster": { "objects": [namespace] },
            "want": {},
        }))
        .unwrap();
        let outcome = judge::natively(rules::find("external-ips").unwrap(), &case).unwrap().outcome;
        assert!(outcome.fault.is_none() && outcome.settings_error.is_none(), "{outcome:?}");
        outcome.denied.is_some()
    })
}

#[test]
fn converts_the_cases() {
    let cases: Vec<Conversion> = serde_saphyr::from_str(include_str!("external-ips-cases.yaml")).unwrap();
    let mut requests = 0;
    for case in &cases {
        assert!(!case.source.is_empty());
        let input = json!({ "apiVersion": "v1", "kind": "List", "items": case.input }).to_string();
        let (_, list) = converted_from("kyverno", &[], &input);
        let lines = missing(&list);
        assert_eq!(lines.len(), case.not_converted.len(), "{}: {lines:#?}", case.name);
        for (line, expected) in lines.iter().zip(&case.not_converted) {
            assert!(line.starts_with(&format!("items[{expected}")), "{}: {line}", case.name);
        }
        let manifests = list["items"].as_array().unwrap();
        let settings: Vec<&Value> = manifests.iter().map(|manifest| &manifest["spec"]["settings"]).collect();
        assert_eq!(settings, case.settings.iter().collect::<Vec<_>>(), "{}", case.name);
        for (key, value) in case.spec.as_object().into_iter().flatten() {
            assert_eq!(manifests[0]["spec"][key], *value, "{}: {key}", case.name);
        }
        for request in &case.requests {
            let verdict = if is_refused(manifests, request) { "Denied" } else { "Admitted" };
            assert_eq!(verdict, request.verdict, "{}: {:?}", case.name, request.new);
            requests += 1;
        }
    }
    assert_eq!((cases.len(), requests), (4, 12));
}

/// The expressions of match conditions, each with single spaces.
fn expressions(manifest: &Value) -> Vec<String> {
    let text = |condition: &Value| {
        condition["expression"].as_str().unwrap().split_whitespace().collect::<Vec<_>>().join(" ")
    };
    manifest["spec"]["matchConditions"].as_array().unwrap().iter().map(text).collect()
}

fn deployed() -> Value {
    let deployed = std::fs::read_to_string(tests::root().join("deploy/external-ips.yaml")).unwrap();
    documents(&deployed)[0].take()
}

#[test]
fn conditions_are_those_of_the_deployment() {
    let (_, list) = converted_from("kyverno", &["--kyverno-config", &empty_configuration()], &policy());
    assert_eq!(expressions(&list["items"][0]), expressions(&deployed()), "{list}");
    // Stored values are judged on every update.
    let constraint = json!({
        "apiVersion": "constraints.gatekeeper.sh/v1beta1",
        "kind": "K8sExternalIPs",
        "metadata": { "name": "c" },
        "spec": {
            "match": { "kinds": [{ "apiGroups": [""], "kinds": ["Service"] }] },
            "parameters": { "allowedIPs": ["203.0.113.7"] },
        },
    });
    let (_, list) = converted_from("gatekeeper", &[], &constraint.to_string());
    assert_eq!(expressions(&list["items"][0]), expressions(&deployed())[..1], "{list}");
}

#[test]
fn the_manifest_of_the_guide_restricts_addresses() {
    let page = std::fs::read_to_string(tests::root().join("docs/migrate-external-ips.md")).unwrap();
    let block = page.split("```yaml\n").nth(1).unwrap().split_once("```").unwrap().0;
    let manifests = documents(block);
    assert_eq!(manifests.len(), 1);
    assert_eq!(manifests[0]["spec"]["module"], deployed()["spec"]["module"]);
    assert_eq!(expressions(&manifests[0]), expressions(&deployed())[..1]);
    for (address, is_denied) in [("192.0.2.1", false), ("192.0.2.200", true), ("198.51.100.1", true)] {
        let new = vec![address.to_owned()];
        let request = Asked { old: Some(new.clone()), new, ..Asked::default() };
        assert_eq!(is_refused(&manifests, &request), is_denied, "{address}");
    }
}
