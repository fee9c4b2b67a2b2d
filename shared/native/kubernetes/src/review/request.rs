//! The admission request, as the host passes it to a policy.

use std::fmt;

use serde_json::{Map, Value};
use text::Step;

use crate::review::RequestError;

/// A Kubernetes `AdmissionRequest`, with exactly the fields that the host knows.
///
/// Its objects are unchanged. Elsewhere, unknown and null fields are removed.
#[derive(Clone, Debug, PartialEq)]
pub struct AdmissionRequest(Value);

pub(super) enum Type {
    Text,
    Flag,
    Texts,
    TextsByKey,
    Anything,
    Fields(&'static [Field]),
}

pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) holds: Type,
    required: bool,
}

const fn required(name: &'static str, holds: Type) -> Field {
    Field { name, holds, required: true }
}

const fn optional(name: &'static str, holds: Type) -> Field {
    Field { name, holds, required: false }
}

pub(super) const REQUEST: &[Field] = &[
    required("uid", Type::Text),
    required("kind", Type::Fields(KIND)),
    required("resource", Type::Fields(RESOURCE)),
    optional("subResource", Type::Text),
    optional("requestKind", Type::Fields(KIND)),
    optional("requestResource", Type::Fields(RESOURCE)),
    optional("requestSubResource", Type::Text),
    optional("name", Type::Text),
    optional("namespace", Type::Text),
    required("operation", Type::Text),
    required("userInfo", Type::Fields(USER)),
    optional("object", Type::Anything),
    optional("oldObject", Type::Anything),
    optional("dryRun", Type::Flag),
    optional("options", Type::Anything),
];

const KIND: &[Field] =
    &[required("group", Type::Text), required("version", Type::Text), required("kind", Type::Text)];

const RESOURCE: &[Field] =
    &[required("group", Type::Text), required("version", Type::Text), required("resource", Type::Text)];

const USER: &[Field] = &[
    optional("extra", Type::TextsByKey),
    optional("groups", Type::Texts),
    optional("uid", Type::Text),
    optional("username", Type::Text),
];

impl AdmissionRequest {
    /// Reads an `AdmissionReview` or the `AdmissionRequest` in it.
    ///
    /// # Errors
    /// Returns the first field that is missing or of another type, with its path.
    pub fn from_value(value: Value) -> Result<Self, RequestError> {
        let (path, request) = match value {
            Value::Object(mut review) if is_review(&review) => {
                (vec![Step::Field("request")], review.remove("request").unwrap_or_default())
            }
            request => (Vec::new(), request),
        };
        read(request, &Type::Fields(REQUEST), &path).map(Self)
    }

    /// Returns the payload of a `validate` call, `{"request": …, "settings": …}`, with sorted keys.
    /// Null settings become an empty object.
    #[must_use]
    pub fn payload(&self, settings: &Value) -> Vec<u8> {
        let request = &self.0;
        match settings {
            Value::Null => format!(r#"{{"request":{request},"settings":{{}}}}"#),
            settings => format!(r#"{{"request":{request},"settings":{settings}}}"#),
        }
        .into_bytes()
    }

    /// Returns the `uid`, which the response repeats.
    #[must_use]
    pub fn uid(&self) -> &str {
        self.0.get("uid").and_then(Value::as_str).unwrap_or_default()
    }

    /// Returns the fields, as the host passes them to a policy.
    #[must_use]
    pub fn as_value(&self) -> &Value {
        &self.0
    }

    /// Returns the object under review, from which a patch starts; `None` if it is absent, as in a
    /// deletion.
    #[must_use]
    pub fn object(&self) -> Option<&Value> {
        self.0.get("object")
    }

    fn text(&self, pointer: &str) -> Option<&str> {
        self.0.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty())
    }

    /// Returns the name of the object; a prefix that the API server will complete ends in `*`.
    fn name(&self) -> Option<String> {
        let name = self.text("/name").or_else(|| self.text("/object/metadata/name"));
        let generated = || self.text("/object/metadata/generateName").map(|name| format!("{name}*"));
        name.map(str::to_owned).or_else(generated)
    }
}

/// Displays a summary: `CREATE Service shop/web`.
impl fmt::Display for AdmissionRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text("/operation").unwrap_or_default())?;
        write!(f, " {}", self.text("/kind/kind").unwrap_or_default())?;
        if let Some(subresource) = self.text("/subResource") {
            write!(f, "/{subresource}")?;
        }
        match (self.text("/namespace"), self.name()) {
            (Some(namespace), Some(name)) => write!(f, " {namespace}/{name}"),
            (Some(namespace), None) => write!(f, " in {namespace}"),
            (None, Some(name)) => write!(f, " {name}"),
            (None, None) => Ok(()),
        }
    }
}

