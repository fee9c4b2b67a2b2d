//! The objects and requests of the text.

use std::collections::HashMap;
use std::rc::Rc;

use kubernetes::kinds::Kinds;
use kubernetes::review::{AdmissionRequest, Form};
use manifest::Step;
use scan::{Content, Entry, Placed, Request};
use serde_json::Value;

use super::texts::{self, Stored};
use crate::matrix::{ObjectRequestState, ObjectState, RequestOrigin, Suspicion, TextMark, TextName};
use crate::types::Operation;
use crate::user;
use crate::workspace::{ObjectId, RequestInput, Workspace};

/// A path in the text of the objects or of the stored ones.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Place {
    Object(Vec<Step>),
    Stored(Vec<Step>),
}

/// The input of the verdict on an object, as long as the policies, the cluster and the stored
/// objects stay: the document, the entry and the request.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub(crate) struct Key {
    document: usize,
    entry: usize,
    request: RequestInput,
}

/// An object, a request or an unreadable document.
#[derive(Debug)]
pub(crate) struct Evaluated {
    pub(crate) key: Key,
    pub(crate) state: ObjectState,
    pub(crate) placed: Placed,
    /// The number of the entry; `None` for an unreadable document.
    entry: Option<usize>,
    pub(crate) request: RequestInput,
}

impl Evaluated {
    pub(crate) fn origin(&self) -> Option<RequestOrigin> {
        self.state.request.as_ref().map(|request| request.origin)
    }

    /// Returns a path below an object of the request as one in the entry, in which a review has the
    /// object.
    pub(crate) fn root(&self, object: &str, path: &[Step]) -> Vec<Step> {
        let Some(Content::Review(review)) = self.entry().map(|entry| &entry.content) else {
            return path.to_vec();
        };
        let is_review = Form::of(review) == Some(Form::Review);
        let root = is_review.then_some("request").into_iter().chain([object]).map(field);
        root.chain(path.iter().cloned()).collect()
    }

    /// Returns the place of a value of the payload; `None` if it is in none of the texts.
    pub(crate) fn resolve(&self, steps: &[Step]) -> Option<Place> {
        let is = |name: &str, step: Option<&Step>| matches!(step, Some(Step::Field(field)) if field == name);
        let ([first, second], path) = steps.split_first_chunk::<2>()?;
        if !is("request", Some(first)) {
            return None;
        }
        let is_review = self.origin() == Some(RequestOrigin::Review);
        let Step::Field(name) = second else { return None };
        match name.as_str() {
            "object" => Some(Place::Object(self.root("object", path))),
            "oldObject" if is_review => Some(Place::Object(self.root("oldObject", path))),
            // The object of the text is the one that is deleted.
            "oldObject" if self.request.operation == Operation::Delete => Some(Place::Object(path.to_vec())),
            "oldObject" => Some(Place::Stored(path.to_vec())),
            // The name and the namespace of a request are those of its object.
            "name" | "namespace" => {
                Some(Place::Object(self.root("object", &[field("metadata"), second.clone()])))
            }
            _ => None,
        }
    }

    #[cfg(feature = "whole")]
    pub(crate) fn number(&self) -> usize {
        self.entry.unwrap_or_default()
    }

    pub(crate) fn entry(&self) -> Option<&Entry> {
        self.placed.document.entries.get(self.entry?)
    }

    pub(crate) fn mark(&self, path: &[Step]) -> Option<TextMark> {
        texts::mark(TextName::Objects, self.placed.place(self.entry()?, path)?)
    }
}

pub(crate) fn of(placed: &[Placed], workspace: &Workspace, stored: &Stored, kinds: &Kinds) -> Vec<Evaluated> {
    let requests: HashMap<&ObjectId, &RequestInput> =
        workspace.requests.iter().rev().map(|own| (&own.object, &own.request)).collect();
    let mut occurrences: HashMap<ObjectId, u32> = HashMap::new();
    let mut evaluated = Vec::new();
    for placed in placed {
        let document = &placed.document;
        let lines = lines(placed);
        let mut identify = |id: ObjectId| {
            let next = occurrences.entry(id.clone()).or_default();
            let id = ObjectId { occurrence: *next, ..id };
            *next += 1;
            id
        };
        if let Some(problem) = &document.problem {
            let problem = texts::unreadable_document(TextName::Objects, placed, problem);
            let request = workspace.request.clone();
            evaluated.push(Evaluated {
                key: key(placed, 0, &request),
                state: ObjectState {
                    title: "Unreadable document".to_owned(),
                    id: identify(ObjectId::default()),
                    line: lines.0,
                    last_line: lines.1,
                    problem: Some(problem),
                    ..ObjectState::default()
                },
                placed: placed.clone(),
                entry: None,
                request,
            });
        }
        for (number, entry) in document.entries.iter().enumerate() {
            let id = identify(id(&entry.content, kinds));
            let own = requests.get(&id);
            let origin = if own.is_some() { RequestOrigin::Own } else { RequestOrigin::Shared };
            let request = own.map_or(&workspace.request, |own| *own).clone();
            let mut one = Evaluated {
                key: key(placed, number, &request),
                state: ObjectState::default(),
                placed: placed.clone(),
                entry: Some(number),
                request,
            };
            one.state = ObjectState { id, ..one.read(origin, stored, kinds) };
            let is_whole = document.entries.len() == 1;
            (one.state.line, one.state.last_line) =
                one.mark(&[]).filter(|_| !is_whole).map_or(lines, |mark| (mark.line, lines.1));
            evaluated.push(one);
        }
        end_at_the_next(&mut evaluated, document.entries.len());
    }
    evaluated
}

