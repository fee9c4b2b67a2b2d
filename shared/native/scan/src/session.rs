//! Recordings of `kwctl`, which answer look-ups in the place of a cluster.
//!
//! Source: `crates/kwctl/src/callback_handler/proxy.rs` and
//! `crates/policy-evaluator/src/callback_requests.rs` of kubewarden/kubewarden-controller at
//! 1e481714: a list of exchanges, whose `request` is the YAML of a tagged question. They are
//! replayed in order, and each has to be the question that is asked.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use admission::{CanI, Get, List};
use serde_json::{Map, Value, json};

/// A recording of the questions to a host and its answers.
#[derive(Debug)]
pub struct Session(Mutex<State>);

#[derive(Debug)]
struct State {
    exchanges: VecDeque<Exchange>,
    /// Why the first question that the recording does not have next was not answered.
    problem: Option<String>,
}

#[derive(Debug)]
struct Exchange {
    question: Question,
    answer: Result<String, String>,
}

/// A question: its name, and its fields without those that are null.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Question {
    name: String,
    fields: Map<String, Value>,
}

/// Why a question is not answered: as the recording says, or because it is another question.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum NoAnswer {
    Recorded(String),
    Unexpected(String),
}

/// The reason why a text is not a recording.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct InvalidSession(String);

impl fmt::Display for InvalidSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InvalidSession {}

impl Session {
    /// Reads a recording, as `kwctl run --record-host-capabilities-interactions` writes it.
    ///
    /// # Errors
    /// A text that is not a list of exchanges.
    pub fn read(text: &str) -> Result<Self, InvalidSession> {
        let documents =
            manifest::own_documents(text).map_err(|problem| InvalidSession(problem.to_string()))?;
        let exchanges = match documents.as_slice() {
            [] => Vec::new(),
            [Value::Array(exchanges)] => {
                let read = exchanges.iter().enumerate().map(|(at, exchange)| {
                    self::exchange(exchange)
                        .map_err(|problem| InvalidSession(format!("exchange {}: {problem}", at + 1)))
                });
                read.collect::<Result<_, _>>()?
            }
            _ => {
                let problem = "expected a list of exchanges, as kwctl records it";
                return Err(InvalidSession(problem.to_owned()));
            }
        };
        Ok(Self(Mutex::new(State { exchanges: exchanges.into(), problem: None })))
    }

    /// Returns the number of exchanges that were not replayed.
    #[must_use]
    pub fn left(&self) -> usize {
        self.state().exchanges.len()
    }

    /// Returns why a question was not answered, if one was not.
    #[cfg(feature = "modules")]
    pub(crate) fn problem(&self) -> Option<String> {
        self.state().problem.clone()
    }

    /// Notes a question that no recording can answer.
    #[cfg(feature = "modules")]
    pub(crate) fn refuse(&self, problem: String) -> String {
        self.state().problem.get_or_insert_with(|| problem.clone());
        problem
    }

    pub(crate) fn answer(&self, question: &Question) -> Result<Vec<u8>, NoAnswer> {
        let mut state = self.state();
        let unexpected = |state: &mut State, problem: String| {
            state.problem.get_or_insert_with(|| problem.clone());
            Err(NoAnswer::Unexpected(problem))
        };
        let Some(next) = state.exchanges.front() else {
            let problem = format!("the session has no answer to {question}; record it again");
            return unexpected(&mut state, problem);
        };
        if next.question != *question {
            let problem =
                format!("the session answers {} next, and not {question}; record it again", next.question);
            return unexpected(&mut state, problem);
        }
        match state.exchanges.pop_front().map(|exchange| exchange.answer) {
            Some(Ok(payload)) => Ok(payload.into_bytes()),
            Some(Err(message)) => Err(NoAnswer::Recorded(message)),
            None => Ok(Vec::new()),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name, Value::Object(self.fields.clone()))
    }
}

fn exchange(value: &Value) -> Result<Exchange, String> {
    let text = |path: &str| {
        let text = value.pointer(&format!("/{}", path.replace('.', "/"))).and_then(Value::as_str);
        text.map(str::to_owned).ok_or_else(|| format!("{path}: expected a string"))
    };
    let request = text("request")?;
    let answer = match text("response.type")?.as_str() {
        "Success" => Ok(text("response.payload")?),
        "Error" => Err(text("response.message")?),
        other => return Err(format!("response.type: {other} is neither Success nor Error")),
    };
    Ok(Exchange { question: Question::read(&request)?, answer })
}

impl Question {
    /// Creates a question. Fields without a value and the order of masks do not matter.
    fn new(name: &str, mut fields: Map<String, Value>) -> Self {
        fields.retain(|_, value| !value.is_null());
        if let Some(masks) = fields.get_mut("field_masks").and_then(Value::as_array_mut) {
            masks.sort_by_key(Value::to_string);
        }
        // Nothing is cached here.
        fields.remove("disable_cache");
        Self { name: name.to_owned(), fields }
    }

    /// Reads the YAML of a question: a tag with its name, and its fields.
    fn read(text: &str) -> Result<Self, String> {
        let text = text.trim_start();
        let (tag, fields) = text.split_once('\n').unwrap_or((text, ""));
        let name = tag.trim().strip_prefix('!').filter(|name| !name.is_empty());
        let name = name.ok_or("request: expected a tag such as !KubernetesGetResource in the first line")?;
        let fields = manifest::own_documents(fields).map_err(|problem| format!("request: {problem}"))?;
        match fields.into_iter().next() {
            None => Ok(Self::new(name, Map::new())),
            Some(Value::Object(fields)) => Ok(Self::new(name, fields)),
            Some(_) => Err("request: expected the fields of a question".to_owned()),
        }
    }

