//! The host calls of a module: its questions to the host, and their answers.

use std::sync::Arc;

use kubernetes::objects::{CanI, Fetch, Listing, Objects};
use serde::Deserialize;
use serde_json::Value;

use crate::{Deployment, capability};

/// A question of a module to the host.
#[derive(Clone, Debug, PartialEq)]
pub struct HostCall {
    /// The namespace, such as `kubernetes`.
    pub namespace: String,
    /// The operation, such as `get_resource`.
    pub operation: String,
    /// The question itself; a string if it was not JSON.
    pub payload: Value,
    /// How the host answered.
    pub outcome: CallOutcome,
}

/// How the host answered a question.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum CallOutcome {
    /// Answered with these bytes.
    Answered(Vec<u8>),
    /// Granted but not answered, with the text that the module received.
    Failed(String),
    /// Not granted, with the text that the module received.
    Denied(String),
}

/// A recording of host calls, which answers in the place of a cluster.
pub trait Replay: std::fmt::Debug + Send + Sync {
    /// Answers a call such as `kubernetes/get_resource`.
    ///
    /// # Errors
    /// A call that the recording answers with an error, or does not have.
    fn answer(&self, call: &str, payload: &Value) -> Result<Vec<u8>, String>;
}

/// The source of the answers to the granted calls of a module.
#[derive(Clone, Debug)]
pub(crate) enum Answers {
    Objects(Arc<Objects>),
    Recording(Arc<dyn Replay>),
}

#[derive(Debug, Default)]
pub(crate) struct Record {
    pub(crate) calls: Vec<HostCall>,
    pub(crate) logs: Vec<Value>,
}

/// The host as one instance sees it: it answers questions and records them.
#[derive(Debug)]
pub(crate) struct HostCalls {
    deployment: Arc<Deployment>,
    answers: Answers,
    record: Record,
}

impl HostCalls {
    pub(crate) fn new(deployment: &Arc<Deployment>, answers: &Answers) -> Self {
        Self { deployment: Arc::clone(deployment), answers: answers.clone(), record: Record::default() }
    }

    /// Answers a question and records it; an error is the text for the module.
    pub(crate) fn answer(
        &mut self,
        binding: &str,
        namespace: &str,
        operation: &str,
        payload: &[u8],
    ) -> Result<Vec<u8>, String> {
        if binding == "kubewarden" && namespace == "tracing" {
            return match operation {
                "log" => {
                    self.log(json_or_text(payload));
                    Ok(Vec::new())
                }
                _ => Err(unknown_operation(operation)),
            };
        }
        let outcome = self.outcome(binding, namespace, operation, payload);
        self.record.calls.push(HostCall {
            namespace: namespace.to_owned(),
            operation: operation.to_owned(),
            payload: json_or_text(payload),
            outcome: outcome.clone(),
        });
        match outcome {
            CallOutcome::Answered(answer) => Ok(answer),
            CallOutcome::Failed(text) | CallOutcome::Denied(text) => Err(text),
        }
    }

    pub(crate) fn log(&mut self, entry: Value) {
        self.record.logs.push(entry);
    }

    /// Everything that was asked and logged, in order.
    pub(crate) fn into_record(self) -> Record {
        self.record
    }

    fn outcome(&self, binding: &str, namespace: &str, operation: &str, payload: &[u8]) -> CallOutcome {
        if binding != "kubewarden" {
            return CallOutcome::Failed(format!("unknown binding: {binding}"));
        }
        let call = format!("{namespace}/{operation}");
        if !self.deployment.grants_call(&call) {
            return CallOutcome::Denied(format!(
                "Policy has not been granted access to the '{call}' host capability. The violation has been \
                 reported."
            ));
        }
        let cluster = match &self.answers {
            Answers::Objects(cluster) => cluster,
            Answers::Recording(recording) => return self.replay(&**recording, &call, payload),
        };
        match (namespace, operation) {
            ("kubernetes", "get_resource") => self.look_up::<GetResourceRequest>(cluster, payload),
            ("kubernetes", "list_resources_all") => self.look_up::<ListAllResourcesRequest>(cluster, payload),
            ("kubernetes", "list_resources_by_namespace") => {
                self.look_up::<ListResourcesByNamespaceRequest>(cluster, payload)
            }
            ("kubernetes", "can_i") => can_i(cluster, payload),
            _ if capability::is_known(&call) => CallOutcome::Failed(format!(
                "Callback evaluation failure: {call} is not offered by the embedded host; run this policy in a \
                 policy server"
            )),
            _ if capability::is_namespace(namespace) => CallOutcome::Failed(unknown_operation(operation)),
            _ => CallOutcome::Failed(format!("unknown namespace: {namespace}")),
        }
    }

    /// Answers a granted call from a recording.
    fn replay(&self, recording: &dyn Replay, call: &str, payload: &[u8]) -> CallOutcome {
        let payload = json_or_text(payload);
        let text = |key: &str| payload.get(key).and_then(Value::as_str);
        if let (Some(api_version), Some(kind)) = (text("api_version"), text("kind"))
            && !self.deployment.grants_resource(api_version, kind)
        {
            return not_granted(api_version, kind);
        }
        match recording.answer(call, &payload) {
            Ok(answer) => CallOutcome::Answered(answer),
            Err(problem) => CallOutcome::Failed(format!("Callback evaluation failure: {problem}")),
        }
    }

