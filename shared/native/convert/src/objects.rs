//! The objects in documents.

use crate::fields::Fields;
use crate::{Document, InputError};

/// Returns the objects of documents, in order, with the items of a list instead of the list.
/// `expected` says what the documents are to contain, for errors about other ones.
pub(crate) fn of<'d>(documents: &'d [Document], expected: &str) -> Result<Vec<Fields<'d>>, InputError> {
    let mut objects = Vec::new();
    for document in documents {
        collect(Fields::of(document)?, expected, &mut objects)?;
    }
    Ok(objects)
}

fn collect<'d>(object: Fields<'d>, expected: &str, objects: &mut Vec<Fields<'d>>) -> Result<(), InputError> {
    let kind = object.text("kind")?;
    let kind = kind.ok_or_else(|| object.error("kind", format!("is missing; {expected}")))?;
    if kind.ends_with("List") && object.get("items").is_some() {
        let items = object.objects("items")?;
        if items.is_empty() {
            return Err(object.error("items", format!("is empty; {expected}")));
        }
        for item in items {
            collect(item, expected, objects)?;
        }
    } else {
        objects.push(object);
    }
    Ok(())
}

/// The group, empty for the core group, and the kind of an object; empty texts if they are absent.
pub(crate) fn group_and_kind<'d>(object: &Fields<'d>) -> Result<(&'d str, &'d str), InputError> {
    let api_version = object.text("apiVersion")?.unwrap_or_default();
    let group = api_version.split_once('/').map_or("", |(group, _)| group);
    Ok((group, object.text("kind")?.unwrap_or_default()))
}

/// The kind and the name of an object for messages: `Policy shop/pods`.
pub(crate) fn title(object: &Fields<'_>) -> Result<String, InputError> {
    let kind = object.text("kind")?.unwrap_or_default();
    let metadata = object.object("metadata")?;
    let field = |key| metadata.as_ref().map(|metadata| metadata.text(key)).transpose().map(Option::flatten);
    let (namespace, name) = (field("namespace")?, field("name")?.unwrap_or("(unnamed)"));
    Ok(match namespace {
        Some(namespace) => format!("{kind} {namespace}/{name}"),
        None => format!("{kind} {name}"),
    })
}
