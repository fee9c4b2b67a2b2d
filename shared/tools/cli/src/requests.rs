//! The requests to evaluate.

use kubernetes::kinds::Kinds;
use kubernetes::objects::{check_items, items};
use kubernetes::review::{AdmissionRequest, Draft, Form};
use manifest::found;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::parse;
use crate::source::{InputReader, SourceName};

const EXPECTED: &str = "expected Kubernetes objects, AdmissionReviews or AdmissionRequests";

#[derive(Debug)]
pub(crate) struct NamedRequest {
    pub(crate) name: SourceName,
    pub(crate) request: AdmissionRequest,
}

/// Reads all requests from files, in order. An object stands for the request to create it, in
/// `namespace` if it names none.
pub(crate) fn read<'a>(
    files: impl Iterator<Item = &'a String>,
    namespace: &str,
    reader: &mut InputReader,
) -> Result<Vec<NamedRequest>, Failure> {
    let mut requests = Vec::new();
    for file in files {
        let source = reader.text(file)?;
        let documents = parse::documents(&source)?;
        if documents.is_empty() {
            return Err(Failure::about(source.name, format!("is empty; {EXPECTED}")));
        }
        let count = documents.len();
        for (index, document) in documents.into_iter().enumerate() {
            check_items(&document)
                .map_err(|problem| Failure::about(source.name.document(index, count), problem))?;
            add(&mut requests, document, namespace, &source.name.document(index, count))?;
        }
    }
    if requests.is_empty() {
        return Err(Failure::new("nothing to evaluate: the lists are empty"));
    }
    Ok(requests)
}

fn add(
    requests: &mut Vec<NamedRequest>,
    document: Value,
    namespace: &str,
    name: &SourceName,
) -> Result<(), Failure> {
    let mut add_all = |items: Vec<Value>| {
        let mut items = items.into_iter().enumerate();
        items.try_for_each(|(index, item)| add(requests, item, namespace, &name.item(index)))
    };
    if let Value::Array(items) = document {
        // The output of `jq '.items'`.
        return add_all(items);
    }
    check(&document).map_err(|problem| Failure::about(name, problem))?;
    let request = if Form::of(&document).is_some() {
        document
    } else {
        match items(document) {
            Ok(items) => return add_all(items),
            Err(list) if list.get("kind").and_then(Value::as_str) == Some("List") => {
                return Err(Failure::about(name, "items: expected a list of objects"));
            }
            Err(object) => creation(object, namespace, requests.len().saturating_add(1)),
        }
    };
    let request = AdmissionRequest::from_value(request).map_err(|error| Failure::about(name, error))?;
    requests.push(NamedRequest { name: name.clone(), request });
    Ok(())
}

/// Returns the request to create an object, whose number tells which response belongs to it.
fn creation(mut object: Value, namespace: &str, number: usize) -> Value {
    set_namespace(&mut object, namespace);
    let mut request = Draft { object: Some(object), ..Draft::default() }.request();
    if let Value::Object(fields) = &mut request {
        fields.insert("uid".to_owned(), json!(format!("00000000-0000-4000-8000-{number:012x}")));
    }
    request
}

/// Sets the namespace of an object that names none, as kubectl does, if its kind has one.
fn set_namespace(object: &mut Value, namespace: &str) {
    let text = |name| object.get(name).and_then(Value::as_str).unwrap_or_default();
    if Kinds::default().resource(text("apiVersion"), text("kind")).is_namespaced != Some(true) {
        return;
    }
    if let Some(Value::Object(metadata)) = object.get_mut("metadata")
        && metadata.get("namespace").and_then(Value::as_str).is_none_or(str::is_empty)
    {
        metadata.insert("namespace".to_owned(), namespace.into());
    }
}

/// Rejects what is neither a request nor an object.
fn check(document: &Value) -> Result<(), String> {
    let Value::Object(fields) = document else {
        return Err(format!("{EXPECTED}, found {}", found(document)));
    };
    match Form::of(document) {
        Some(Form::Review) if fields.get("request").is_none_or(Value::is_null) => {
            return Err("the AdmissionReview has no request".to_owned());
        }
        Some(_) => return Ok(()),
        None => {}
    }
    for key in ["apiVersion", "kind"] {
        match fields.get(key) {
            Some(Value::String(text)) if !text.is_empty() => {}
            Some(other) => {
                return Err(format!("{key}: expected the text of an object, found {}", found(other)));
            }
            None => return Err(format!("{EXPECTED}, found something without {key}")),
        }
    }
    let text = |key| fields.get(key).and_then(Value::as_str).unwrap_or_default();
    kubernetes::kinds::misspelt(text("apiVersion"), text("kind"))
        .map_or(Ok(()), |problem| Err(format!("kind: {problem}")))
}
