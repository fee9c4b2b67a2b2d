use std::collections::BTreeSet;

use kubewarden_policy_sdk::host_capabilities::kubernetes;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use super::*;
use crate::Resource;

fn host_calls(capabilities: &[&str]) -> HostCalls {
    let service = |name: &str| {
        json!({
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": { "namespace": "d", "name": name },
            "spec": { "type": "ClusterIP" },
        })
    };
    let deployment = Deployment {
        host_capabilities: capabilities.iter().map(|&capability| capability.to_owned()).collect(),
        context_aware_resources: vec![Resource { api_version: "v1".into(), kind: "Service".into() }],
        ..Deployment::new("external-ips")
    };
    let cluster = Objects::from_values(vec![service("a"), service("b")]).unwrap();
    HostCalls::new(&Arc::new(deployment), &Answers::Objects(Arc::new(cluster)))
}

fn ask(capabilities: &[&str], call: &str, payload: &Value) -> Result<Value, String> {
    let (namespace, operation) = call.split_once('/').unwrap();
    let payload = payload.to_string();
    let answer = host_calls(capabilities).answer("kubewarden", namespace, operation, payload.as_bytes());
    answer.map(|answer| serde_json::from_slice(&answer).unwrap())
}

fn denied(capabilities: &[&str], call: &str, payload: &Value) -> String {
    ask(capabilities, call, payload).unwrap_err()
}

#[test]
fn answers_granted_look_ups() {
    let get = json!({
        "api_version": "v1", "kind": "Service", "namespace": "d", "name": "a", "disable_cache": false,
        "field_masks": ["spec.nothing"],
    });
    assert_eq!(
        ask(&["kubernetes/get_resource"], "kubernetes/get_resource", &get).unwrap(),
        json!({
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": { "namespace": "d", "name": "a" },
            "spec": {},
        }),
    );
    let list = json!({ "api_version": "v1", "kind": "Service", "field_selector": "metadata.name=b" });
    let answer = ask(&["kubernetes/*"], "kubernetes/list_resources_all", &list).unwrap();
    assert_eq!(answer["kind"], "ServiceList");
    assert_eq!(answer["items"].as_array().unwrap().len(), 1);
    let list = json!({ "api_version": "v1", "kind": "Service", "namespace": "e", "label_selector": null });
    let answer = ask(&["*"], "kubernetes/list_resources_by_namespace", &list).unwrap();
    assert_eq!(answer["items"], json!([]));
}

/// The host reads everything that the SDK writes, and refuses everything that the SDK's types
/// refuse, with the same error.
#[test]
fn reads_questions_as_the_types_of_the_sdk() {
    let masks = || Some(BTreeSet::from(["metadata.name".to_owned()]));
    let get = kubernetes::GetResourceRequest {
        api_version: "v1".into(),
        kind: "Service".into(),
        name: "a".into(),
        namespace: Some("d".into()),
        disable_cache: true,
        field_masks: masks(),
    };
    let all = kubernetes::ListAllResourcesRequest {
        api_version: "v1".into(),
        kind: "Service".into(),
        label_selector: Some("!x".into()),
        field_selector: Some("metadata.name=a".into()),
        field_masks: masks(),
    };
    let namespaced = kubernetes::ListResourcesByNamespaceRequest {
        api_version: "v1".into(),
        kind: "Service".into(),
        namespace: "d".into(),
        label_selector: Some("!x".into()),
        field_selector: Some("metadata.name=a".into()),
        field_masks: masks(),
    };
    reads_as(GET, &get);
    reads_as(LIST_ALL, &all);
    reads_as(LIST_BY_NAMESPACE, &namespaced);
}

#[test]
fn answers_questions_about_permissions() {
    let question = kubernetes::CanIRequest {
        subject_access_review: kubernetes::SubjectAccessReview {
            groups: Some(vec!["system:masters".to_owned()]),
            resource_attributes: kubernetes::ResourceAttributes {
                resource: "services".to_owned(),
                verb: "create".to_owned(),
                ..Default::default()
            },
            user: "alice".to_owned(),
        },
        disable_cache: false,
    };
    let mut question = serde_json::to_value(question).unwrap();
    let ask = |question: &Value| ask(&["kubernetes/can_i"], "kubernetes/can_i", question);
    assert_eq!(ask(&question), Ok(json!({ "allowed": true })));
    question["subject_access_review"]["groups"] = Value::Null;
    assert_eq!(ask(&question), Ok(json!({ "allowed": false })));
    question["subject_access_review"]["user"] = json!(7);
    let wanted = serde_json::from_str::<kubernetes::CanIRequest>(&question.to_string()).unwrap_err();
    assert_eq!(ask(&question), Err(wanted.to_string()));
    let failure = denied(&[], "kubernetes/can_i", &question);
    assert!(failure.contains("'kubernetes/can_i' host capability"), "{failure}");
}

