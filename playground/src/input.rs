//! From texts to requests.

use manifest::{Step, documents, steps};
use objects::Objects;
use review::{AdmissionRequest, Draft, Form};
use serde_json::{Map, Value, json};

use crate::place::{Origin, Root, mark_in};
use crate::text::found;
use crate::types::{Field, Input, Mark, Operation, Problem, User};

/// The kinds without a namespace among those that are judged.
const CLUSTER_WIDE: [&str; 3] = ["Namespace", "Node", "PersistentVolume"];

/// A request and where it comes from.
pub(crate) struct Subject {
    pub(crate) request: AdmissionRequest,
    pub(crate) origin: Origin,
}

/// An object and where it stands.
struct Located {
    value: Value,
    root: Root,
}

/// The requests that the manifest makes, in order.
///
/// # Errors
/// Everything that keeps them from being made.
pub(crate) fn read(input: &Input) -> Result<Vec<Subject>, Vec<Problem>> {
    let objects = located(Field::Manifest, &input.manifest);
    let wants_old = input.operation == Operation::Update;
    let old_objects = if wants_old { located(Field::OldObject, &input.old_object) } else { Ok(Vec::new()) };
    let (objects, old_objects) = match (objects, old_objects) {
        (Ok(objects), Ok(old_objects)) => (objects, old_objects),
        (objects, old_objects) => {
            return Err(objects.err().into_iter().chain(old_objects.err()).collect());
        }
    };
    if objects.is_empty() {
        let message = "is empty; paste a Kubernetes manifest or an AdmissionReview";
        return Err(vec![problem(Field::Manifest, message, None)]);
    }
    let mut old_objects = old_objects.into_iter();
    let mut subjects = Vec::new();
    for located in objects {
        let subject = if Form::of(&located.value).is_some() {
            whole(input, located)
        } else {
            drafted(input, located, &mut old_objects)
        };
        subjects.push(subject.map_err(|problem| vec![problem])?);
    }
    Ok(subjects)
}

/// The settings of a restriction, as an object, understood by it.
///
/// # Errors
/// What cannot be read or means nothing, with its place.
pub(crate) fn settings(restriction: &str, text: &str) -> Result<Value, Problem> {
    let about = |message: String, mark| problem(Field::Settings, message, mark);
    let mut documents = parsed(Field::Settings, text)?;
    if documents.len() > 1 {
        let message = format!("expected one document, found {}", documents.len());
        return Err(about(message, mark_in(text, Field::Settings, 1, &[])));
    }
    let settings = documents.pop().unwrap_or_else(|| Value::Object(Map::new()));
    if !settings.is_object() {
        return Err(about(format!("expected settings as an object, found {}", found(&settings)), None));
    }
    let Some(entry) = rules::find(restriction) else {
        return Err(about(format!("there is no restriction called {restriction:?}"), None));
    };
    (entry.check_settings)(settings.to_string().as_bytes()).map_err(|error| {
        let path = steps(error.path()).map(|(path, _)| path).unwrap_or_default();
        about(error.to_string(), mark_in(text, Field::Settings, 0, &path))
    })?;
    Ok(settings)
}