    fn look_up<'p, L: LookUp + Deserialize<'p>>(&self, cluster: &Objects, payload: &'p [u8]) -> CallOutcome {
        let question: L = match serde_json::from_slice(payload) {
            Ok(question) => question,
            Err(error) => return CallOutcome::Failed(error.to_string()),
        };
        let (api_version, kind) = question.resource();
        if !self.deployment.grants_resource(api_version, kind) {
            return not_granted(api_version, kind);
        }
        outcome_of(question.answer(cluster))
    }
}

/// Answers a question about a permission, which the policy server does not check against the
/// kinds of the policy.
fn can_i(cluster: &Objects, payload: &[u8]) -> CallOutcome {
    let CanIRequest { subject_access_review: review, .. } = match serde_json::from_slice(payload) {
        Ok(question) => question,
        Err(error) => return CallOutcome::Failed(error.to_string()),
    };
    let asked = &review.resource_attributes;
    let text = |text: &'_ Option<String>| text.clone().unwrap_or_default();
    let groups = review.groups.unwrap_or_default();
    outcome_of(cluster.can_i(&CanI {
        user: &review.user,
        groups: &groups.iter().map(String::as_str).collect::<Vec<&str>>(),
        verb: &asked.verb,
        group: &text(&asked.group),
        resource: &asked.resource,
        subresource: &text(&asked.subresource),
        name: &text(&asked.name),
        namespace: &text(&asked.namespace),
    }))
}

fn not_granted(api_version: &str, kind: &str) -> CallOutcome {
    CallOutcome::Denied(kubernetes::objects::not_granted(api_version, kind).0)
}

fn outcome_of(answer: Result<Value, kubernetes::objects::LookupFailure>) -> CallOutcome {
    match answer {
        Ok(answer) => CallOutcome::Answered(answer.to_string().into_bytes()),
        Err(failure) => CallOutcome::Failed(failure.to_string()),
    }
}

fn unknown_operation(operation: &str) -> String {
    format!("unknown operation: {operation}")
}

fn json_or_text(payload: &[u8]) -> Value {
    serde_json::from_slice(payload).unwrap_or_else(|_| String::from_utf8_lossy(payload).into())
}

/// A question about objects.
///
/// The types below read what the types of the same names in kubewarden-policy-sdk write. The SDK's
/// own need all types of Kubernetes, which would take too long to compile; a test compares them.
trait LookUp {
    /// API version and kind of the objects.
    fn resource(&self) -> (&str, &str);
    fn answer(&self, cluster: &Objects) -> Result<Value, kubernetes::objects::LookupFailure>;
}

#[derive(Deserialize)]
struct GetResourceRequest {
    api_version: String,
    kind: String,
    name: String,
    namespace: Option<String>,
    /// Required by the policy server; here nothing is cached.
    #[serde(rename = "disable_cache")]
    _disable_cache: bool,
    field_masks: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct ListAllResourcesRequest {
    api_version: String,
    kind: String,
    label_selector: Option<String>,
    field_selector: Option<String>,
    field_masks: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct ListResourcesByNamespaceRequest {
    api_version: String,
    kind: String,
    namespace: String,
    label_selector: Option<String>,
    field_selector: Option<String>,
    field_masks: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct CanIRequest {
    subject_access_review: SubjectAccessReview,
    /// Required by the policy server; here nothing is cached.
    #[serde(rename = "disable_cache")]
    _disable_cache: bool,
}

#[derive(Deserialize)]
struct SubjectAccessReview {
    groups: Option<Vec<String>>,
    resource_attributes: ResourceAttributes,
    user: String,
}

#[derive(Deserialize)]
struct ResourceAttributes {
    group: Option<String>,
    name: Option<String>,
    namespace: Option<String>,
    resource: String,
    subresource: Option<String>,
    verb: String,
    /// Read by the policy server; RBAC does not consider it.
    #[serde(rename = "version")]
    _version: Option<String>,
}

impl LookUp for GetResourceRequest {
    fn resource(&self) -> (&str, &str) {
        (&self.api_version, &self.kind)
    }

    fn answer(&self, cluster: &Objects) -> Result<Value, kubernetes::objects::LookupFailure> {
        cluster.fetch(&Fetch {
            api_version: &self.api_version,
            kind: &self.kind,
            namespace: self.namespace.as_deref(),
            name: &self.name,
            field_masks: self.field_masks.as_deref().unwrap_or_default(),
        })
    }
}

impl LookUp for ListAllResourcesRequest {
    fn resource(&self) -> (&str, &str) {
        (&self.api_version, &self.kind)
    }

    fn answer(&self, cluster: &Objects) -> Result<Value, kubernetes::objects::LookupFailure> {
        cluster.list(&Listing {
            api_version: &self.api_version,
            kind: &self.kind,
            namespace: None,
            label_selector: self.label_selector.as_deref(),
            field_selector: self.field_selector.as_deref(),
            field_masks: self.field_masks.as_deref().unwrap_or_default(),
        })
    }
}

impl LookUp for ListResourcesByNamespaceRequest {
    fn resource(&self) -> (&str, &str) {
        (&self.api_version, &self.kind)
    }

    fn answer(&self, cluster: &Objects) -> Result<Value, kubernetes::objects::LookupFailure> {
        cluster.list(&Listing {
            api_version: &self.api_version,
            kind: &self.kind,
            namespace: Some(&self.namespace),
            label_selector: self.label_selector.as_deref(),
            field_selector: self.field_selector.as_deref(),
            field_masks: self.field_masks.as_deref().unwrap_or_default(),
        })
    }
}

#[cfg(test)]
mod tests {
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
        let list =
            json!({ "api_version": "v1", "kind": "Service", "namespace": "e", "label_selector": null });
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
}