/// Ends the last entries, which are those of one document, before the next one begins.
fn end_at_the_next(evaluated: &mut [Evaluated], entries: usize) {
    let mut next = None;
    for one in evaluated.iter_mut().rev().take(entries) {
        if let Some(next) = next.replace(one.state.line) {
            one.state.last_line = u32::saturating_sub(next, 1).max(one.state.line);
        }
    }
}

fn key(placed: &Placed, entry: usize, request: &RequestInput) -> Key {
    Key { document: Rc::as_ptr(&placed.document).addr(), entry, request: request.clone() }
}

/// Returns the first and the last line of a document that say something.
fn lines(placed: &Placed) -> (u32, u32) {
    let is_said = |line: &str| {
        let line = line.trim();
        !(line.is_empty() || line.starts_with('#') || line == "---" || line == "...")
    };
    let said = manifest::lines(&placed.document.text).zip(placed.at.line..).filter(|(line, _)| is_said(line));
    let said: Vec<u64> = said.map(|(_, number)| number).collect();
    let number = |line: Option<&u64>| line.copied().unwrap_or(placed.at.line).try_into().unwrap_or(u32::MAX);
    (number(said.first()), number(said.last()))
}

impl Evaluated {
    fn read(&self, origin: RequestOrigin, stored: &Stored, kinds: &Kinds) -> ObjectState {
        let Some(entry) = self.entry() else { return ObjectState::default() };
        let document = &self.placed.document;
        let mut state = match &entry.content {
            Content::Object(object) => self.of_object(object, origin, stored, kinds),
            Content::Review(review) => self.of_review(review),
            Content::Untyped(_, problem) | Content::Other(problem) => ObjectState {
                title: "Not an object".to_owned(),
                problem: Some(texts::problem(TextName::Objects, problem.clone(), self.mark(&[]))),
                ..ObjectState::default()
            },
        };
        // It stands once, at the first object of its document.
        if let Some(duplicate) = document.duplicate.as_ref().filter(|_| self.entry == Some(0)) {
            let problem = texts::unreadable_document(TextName::Objects, &self.placed, duplicate);
            let message = format!("{}: {}", problem.message, scan::DUPLICATE);
            state.suspicions.insert(0, Suspicion { message, mark: problem.mark });
        }
        state
    }

    fn of_object(
        &self,
        object: &Value,
        origin: RequestOrigin,
        stored: &Stored,
        kinds: &Kinds,
    ) -> ObjectState {
        let identity = scan::identity_in(object, crate::NAMESPACE, kinds);
        let user = user::info(&self.request.user);
        let problem = match (self.request.operation, &identity) {
            (Operation::Update, None) => Some(
                "metadata.name: Required value: an update has a name; add it, or choose CREATE".to_owned(),
            ),
            (Operation::Update, Some(identity)) if stored.get(identity).is_none() => {
                let name = named(object, kinds);
                Some(format!(
                    "{name} is not among the stored objects; add its stored state, or choose CREATE"
                ))
            }
            _ => None,
        };
        ObjectState {
            request: Some(ObjectRequestState {
                operation: self.request.operation.name().to_owned(),
                subresource: self.request.subresource.trim().to_owned(),
                username: texts_of(&user, "username").concat(),
                groups: texts_of(&user, "groups"),
                origin,
            }),
            problem: problem.map(|problem: String| texts::problem(TextName::OldObjects, problem, None)),
            suspicions: self.suspicions(object, &[]),
            title: named(object, kinds),
            ..ObjectState::default()
        }
    }

    fn of_review(&self, review: &Value) -> ObjectState {
        let is_review = Form::of(review) == Some(Form::Review);
        let request = match AdmissionRequest::from_value(review.clone()) {
            Ok(request) => request,
            Err(error) => {
                let mark = self.mark(error.steps());
                return ObjectState {
                    title: if is_review { "AdmissionReview" } else { "AdmissionRequest" }.to_owned(),
                    problem: Some(texts::problem(TextName::Objects, error.to_string(), mark)),
                    ..ObjectState::default()
                };
            }
        };
        let fields = request.as_value();
        let text =
            |pointer: &str| fields.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
        let object = ["object", "oldObject"].into_iter().find_map(|name| Some((name, fields.get(name)?)));
        let path: Vec<Step> =
            is_review.then_some("request").into_iter().chain(["object"]).map(field).collect();
        ObjectState {
            title: title(&described(review)),
            suspicions: match object {
                Some(("object", object)) => self.suspicions(object, &path),
                _ => Vec::new(),
            },
            request: Some(ObjectRequestState {
                operation: text("/operation"),
                subresource: text("/subResource"),
                username: text("/userInfo/username"),
                groups: texts_of(fields.get("userInfo").unwrap_or(&Value::Null), "groups"),
                origin: RequestOrigin::Review,
            }),
            ..ObjectState::default()
        }
    }

