//! Reads the texts of an input: requests, settings and the cluster.

use admission_review::{AdmissionRequest, Draft, Form};
use cluster_objects::{Objects, items};
use manifest::{Step, documents, found};
use serde_json::{Map, Value};

use crate::place::{Origin, Root, mark_in};
use crate::types::{Field, Input, InputProblem, Mark, Operation};
use crate::user::info as user_info;

/// The cluster-scoped kinds among those that policies judge.
const CLUSTER_WIDE: [&str; 3] = ["Namespace", "Node", "PersistentVolume"];

/// A request and its location in the input.
pub(crate) struct LocatedRequest {
    pub(crate) request: AdmissionRequest,
    pub(crate) origin: Origin,
}

/// An object and its location in the input.
struct LocatedObject {
    value: Value,
    root: Root,
}

/// Reads the manifest as requests, in order.
///
/// # Errors
/// Returns every problem that prevents the requests from being built.
pub(crate) fn read(input: &Input) -> Result<Vec<LocatedRequest>, Vec<InputProblem>> {
    let objects = located(Field::Manifest, &input.manifest);
    let wants_old = input.operation == Operation::Update;
    let old_objects = if wants_old { located(Field::OldObject, &input.old_object) } else { Ok(Vec::new()) };
    let (objects, mut old_objects) = match (objects, old_objects) {
        (Ok(objects), Ok(old_objects)) => (objects, old_objects),
        (objects, old_objects) => {
            return Err(objects.err().into_iter().chain(old_objects.err()).collect());
        }
    };
    if objects.is_empty() {
        let message = "nothing to judge; paste a Kubernetes manifest or an AdmissionReview";
        return Err(vec![problem(Field::Manifest, message, None)]);
    }
    let mut requests = Vec::new();
    for located in objects {
        let request = if Form::of(&located.value).is_some() {
            given_request(input, located)
        } else {
            drafted_request(input, located, &mut old_objects)
        };
        requests.push(request.map_err(|problem| vec![problem])?);
    }
    let is_drafted = |request: &LocatedRequest| matches!(request.origin, Origin::Objects { .. });
    match old_objects.first() {
        // A request contains its own old object, so unused ones matter only for objects.
        Some(left) if requests.iter().any(is_drafted) => {
            let message = format!("{} is not in the manifest; remove it", name(&left.value));
            Err(vec![about(input, &left.root, message)])
        }
        _ => Ok(requests),
    }
}

/// Reads and checks the settings of a policy. An empty text results in an empty object.
///
/// # Errors
/// Returns a problem with its location if the text cannot be read or the policy rejects the
/// settings.
pub(crate) fn settings(policy: &str, text: &str) -> Result<Value, InputProblem> {
    let about = |message: String, mark| problem(Field::Settings, message, mark);
    let mut documents = parsed(Field::Settings, text)?;
    if documents.len() > 1 {
        let message = format!("expected one document, found {}", documents.len());
        return Err(about(message, mark_in(text, Field::Settings, 1, &[])));
    }
    let settings = documents.pop().unwrap_or_else(|| Value::Object(Map::new()));
    if !settings.is_object() {
        return Err(about(format!("expected an object, found {}", found(&settings)), None));
    }
    let Some(entry) = rules::find(policy) else {
        return Err(about(format!("unknown policy {policy:?}"), None));
    };
    (entry.check_settings)(settings.to_string().as_bytes())
        .map_err(|error| about(error.to_string(), mark_in(text, Field::Settings, 0, error.steps())))?;
    Ok(settings)
}

/// Reads the cluster.
///
/// # Errors
/// Returns a problem with its location if the text is not a set of Kubernetes objects.
pub(crate) fn cluster(input: &Input) -> Result<Objects, InputProblem> {
    let mut objects = Vec::new();
    let mut roots = Vec::new();
    for (document, value) in parsed(Field::Cluster, &input.cluster)?.into_iter().enumerate() {
        match value {
            // The output of `jq '.items'`.
            Value::Array(items) => {
                roots.extend((0..).zip(&items).map(|(index, _)| (document, vec![Step::Index(index)])));
                objects.extend(items);
            }
            value => {
                roots.push((document, Vec::new()));
                objects.push(value);
            }
        }
    }
    if !input.unreachable.is_empty() {
        return Ok(Objects::unreachable(&input.unreachable));
    }
    Objects::from_values(objects).map_err(|error| {
        let place = error.place();
        let mark = roots.get(place.index).and_then(|(document, root)| {
            let path: Vec<Step> = root.iter().chain(&place.steps).cloned().collect();
            mark_in(&input.cluster, Field::Cluster, *document, &path)
        });
        problem(Field::Cluster, error.to_string(), mark)
    })
}

/// Reads a request that the manifest contains.
fn given_request(
    input: &Input,
    LocatedObject { value, mut root }: LocatedObject,
) -> Result<LocatedRequest, InputProblem> {
    let is_review = Form::of(&value) == Some(Form::Review);
    let request = AdmissionRequest::from_value(value).map_err(|error| {
        let path: Vec<Step> = root.path.iter().chain(error.steps()).cloned().collect();
        let mark = mark_in(&input.manifest, root.field, root.document, &path);
        problem(Field::Manifest, error.to_string(), mark)
    })?;
    if is_review {
        root.path.push(Step::Field("request".to_owned()));
    }
    Ok(LocatedRequest { request, origin: Origin::Request(root) })
}

