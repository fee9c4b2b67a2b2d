//! From texts to requests.

use admission_review::{AdmissionRequest, Draft, Form};
use cluster_objects::{Objects, items};
use manifest::{Step, documents, found};
use serde_json::{Map, Value, json};

use crate::place::{Origin, Root, mark_in};
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
    let (objects, mut old_objects) = match (objects, old_objects) {
        (Ok(objects), Ok(old_objects)) => (objects, old_objects),
        (objects, old_objects) => {
            return Err(objects.err().into_iter().chain(old_objects.err()).collect());
        }
    };
    if objects.is_empty() {
        let message = "is empty; paste a Kubernetes manifest or an AdmissionReview";
        return Err(vec![problem(Field::Manifest, message, None)]);
    }
    let mut subjects = Vec::new();
    for located in objects {
        let subject = if Form::of(&located.value).is_some() {
            whole(input, located)
        } else {
            drafted(input, located, &mut old_objects)
        };
        subjects.push(subject.map_err(|problem| vec![problem])?);
    }
    let is_drafted = |subject: &Subject| matches!(subject.origin, Origin::Objects { .. });
    match old_objects.first() {
        // Requests bring their own.
        Some(left) if subjects.iter().any(is_drafted) => {
            let message = format!("{} is not in the manifest; remove it", name(&left.value));
            Err(vec![about(input, &left.root, message)])
        }
        _ => Ok(subjects),
    }
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
    (entry.check_settings)(settings.to_string().as_bytes())
        .map_err(|error| about(error.to_string(), mark_in(text, Field::Settings, 0, error.steps())))?;
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

/// A request that is given whole.
fn whole(input: &Input, Located { value, mut root }: Located) -> Result<Subject, Problem> {
    let is_review = Form::of(&value) == Some(Form::Review);
    let request = AdmissionRequest::from_value(value).map_err(|error| {
        let path: Vec<Step> = root.path.iter().chain(error.steps()).cloned().collect();
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
    old_objects: &mut Vec<Located>,
) -> Result<Subject, Problem> {
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
                let message = format!("has no {}; paste it as it is stored, or choose CREATE", name(&value));
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
    Ok(Subject { request, origin })
}

/// Checks that a value is what `kubectl` takes, and adds the namespace that kubectl adds.
fn complete(object: &mut Value) -> Result<(), String> {
    if !object.is_object() {
        return Err(format!("expected a Kubernetes object, found {}", found(object)));
    }
    let text = |field: &str| object.get(field).and_then(Value::as_str).filter(|text| !text.is_empty());
    let missing = |field: &str| format!("{field} is missing: every Kubernetes object has one; add it");
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

/// What tells an object from others: group, kind, namespace and name.
fn identity(object: &Value) -> [Option<&str>; 4] {
    let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str);
    let group = text("/apiVersion").and_then(|version| version.split_once('/')).map(|(group, _)| group);
    [group, text("/kind"), text("/metadata/namespace"), text("/metadata/name")]
}

/// `Service shop/web`.
fn name(object: &Value) -> String {
    match identity(object) {
        [_, kind, Some(namespace), Some(name)] => {
            format!("{} {namespace}/{name}", kind.unwrap_or("object"))
        }
        [_, kind, _, name] => [kind.unwrap_or("object"), name.unwrap_or("without a name")].join(" "),
    }
}

/// The service accounts of controllers are in kube-system.
pub(crate) const CONTROLLERS: &str = "system:serviceaccount:kube-system:";
/// What node users are called.
pub(crate) const NODES: &str = "system:node:";

/// The `userInfo` of a user.
pub(crate) fn user_info(user: &User) -> Value {
    match user {
        User::Ordinary => Draft::ordinary_user(),
        User::Controller { account } => json!({
            "username": format!("{CONTROLLERS}{account}"),
            "groups": ["system:serviceaccounts", "system:serviceaccounts:kube-system", "system:authenticated"],
        }),
        User::Kubelet { node } => json!({
            "username": format!("{NODES}{node}"),
            "groups": ["system:nodes", "system:authenticated"],
        }),
        User::Named { username, groups } => json!({ "username": username, "groups": groups }),
    }
}

/// The objects and requests of a text, those in lists one by one.
fn located(field: Field, text: &str) -> Result<Vec<Located>, Problem> {
    let mut found = Vec::new();
    for (document, value) in parsed(field, text)?.into_iter().enumerate() {
        take_apart(value, Root { field, document, path: Vec::new() }, &mut found);
    }
    Ok(found)
}

fn take_apart(value: Value, root: Root, found: &mut Vec<Located>) {
    match items(value) {
        Ok(items) => {
            for (index, item) in (0..).zip(items) {
                let mut root = root.clone();
                root.path.extend([Step::Field("items".to_owned()), Step::Index(index)]);
                take_apart(item, root, found);
            }
        }
        Err(value) => found.push(Located { value, root }),
    }
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

/// A problem with an object of the input.
fn about(input: &Input, root: &Root, message: String) -> Problem {
    let text = match root.field {
        Field::OldObject => &input.old_object,
        _ => &input.manifest,
    };
    problem(root.field, message, mark_in(text, root.field, root.document, &root.path))
}