/// The form in which an admission request is given.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Form {
    /// An `AdmissionReview` with the request in it.
    Review,
    /// The `AdmissionRequest` alone, whose `kind` is an object.
    Request,
}

impl Form {
    /// Returns the form of a value; `None` for an object of another kind.
    #[must_use]
    pub fn of(value: &Value) -> Option<Self> {
        match value.get("kind") {
            Some(Value::Object(_)) => Some(Self::Request),
            Some(Value::String(kind)) if kind == "AdmissionReview" => Some(Self::Review),
            Some(_) => None,
            None => value.get("request").map(|_| Self::Review),
        }
    }
}

fn is_review(fields: &Map<String, Value>) -> bool {
    fields.contains_key("request") || fields.get("kind").is_some_and(Value::is_string)
}

fn read(value: Value, holds: &Type, path: &[Step<&str>]) -> Result<Value, RequestError> {
    match (holds, value) {
        (Type::Anything, value)
        | (Type::Text, value @ Value::String(_))
        | (Type::Flag, value @ Value::Bool(_)) => Ok(value),
        (Type::Texts, Value::Array(items)) => {
            let items = (0..).zip(items);
            items.map(|(index, item)| read(item, &Type::Text, &below(path, Step::Index(index)))).collect()
        }
        (Type::TextsByKey, Value::Object(entries)) => {
            let entries = entries.into_iter().map(|(key, texts)| {
                let texts = read(texts, &Type::Texts, &below(path, Step::Field(&key)))?;
                Ok((key, texts))
            });
            entries.collect::<Result<_, _>>().map(Value::Object)
        }
        (Type::Fields(fields), Value::Object(values)) => read_fields(values, fields, path).map(Value::Object),
        (holds, other) => Err(RequestError::new(path, mistyped(holds, &other))),
    }
}

fn read_fields(
    mut values: Map<String, Value>,
    fields: &[Field],
    path: &[Step<&str>],
) -> Result<Map<String, Value>, RequestError> {
    let mut known = Map::new();
    for Field { name, holds, required } in fields {
        match values.remove(*name).unwrap_or_default() {
            Value::Null if !required => {}
            value => {
                known.insert((*name).to_owned(), read(value, holds, &below(path, Step::Field(name)))?);
            }
        }
    }
    Ok(known)
}

fn below<'p>(path: &[Step<&'p str>], step: Step<&'p str>) -> Vec<Step<&'p str>> {
    path.iter().copied().chain([step]).collect()
}