/// Builds the request that the API server would send for an object.
fn drafted_request(
    input: &Input,
    LocatedObject { mut value, root }: LocatedObject,
    old_objects: &mut Vec<LocatedObject>,
) -> Result<LocatedRequest, InputProblem> {
    complete(&mut value).map_err(|message| about(input, &root, message))?;
    let mut draft = Draft {
        operation: serde_json::to_value(input.operation)
            .ok()
            .and_then(|name| Some(name.as_str()?.to_owned())),
        subresource: Some(input.subresource.trim().to_owned()).filter(|name| !name.is_empty()),
        user: Some(user_info(&input.user)),
        ..Draft::default()
    };
    let origin = match input.operation {
        Operation::Create => {
            draft.object = Some(value);
            Origin::Objects { object: Some(root), old_object: None }
        }
        Operation::Delete => {
            draft.old_object = Some(value);
            Origin::Objects { object: None, old_object: Some(root) }
        }
        Operation::Update => {
            for old in old_objects.iter_mut() {
                complete(&mut old.value).map_err(|message| about(input, &old.root, message))?;
            }
            let Some(at) = old_objects.iter().position(|old| identity(&old.value) == identity(&value)) else {
                let message =
                    format!("{} is missing; paste the stored object, or choose CREATE", name(&value));
                return Err(problem(Field::OldObject, message, None));
            };
            let old = old_objects.remove(at);
            draft.object = Some(value);
            draft.old_object = Some(old.value);
            Origin::Objects { object: Some(root), old_object: Some(old.root) }
        }
    };
    let request = AdmissionRequest::from_value(draft.request())
        .map_err(|error| problem(Field::Manifest, error.to_string(), None))?;
    Ok(LocatedRequest { request, origin })
}

/// Checks that `kubectl` would accept a value as an object, and adds the default namespace as
/// kubectl does.
fn complete(object: &mut Value) -> Result<(), String> {
    if !object.is_object() {
        return Err(format!("expected a Kubernetes object, found {}", found(object)));
    }
    let text = |field: &str| object.get(field).and_then(Value::as_str).filter(|text| !text.is_empty());
    let missing = |field: &str| format!("{field} is missing; add it");
    text("apiVersion").ok_or_else(|| missing("apiVersion"))?;
    let kind = text("kind").ok_or_else(|| missing("kind"))?;
    let judged = rules::CATALOG.iter().flat_map(|entry| entry.scope.0).any(|rule| rule.kind == kind);
    let namespaced = judged && !CLUSTER_WIDE.contains(&kind);
    let Some(Value::Object(metadata)) = object.get_mut("metadata") else { return Err(missing("metadata")) };
    if namespaced && metadata.get("namespace").is_none_or(|name| name.is_null() || name == "") {
        metadata.insert("namespace".to_owned(), "default".into());
    }
    Ok(())
}

/// Returns the identity of an object: its group, kind, namespace and name.
fn identity(object: &Value) -> [Option<&str>; 4] {
    let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str);
    let group = text("/apiVersion").and_then(|version| version.split_once('/')).map(|(group, _)| group);
    [group, text("/kind"), text("/metadata/namespace"), text("/metadata/name")]
}

/// Returns the kind and name of an object, such as `Service shop/web`.
fn name(object: &Value) -> String {
    match identity(object) {
        [_, kind, Some(namespace), Some(name)] => {
            format!("{} {namespace}/{name}", kind.unwrap_or("object"))
        }
        [_, kind, _, name] => [kind.unwrap_or("object"), name.unwrap_or("without a name")].join(" "),
    }
}

/// Reads the objects and requests of a text. The items of a list are returned one by one.
fn located(field: Field, text: &str) -> Result<Vec<LocatedObject>, InputProblem> {
    let mut found = Vec::new();
    for (document, value) in parsed(field, text)?.into_iter().enumerate() {
        flatten(value, Root { field, document, path: Vec::new() }, &mut found);
    }
    Ok(found)
}

fn flatten(value: Value, root: Root, found: &mut Vec<LocatedObject>) {
    match items(value) {
        Ok(items) => {
            for (index, item) in (0..).zip(items) {
                let mut root = root.clone();
                root.path.extend([Step::Field("items".to_owned()), Step::Index(index)]);
                flatten(item, root, found);
            }
        }
        Err(value) => found.push(LocatedObject { value, root }),
    }
}

fn parsed(field: Field, text: &str) -> Result<Vec<Value>, InputProblem> {
    documents(text).map_err(|error| {
        let mark = error.at.and_then(|at| {
            let (line, column) = (u32::try_from(at.line).ok()?, u32::try_from(at.column).ok()?);
            Some(Mark { field, line, column, end_column: column })
        });
        problem(field, error.message, mark)
    })
}

fn problem(field: Field, message: impl Into<String>, mark: Option<Mark>) -> InputProblem {
    InputProblem { field, message: message.into(), mark }
}

/// Creates a problem that concerns an object of the input.
fn about(input: &Input, root: &Root, message: String) -> InputProblem {
    let text = match root.field {
        Field::OldObject => &input.old_object,
        _ => &input.manifest,
    };
    problem(root.field, message, mark_in(text, root.field, root.document, &root.path))
}
