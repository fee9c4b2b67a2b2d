//! Objects that are probably not meant as they are written, so that a policy admits them for the
//! wrong reason.

use kubernetes::fields::{Mistake, Problem, Type};
use kubernetes::kinds::{Kinds, Origin};
use kubernetes::review::{Form, UnknownField, unknown_fields};
use serde_json::Value;
use text::{Path, Step, nearest};

use crate::exceptions::was_stored;
use crate::pods;

/// Something in an object that is probably not meant as it is written.
#[derive(Clone, Debug)]
pub struct Suspicion {
    /// The path that it is about.
    pub path: Vec<Step>,
    /// The path, the problem and the remedy, in a sentence.
    pub message: String,
}

impl Suspicion {
    pub(crate) fn is_of_kind(&self) -> bool {
        self.path == [Step::Field("kind".to_owned())]
    }
}

/// Returns the unknown fields of an object, values that an API server refuses by their type, a kind
/// that does not exist or is no longer served, and the missing containers of a workload or items of
/// a list.
#[must_use]
pub fn suspicions(object: &Value) -> Vec<Suspicion> {
    let text = |pointer| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let mut suspicions = mistakes(object);
    // The server of a stored object serves its version, whatever its own version is.
    if text("/metadata/uid").is_empty() {
        suspicions.extend(not_served(text("/apiVersion"), text("/kind")));
    }
    suspicions
}

/// Returns the unknown fields of a review or a request, which are ignored, objects of another kind
/// than its own, and what is suspicious in the objects.
pub(crate) fn suspicions_of_review(review: &Value) -> Vec<Suspicion> {
    let (request, prefix) = match Form::of(review) {
        Some(Form::Review) => (review.get("request"), Some("request")),
        _ => (Some(review), None),
    };
    let Some(request) = request else { return Vec::new() };
    let below =
        |path: Vec<Step>| prefix.map(|name| Step::Field(name.to_owned())).into_iter().chain(path).collect();
    let unknown = unknown_fields(request).into_iter().map(|UnknownField { path, nearest }| {
        let path: Vec<Step> = below(path);
        let steps: Vec<Step<&str>> = path.iter().map(Step::borrowed).collect();
        let advice = nearest.map_or_else(String::new, |name| format!("; did you mean {name}?"));
        Suspicion { message: format!("{}: unknown field, which is ignored{advice}", Path(&steps)), path }
    });
    let of_objects = ["object", "oldObject"].into_iter().flat_map(|name| {
        let object = request.get(name).filter(|object| object.is_object());
        let found = object.into_iter().flat_map(|object| {
            let other = other_kind(request, object).map(|problem| Suspicion {
                path: vec![Step::Field("kind".to_owned())],
                message: format!("kind: {problem}"),
            });
            // The fields of an object that a server has stored may be those of a newer version.
            let suspicions = if was_stored(object) { Vec::new() } else { suspicions(object) };
            other.into_iter().chain(suspicions)
        });
        let place = prefix.map_or_else(|| name.to_owned(), |prefix| format!("{prefix}.{name}"));
        let found = found.map(|Suspicion { path, message }| {
            let path = [Step::Field(name.to_owned())].into_iter().chain(path).collect();
            Suspicion { path: below(path), message: format!("{place}.{message}") }
        });
        found.collect::<Vec<_>>()
    });
    unknown.chain(of_objects).collect()
}