    fn suspicions(&self, object: &Value, root: &[Step]) -> Vec<Suspicion> {
        let found = scan::suspicions(object).into_iter();
        found
            .map(|suspicion| {
                let path: Vec<Step> = root.iter().chain(&suspicion.path).cloned().collect();
                Suspicion { message: suspicion.message, mark: self.mark(&path) }
            })
            .collect()
    }

    /// Returns the request as policies receive it: an object of a text is completed first.
    pub(crate) fn request(&self, stored: &Stored, kinds: &Kinds) -> Option<Request> {
        let value = self.make(stored, kinds)?.as_value().clone();
        let is_review = self.origin() == Some(RequestOrigin::Review);
        Some(if is_review { Request::new(value) } else { Request::of_files(value) })
    }

    /// Returns the `AdmissionRequest`; `None` if there is none.
    pub(crate) fn make(&self, stored: &Stored, kinds: &Kinds) -> Option<AdmissionRequest> {
        if self.state.problem.is_some() {
            return None;
        }
        let request = match &self.entry()?.content {
            Content::Review(review) => review.clone(),
            Content::Untyped(..) | Content::Other(_) => return None,
            Content::Object(object) => {
                let operation = self.request.operation;
                let old_object = if operation == Operation::Update {
                    let identity = scan::identity_in(object, crate::NAMESPACE, kinds)?;
                    Some(stored.get(&identity)?.value.clone())
                } else {
                    None
                };
                let subresource = self.request.subresource.trim();
                let question = scan::Question {
                    operation: Some(operation.name().to_owned()),
                    subresource: Some(subresource.to_owned()).filter(|name| !name.is_empty()),
                    user: user::info(&self.request.user),
                    object: Some(object.clone()),
                    old_object,
                    namespace: crate::NAMESPACE.to_owned(),
                };
                question.request(kinds)?
            }
        };
        AdmissionRequest::from_value(request).ok()
    }
}

/// The identity of reviews and requests has this API version and kind.
const REVIEW: (&str, &str) = ("admission.k8s.io/v1", "AdmissionReview");

fn field(name: &str) -> Step {
    Step::Field(name.to_owned())
}

/// Returns the identity of an object or of a request, as if no other had the same.
fn id(content: &Content, kinds: &Kinds) -> ObjectId {
    match content {
        Content::Object(object) => id_of(object, kinds),
        // A review of an object is another entry than the object.
        Content::Review(review) => {
            ObjectId { api_version: REVIEW.0.to_owned(), kind: REVIEW.1.to_owned(), ..described(review) }
        }
        Content::Untyped(..) | Content::Other(_) => ObjectId::default(),
    }
}

fn described(review: &Value) -> ObjectId {
    let fields = review.get("request").unwrap_or(review);
    let text = |path: &str| fields.pointer(path).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (group, version) = (text("/kind/group"), text("/kind/version"));
    ObjectId {
        api_version: if group.is_empty() { version } else { format!("{group}/{version}") },
        kind: text("/kind/kind"),
        namespace: text("/namespace"),
        name: text("/name"),
        occurrence: 0,
    }
}

fn id_of(object: &Value, kinds: &Kinds) -> ObjectId {
    let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let (api_version, kind) = (text("/apiVersion"), text("/kind"));
    let is_namespaced = kinds.resource(api_version, kind).is_namespaced != Some(false);
    let namespace = Some(text("/metadata/namespace")).filter(|name| !name.is_empty());
    let namespace = if is_namespaced { namespace.unwrap_or(crate::NAMESPACE) } else { "" };
    let name = Some(text("/metadata/name")).filter(|name| !name.is_empty());
    ObjectId {
        api_version: api_version.to_owned(),
        kind: kind.to_owned(),
        namespace: namespace.to_owned(),
        name: name.unwrap_or_else(|| text("/metadata/generateName")).to_owned(),
        occurrence: 0,
    }
}

fn named(object: &Value, kinds: &Kinds) -> String {
    title(&id_of(object, kinds))
}

/// Returns kind, namespace and name: `Service shop/web`.
pub(crate) fn title(id: &ObjectId) -> String {
    let ObjectId { kind, namespace, name, .. } = id;
    let is_own = kind == "Namespace" || namespace.is_empty();
    let slash = if is_own { String::new() } else { format!("{namespace}/") };
    let name = if name.is_empty() { "(no name)" } else { name };
    format!("{kind} {slash}{name}")
}

fn texts_of(value: &Value, name: &str) -> Vec<String> {
    match value.get(name) {
        Some(Value::String(text)) => vec![text.clone()],
        Some(Value::Array(texts)) => {
            texts.iter().filter_map(|text| Some(text.as_str()?.to_owned())).collect()
        }
        _ => Vec::new(),
    }
}