fn mistyped(holds: &Type, found: &Value) -> String {
    let expected = match holds {
        Type::Text => "a string",
        Type::Flag => "true or false",
        Type::Texts => "an array of strings",
        Type::TextsByKey | Type::Fields(_) => "an object",
        Type::Anything => "a value",
    };
    let found = match found {
        Value::Null => "nothing",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    };
    format!("expected {expected}, found {found}; send what an API server sends")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn minimal() -> Value {
        json!({
            "uid": "u",
            "kind": { "group": "", "version": "v1", "kind": "Pod" },
            "resource": { "group": "", "version": "v1", "resource": "pods" },
            "operation": "CREATE",
            "userInfo": {},
        })
    }

    fn with(name: &str, value: Value) -> Value {
        let mut request = minimal();
        request[name] = value;
        request
    }

    fn payload(request: Value) -> String {
        let request = AdmissionRequest::from_value(request).unwrap();
        String::from_utf8(request.payload(&Value::Null)).unwrap()
    }

    fn refused(request: Value) -> String {
        AdmissionRequest::from_value(request).unwrap_err().to_string()
    }

    #[test]
    fn sorts_keys_and_adds_no_fields() {
        assert_eq!(
            payload(minimal()),
            concat!(
                r#"{"request":{"kind":{"group":"","kind":"Pod","version":"v1"},"operation":"CREATE","#,
                r#""resource":{"group":"","resource":"pods","version":"v1"},"uid":"u","userInfo":{}},"settings":{}}"#
            ),
        );
    }

    #[test]
    fn keeps_known_fields() {
        let full = json!({
            "dryRun": false,
            "kind": { "group": "apps", "kind": "Deployment", "version": "v1" },
            "name": "n",
            "namespace": "d",
            "object": { "z": null, "a": [1.5, { "unknown": true }] },
            "oldObject": {},
            "operation": "UPDATE",
            "options": { "kind": "UpdateOptions" },
            "requestKind": { "group": "apps", "kind": "Deployment", "version": "v1" },
            "requestResource": { "group": "apps", "resource": "deployments", "version": "v1" },
            "requestSubResource": "scale",
            "resource": { "group": "apps", "resource": "deployments", "version": "v1" },
            "subResource": "scale",
            "uid": "u",
            "userInfo": { "extra": { "k": ["v"] }, "groups": ["g"], "uid": "1", "username": "jane" },
        });
        assert_eq!(payload(full.clone()), format!(r#"{{"request":{full},"settings":{{}}}}"#));
    }

    #[test]
    fn removes_unknown_and_null_fields() {
        let mut request = minimal();
        for name in ["junk", "object", "oldObject", "name", "requestKind", "dryRun"] {
            request[name] = if name == "junk" { json!(1) } else { Value::Null };
        }
        request["userInfo"] = json!({ "groups": null, "junk": 1 });
        request["kind"]["junk"] = json!(1);
        assert_eq!(payload(request), payload(minimal()));
    }

    #[test]
    fn unwraps_a_review() {
        let review =
            json!({ "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": minimal() });
        assert_eq!(payload(review), payload(minimal()));
    }

    #[test]
    fn keeps_settings() {
        let request = AdmissionRequest::from_value(minimal()).unwrap();
        let payload: Value = serde_json::from_slice(&request.payload(&json!({ "b": 1, "a": null }))).unwrap();
        assert_eq!(payload, json!({ "request": minimal(), "settings": { "a": null, "b": 1 } }));
    }

    #[test]
    fn names_missing_fields() {
        for name in ["uid", "kind", "resource", "operation", "userInfo"] {
            let mut request = minimal();
            request.as_object_mut().unwrap().remove(name);
            assert!(refused(request.clone()).starts_with(&format!("{name}: expected ")));
            let review = json!({ "request": request });
            let type_of = if minimal()[name].is_string() { "a string" } else { "an object" };
            assert_eq!(
                refused(review),
                format!("request.{name}: expected {type_of}, found nothing; send what an API server sends"),
            );
        }
    }

    #[test]
    fn names_fields_of_another_type() {
        let end = "; send what an API server sends";
        for (request, message) in [
            (json!([]), "request: expected an object, found an array"),
            (json!({ "kind": "AdmissionReview" }), "request: expected an object, found nothing"),
            (with("dryRun", json!("no")), "dryRun: expected true or false, found a string"),
            (with("kind", json!({ "group": "" })), "kind.version: expected a string, found nothing"),
            (with("name", json!(1)), "name: expected a string, found a number"),
            (
                with("userInfo", json!({ "groups": "g" })),
                "userInfo.groups: expected an array of strings, found a string",
            ),
            (
                with("userInfo", json!({ "groups": [true] })),
                "userInfo.groups[0]: expected a string, found a boolean",
            ),
            (
                with("userInfo", json!({ "extra": { "k": [{}] } })),
                "userInfo.extra.k[0]: expected a string, found an object",
            ),
        ] {
            assert_eq!(refused(request), format!("{message}{end}"));
        }
    }
}
