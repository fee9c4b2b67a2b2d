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
mod tests;