/// The cluster.
///
/// # Errors
/// What is no set of Kubernetes objects, with its place.
pub(crate) fn cluster(input: &Input) -> Result<Objects, Problem> {
    let mut objects = Vec::new();
    let mut roots = Vec::new();
    for (document, value) in parsed(Field::Cluster, &input.cluster)?.into_iter().enumerate() {
        match value {
            // As `jq '.items'` writes it.
            Value::Array(items) => {
                roots.extend((0..items.len()).map(|index| (document, vec![Step::Index(index)])));
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
        let message = error.to_string();
        // The error calls an object `objects[3]`.
        let place = steps(&message).and_then(|(path, _)| {
            let [_, Step::Index(index), rest @ ..] = path.as_slice() else { return None };
            let (document, root) = roots.get(*index)?;
            let path: Vec<Step> = root.iter().chain(rest).cloned().collect();
            mark_in(&input.cluster, Field::Cluster, *document, &path)
        });
        problem(Field::Cluster, message, place)
    })
}

/// A request that is given whole.
fn whole(input: &Input, Located { value, mut root }: Located) -> Result<Subject, Problem> {
    let is_review = Form::of(&value) == Some(Form::Review);
    let request = AdmissionRequest::from_value(value).map_err(|error| {
        let path = steps(error.path()).map(|(path, _)| path).unwrap_or_default();
        let path: Vec<Step> = root.path.iter().cloned().chain(path).collect();
        let mark = mark_in(&input.manifest, root.field, root.document, &path);
        problem(Field::Manifest, error.to_string(), mark)
    })?;
    if is_review {
        root.path.push(Step::Field("request".to_owned()));
    }
    Ok(Subject { request, origin: Origin::Request(root) })
}

/// A request that the API server would make of an object.
fn drafted(
    input: &Input,
    Located { mut value, root }: Located,
    old_objects: &mut impl Iterator<Item = Located>,
) -> Result<Subject, Problem> {
    let about = |field, text: &str, root: &Root, message: String| {
        problem(field, message, mark_in(text, field, root.document, &root.path))
    };
    check(&value).map_err(|message| about(Field::Manifest, &input.manifest, &root, message))?;
    add_namespace(&mut value);
    let mut draft = Draft {
        operation: serde_json::to_value(input.operation)
            .ok()
            .and_then(|name| Some(name.as_str()?.to_owned())),
        subresource: Some(input.subresource.trim().to_owned()).filter(|name| !name.is_empty()),
        user: user_info(&input.user),
        ..Draft::default()
    };
    let origin = match input.operation {
        Operation::Create | Operation::Connect => {
            draft.object = Some(value);
            Origin::Objects { object: Some(root), old_object: None }
        }
        Operation::Delete => {
            draft.old_object = Some(value);
            Origin::Objects { object: None, old_object: Some(root) }
        }
        Operation::Update => {
            let Some(Located { value: mut old, root: old_root }) = old_objects.next() else {
                let message = "is not there; paste the object as it is stored, or choose CREATE";
                return Err(problem(Field::OldObject, message, None));
            };
            check(&old).map_err(|message| about(Field::OldObject, &input.old_object, &old_root, message))?;
            add_namespace(&mut old);
            draft.object = Some(value);
            draft.old_object = Some(old);
            Origin::Objects { object: Some(root), old_object: Some(old_root) }
        }
    };
    let request = AdmissionRequest::from_value(draft.request())
        .map_err(|error| problem(Field::Manifest, error.to_string(), None))?;
    Ok(Subject { request, origin })
}

/// Whether a value is what `kubectl` takes.
fn check(value: &Value) -> Result<(), String> {
    if !value.is_object() {
        return Err(format!("expected a Kubernetes object, found {}", found(value)));
    }
    for name in ["apiVersion", "kind"] {
        if value.get(name).and_then(Value::as_str).is_none_or(str::is_empty) {
            return Err(format!("{name} is missing: every Kubernetes object has one; add it"));
        }
    }
    Ok(())
}

/// An object without a namespace gets `default`, from kubectl and then from the API server.
fn add_namespace(object: &mut Value) {
    let kind = object.get("kind").and_then(Value::as_str).unwrap_or_default();
    if CLUSTER_WIDE.contains(&kind) {
        return;
    }
    if let Some(Value::Object(metadata)) = object.get_mut("metadata")
        && metadata.get("namespace").is_none_or(Value::is_null)
    {
        metadata.insert("namespace".to_owned(), "default".into());
    }
}

fn user_info(user: &User) -> Option<Value> {
    match user {
        User::Ordinary => None,
        User::Controller { account } => Some(json!({
            "username": format!("system:serviceaccount:kube-system:{account}"),
            "groups": ["system:serviceaccounts", "system:serviceaccounts:kube-system", "system:authenticated"],
        })),
        User::Kubelet { node } => Some(json!({
            "username": format!("system:node:{node}"),
            "groups": ["system:nodes", "system:authenticated"],
        })),
        User::Named { username, groups } => Some(json!({ "username": username, "groups": groups })),
    }
}

/// The objects and requests of a text, those in a `List` one by one.
fn located(field: Field, text: &str) -> Result<Vec<Located>, Problem> {
    let mut found = Vec::new();
    for (document, mut value) in parsed(field, text)?.into_iter().enumerate() {
        let is_list = value.get("kind").and_then(Value::as_str) == Some("List");
        match value.get_mut("items").map(Value::take) {
            Some(Value::Array(items)) if is_list => {
                found.extend(items.into_iter().enumerate().map(|(index, value)| {
                    let path = vec![Step::Field("items".to_owned()), Step::Index(index)];
                    Located { value, root: Root { field, document, path } }
                }));
            }
            items => {
                if let (Some(items), Value::Object(fields)) = (items, &mut value) {
                    fields.insert("items".to_owned(), items);
                }
                found.push(Located { value, root: Root { field, document, path: Vec::new() } });
            }
        }
    }
    Ok(found)
}

fn parsed(field: Field, text: &str) -> Result<Vec<Value>, Problem> {
    documents(text).map_err(|error| {
        let mark = error.at.and_then(|at| {
            let (line, column) = (u32::try_from(at.line).ok()?, u32::try_from(at.column).ok()?);
            Some(Mark { field, line, column, end_column: column })
        });
        problem(field, error.message, mark)
    })
}

fn problem(field: Field, message: impl Into<String>, mark: Option<Mark>) -> Problem {
    Problem { field, message: message.into(), mark }
}