const GET: &str = "kubernetes/get_resource";
const LIST_ALL: &str = "kubernetes/list_resources_all";
const LIST_BY_NAMESPACE: &str = "kubernetes/list_resources_by_namespace";

/// Compares how the host and a type of the SDK read variants of a question.
fn reads_as<T: Serialize + DeserializeOwned>(call: &str, question: &T) {
    let whole = serde_json::to_value(question).unwrap();
    let answer = ask(&["*"], call, &whole).unwrap();
    let found = answer.get("items").map_or(&answer, |items| &items[0]);
    // The host adds empty metadata to the items of lists.
    let name = found["metadata"]["name"].as_str();
    assert_eq!((name, found.get("spec")), (Some("a"), None), "{call}");

    let with = |field: &str, value: Value| {
        let mut variant = whole.clone();
        variant[field] = value;
        variant
    };
    let without = |field: &str| {
        let mut variant = whole.clone();
        variant.as_object_mut().unwrap().remove(field);
        variant
    };
    let fields: Vec<&String> = whole.as_object().unwrap().keys().collect();
    let mut variants = vec![with("unknown", json!(1)), json!([]), json!("v1"), Value::Null];
    variants.extend(fields.iter().map(|field| without(field)));
    variants.extend(fields.iter().map(|field| with(field, Value::Null)));
    variants.extend(fields.iter().map(|field| with(field, json!(7))));
    for variant in variants {
        let read = serde_json::from_slice::<T>(variant.to_string().as_bytes());
        match (read, ask(&["*"], call, &variant)) {
            (Ok(_), Ok(_)) => {}
            // Read, but there is no such object.
            (Ok(_), Err(found)) if found.starts_with("Callback evaluation failure: ") => {}
            (Err(wanted), Err(found)) => assert_eq!(found, wanted.to_string(), "{call}: {variant}"),
            (read, answer) => panic!("{call}: {variant}: {:?} but {answer:?}", read.map(drop)),
        }
    }
}

#[test]
fn denies_other_look_ups_in_the_policy_servers_words() {
    let get = json!({ "api_version": "v1", "kind": "Secret", "name": "a", "disable_cache": false });
    assert_eq!(
        denied(&["kubernetes/can_i"], "kubernetes/get_resource", &get),
        "Policy has not been granted access to the 'kubernetes/get_resource' host capability. The violation \
         has been reported.",
    );
    assert_eq!(
        denied(&["*"], "kubernetes/get_resource", &get),
        "Policy has not been granted access to Kubernetes v1/Secret resources. The violation has been \
         reported.",
    );
}

#[test]
fn reports_unknown_calls_in_the_policy_servers_words() {
    assert_eq!(denied(&["*"], "kubernetes/zzz", &json!({})), "unknown operation: zzz");
    assert_eq!(denied(&["*"], "zzz/a", &json!({})), "unknown namespace: zzz");
    assert_eq!(denied(&[], "tracing/zzz", &json!({})), "unknown operation: zzz");
    assert_eq!(
        denied(&["*"], "kubernetes/get_resource", &json!({"api_version":"v1"})),
        "missing field `kind` at line 1 column 20",
    );
    assert_eq!(
        host_calls(&["*"]).answer("other", "kubernetes", "can_i", b""),
        Err("unknown binding: other".into())
    );
}

#[test]
fn reports_calls_that_only_a_policy_server_offers() {
    assert_eq!(
        denied(&["*"], "net/v1/dns_lookup_host", &json!("example.com")),
        "Callback evaluation failure: net/v1/dns_lookup_host is not offered by the embedded host; run this \
         policy in a policy server",
    );
}

#[test]
fn records_calls_and_logs() {
    let mut host_calls = host_calls(&[]);
    assert_eq!(host_calls.answer("kubewarden", "tracing", "log", br#"{"level":"INFO"}"#), Ok(Vec::new()));
    host_calls.answer("kubewarden", "net", "v1/dns_lookup_host", b"\"example.com\"").unwrap_err();
    let Record { calls, logs } = host_calls.into_record();
    assert_eq!(logs, [json!({ "level": "INFO" })]);
    assert_eq!(calls.len(), 1);
    assert_eq!((calls[0].namespace.as_str(), calls[0].operation.as_str()), ("net", "v1/dns_lookup_host"));
    assert_eq!(calls[0].payload, json!("example.com"));
    assert!(matches!(calls[0].outcome, CallOutcome::Denied(_)));
}