    pub(crate) fn get(wanted: &Get<'_>) -> Self {
        Self::of(
            "KubernetesGetResource",
            json!({
                "api_version": wanted.api_version,
                "kind": wanted.kind,
                "name": wanted.name,
                "namespace": wanted.namespace,
                "field_masks": masks(&wanted.shape.masks()),
            }),
        )
    }

    pub(crate) fn list(wanted: &List<'_>) -> Self {
        let name = match wanted.namespace {
            Some(_) => "KubernetesListResourceNamespace",
            None => "KubernetesListResourceAll",
        };
        Self::of(
            name,
            json!({
                "api_version": wanted.api_version,
                "kind": wanted.kind,
                "namespace": wanted.namespace,
                "field_masks": masks(&wanted.shape.masks()),
            }),
        )
    }

    pub(crate) fn can_i(wanted: &CanI<'_>) -> Self {
        let some = |text: &str| if text.is_empty() { Value::Null } else { text.into() };
        let mut attributes = json!({
            "group": some(wanted.group),
            "name": some(wanted.name),
            "namespace": some(wanted.namespace),
            "resource": wanted.resource,
            "subresource": some(wanted.subresource),
            "verb": wanted.verb,
        });
        without_nulls(&mut attributes);
        let groups = if wanted.groups.is_empty() { Value::Null } else { json!(wanted.groups) };
        let mut review = json!({ "groups": groups, "resource_attributes": attributes, "user": wanted.user });
        without_nulls(&mut review);
        Self::of("KubernetesCanI", json!({ "subject_access_review": review }))
    }

    /// Returns the question of a module; `None` for calls whose recordings cannot be compared.
    #[cfg(feature = "modules")]
    pub(crate) fn of_call(call: &str, payload: &Value) -> Option<Self> {
        let name = match call {
            "kubernetes/get_resource" => "KubernetesGetResource",
            "kubernetes/list_resources_all" => "KubernetesListResourceAll",
            "kubernetes/list_resources_by_namespace" => "KubernetesListResourceNamespace",
            "kubernetes/can_i" => "KubernetesCanI",
            "net/v1/dns_lookup_host" => return Some(Self::of("DNSLookupHost", json!({ "host": payload }))),
            "oci/v1/manifest_digest" => {
                return Some(Self::of("OciManifestDigest", json!({ "image": payload })));
            }
            "oci/v1/oci_manifest" => return Some(Self::of("OciManifest", json!({ "image": payload }))),
            "oci/v1/oci_manifest_config" => {
                return Some(Self::of("OciManifestAndConfig", json!({ "image": payload })));
            }
            _ => return None,
        };
        let mut fields = payload.clone();
        without_nulls(&mut fields);
        Some(Self::of(name, fields))
    }

    fn of(name: &str, fields: Value) -> Self {
        Self::new(name, if let Value::Object(fields) = fields { fields } else { Map::new() })
    }
}

fn masks(masks: &[String]) -> Value {
    if masks.is_empty() { Value::Null } else { json!(masks) }
}

fn without_nulls(value: &mut Value) {
    if let Some(fields) = value.as_object_mut() {
        fields.retain(|_, value| !value.is_null());
        fields.values_mut().for_each(without_nulls);
    }
}

#[cfg(test)]
mod tests {
    use admission::Shape;

    use super::*;

    const RECORDED: &str = include_str!("session.yaml");

    #[test]
    fn exchanges_are_replayed_in_order() {
        let session = Session::read(RECORDED).unwrap();
        let get = Get {
            api_version: "v1",
            kind: "Namespace",
            namespace: None,
            name: "shop",
            shape: Shape::Fields(&[("metadata", Shape::Fields(&[("labels", Shape::ALL)]))]),
        };
        let other = Get { name: "other", ..get };
        let Err(NoAnswer::Unexpected(problem)) = session.answer(&Question::get(&other)) else { panic!() };
        assert!(
            problem.contains("answers KubernetesGetResource") && problem.contains("\"other\""),
            "{problem}"
        );
        assert_eq!(session.answer(&Question::get(&get)).unwrap(), b"{\"kind\":\"Namespace\"}");
        let list = List { api_version: "v1", kind: "Service", namespace: None, shape: Shape::ALL };
        let refused = session.answer(&Question::list(&list));
        assert_eq!(refused, Err(NoAnswer::Recorded("no route to host".to_owned())));
        assert_eq!(session.left(), 0);
        let Err(NoAnswer::Unexpected(problem)) = session.answer(&Question::get(&get)) else { panic!() };
        assert!(problem.contains("no answer to KubernetesGetResource"), "{problem}");
    }

    #[test]
    fn other_texts_are_not_recordings() {
        for (text, want) in [
            ("a: b", "expected a list of exchanges"),
            ("- request: x", "exchange 1: response.type: expected a string"),
            ("- {request: a, response: {type: Error, message: m}}", "expected a tag"),
            ("- {request: '!A', response: {type: Success}}", "response.payload: expected a string"),
            ("- {request: '!A', response: {type: Other}}", "neither Success nor Error"),
        ] {
            let problem = Session::read(text).map(|_| ()).unwrap_err().to_string();
            assert!(problem.contains(want), "{text}: {problem}");
        }
    }
}