/// Says that an object is of another kind than its request; `None` for a subresource, whose objects
/// can have a kind of their own.
fn other_kind(request: &Value, object: &Value) -> Option<String> {
    let text = |value: &Value, pointer| {
        value.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let (group, version) = (text(request, "/kind/group"), text(request, "/kind/version"));
    let api_version = if group.is_empty() { version } else { format!("{group}/{version}") };
    let wanted = (text(request, "/kind/kind"), api_version);
    let found = (text(object, "/kind"), text(object, "/apiVersion"));
    let is_known = [&wanted.0, &found.0, &found.1].iter().all(|text| !text.is_empty());
    let is_other = is_known && found != wanted && text(request, "/subResource").is_empty();
    is_other.then(|| {
        format!("is {} of {}, and the request is about {} of {}", found.0, found.1, wanted.0, wanted.1)
    })
}

/// Returns the unknown fields of an object, values of another type, and a kind that does not exist.
#[must_use]
pub fn misspelt(object: &Value) -> Vec<Suspicion> {
    let text = |name| object.get(name).and_then(Value::as_str).unwrap_or_default();
    let (api_version, kind) = (text("apiVersion"), text("kind"));
    let mistakes = kubernetes::fields::mistakes(api_version, kind, object);
    mistakes.iter().map(suspicion).chain(misspelt_kind(api_version, kind)).collect()
}

/// Returns what no API server accepts, or few.
fn mistakes(object: &Value) -> Vec<Suspicion> {
    let text = |name| object.get(name).and_then(Value::as_str).unwrap_or_default();
    let (api_version, kind) = (text("apiVersion"), text("kind"));
    // The metadata of a kind in the table is checked with its other fields.
    let is_known = kubernetes::fields::fields_of(api_version, kind).is_some();
    let of_metadata = mistyped_metadata(object).filter(|_| !is_known);
    misspelt(object)
        .into_iter()
        .chain(of_metadata)
        .chain(without_containers(api_version, kind, object))
        .chain(without_items(api_version, kind, object))
        .collect()
}

fn not_served(api_version: &str, kind: &str) -> Option<Suspicion> {
    let message = format!("apiVersion: {}", kubernetes::kinds::not_served(api_version, kind)?);
    Some(Suspicion { path: vec![Step::Field("apiVersion".to_owned())], message })
}

/// Returns a remark about a kind that its group does not have, such as `pod`. No rule matches it.
fn misspelt_kind(api_version: &str, kind: &str) -> Option<Suspicion> {
    let message = format!("kind: {}", kubernetes::kinds::misspelt(api_version, kind)?);
    Some(Suspicion { path: vec![Step::Field("kind".to_owned())], message })
}

fn suspicion(mistake: &Mistake<'_>) -> Suspicion {
    let path = Path(&mistake.path);
    let message = match &mistake.problem {
        Problem::UnknownField { nearest: None } => format!("{path}: unknown field"),
        Problem::UnknownField { nearest: Some(name) } => {
            format!("{path}: unknown field; did you mean {name}?")
        }
        Problem::OtherType { expected, found } => {
            let (form, remedy) = match (*expected, found) {
                (Type::Text, Value::Bool(_) | Value::Number(_)) => ("", "; quote it"),
                (Type::Time | Type::MicroTime | Type::Bytes | Type::Quantity, Value::String(_)) => {
                    (" in another form", "")
                }
                (Type::Object(_) | Type::Map(_) | Type::List(_), _) => ("", ""),
                (_, Value::String(_)) => ("", "; write it without quotes"),
                _ => ("", ""),
            };
            let (expected, found) = (expected.description(), manifest::found(found));
            format!("{path}: expected {expected}, found {found}{form}{remedy}")
        }
    };
    Suspicion { path: mistake.path.iter().map(Step::owned).collect(), message }
}

/// Returns the names, labels and annotations that are not strings, such as the name `n`, which is a
/// boolean in YAML 1.1.
pub(crate) fn mistyped_metadata(object: &Value) -> impl Iterator<Item = Suspicion> {
    let metadata = object.get("metadata").and_then(Value::as_object);
    let field = move |name: &'static str| metadata.and_then(|metadata| metadata.get(name));
    let names = ["name", "generateName", "namespace"];
    let names = names.into_iter().filter_map(move |name| Some((vec![Step::Field(name)], field(name)?)));
    let maps = ["labels", "annotations"].into_iter().flat_map(move |name| {
        let entries = field(name).and_then(Value::as_object).into_iter().flatten();
        entries.map(move |(key, value)| (vec![Step::Field(name), Step::Field(key.as_str())], value))
    });
    names.chain(maps).filter(|(_, value)| !value.is_string() && !value.is_null()).map(|(steps, value)| {
        let path: Vec<Step<&str>> = [Step::Field("metadata")].into_iter().chain(steps).collect();
        let found = manifest::found(value);
        let message = format!("{}: expected a string, found {found}; quote it", Path(&path));
        Suspicion { path: path.iter().map(Step::owned).collect(), message }
    })
}

fn without_containers(api_version: &str, kind: &str, object: &Value) -> Option<Suspicion> {
    let spec = pods::pod_spec(api_version, kind)?;
    let containers = pods::at(object, &spec).and_then(|spec| spec.get("containers"));
    if containers.and_then(Value::as_array).is_some_and(|containers| !containers.is_empty()) {
        return None;
    }
    let path: Vec<Step<&str>> = spec.into_iter().chain(["containers"]).map(Step::Field).collect();
    let message = format!("{}: Required value: a pod has at least one container; add it", Path(&path));
    Some(Suspicion { path: path.iter().map(Step::owned).collect(), message })
}

/// Returns a remark about a list that kubectl takes for an object, which servers do not have.
fn without_items(api_version: &str, kind: &str, object: &Value) -> Option<Suspicion> {
    let of_items = kind.strip_suffix("List").filter(|_| object.get("items").is_none())?;
    if !of_items.is_empty() && kubernetes::fields::fields_of(api_version, of_items).is_none() {
        return None;
    }
    let message = "items: Required value: the objects of the list; add them".to_owned();
    Some(Suspicion { path: vec![Step::Field("items".to_owned())], message })
}

/// Returns why an API server would not send an `AdmissionRequest`.
#[must_use]
pub fn unsent(request: &Value, kinds: &Kinds) -> Option<String> {
    let text = |object: &Value, pointer: &str| {
        object.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let field = |name| request.get(name).filter(|value: &&Value| !value.is_null());
    let (object, old) = (field("object"), field("oldObject"));
    let subresource = field("subResource").and_then(Value::as_str);
    for object in [object, old].into_iter().flatten() {
        let kind = text(object, "/kind");
        if kind == "AdmissionReview" || kind == "List" || object.get("items").is_some_and(Value::is_array) {
            return Some(format!("{kind} is not the kind of one object"));
        }
        // A subresource can have objects of another kind, such as Scale.
        if let Some(suspicion) = mistakes(object).into_iter().next() {
            return Some(suspicion.message);
        }
    }
    let problem = match (text(request, "/operation").as_str(), object.is_some(), old.is_some()) {
        ("CREATE", true, false)
        | ("UPDATE", true, true)
        | ("DELETE", false, true)
        | ("CONNECT", _, false) => None,
        ("CREATE", ..) => Some("a CREATE has an object and no oldObject"),
        ("UPDATE", ..) => Some("an UPDATE has an object and an oldObject"),
        ("DELETE", ..) => Some("a DELETE has an oldObject and no object"),
        ("CONNECT", ..) => Some("a CONNECT has no oldObject"),
        _ => Some("the operation is not CREATE, UPDATE, DELETE or CONNECT"),
    };
    if let Some(problem) = problem {
        return Some(problem.to_owned());
    }
    if let Some(problem) = [object, old].into_iter().flatten().find_map(|object| other_kind(request, object))
    {
        return Some(format!("the object {problem}"));
    }
    if let (Some(object), Some(old)) = (object, old) {
        let fields = ["/kind", "/metadata/name", "/metadata/namespace", "/metadata/uid"];
        let differs = |field: &&&str| match (text(object, field), text(old, field)) {
            // Tests leave it out.
            (uid, other) if **field == "/metadata/uid" => {
                !uid.is_empty() && !other.is_empty() && uid != other
            }
            (one, other) => one != other,
        };
        if let Some(field) = fields.iter().find(differs) {
            let field = field.trim_start_matches('/').replace('/', ".");
            return Some(format!("{field} of the object and of the old object differ"));
        }
    }
    let (object, subresource) = (object.or(old)?, subresource.filter(|name| !name.is_empty())?);
    let resource = kinds.resource(&text(object, "/apiVersion"), &text(object, "/kind"));
    let known: Vec<&str> = resource.subresources.iter().map(AsRef::as_ref).collect();
    // Objects of a subresource, such as Scale, do not tell the resource.
    if resource.origin != Origin::BuiltIn || known.is_empty() || known.contains(&subresource) {
        return None;
    }
    let near =
        nearest(subresource, &known).map_or_else(String::new, |name| format!("; did you mean {name}?"));
    Some(format!("{} have no subresource {subresource}{near}", resource.plural))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_misspelt_or_misplaced_field_is_suspicious() {
        for case in manifest::documents(include_str!("guards.yaml")).unwrap() {
            let found = suspicions(&case["object"]).into_iter().map(|suspicion| suspicion.message);
            assert_eq!(json!(found.collect::<Vec<_>>()), case["messages"], "{}", case["object"]);
        }
    }
}
