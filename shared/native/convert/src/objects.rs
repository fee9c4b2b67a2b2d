//! The objects in documents.

use crate::fields::Fields;
use crate::{Document, InputError};

/// Returns the objects of documents, in order. `expected` says what the documents are to contain,
/// for errors about other ones.
pub(crate) fn of<'d>(documents: &'d [Document], expected: &str) -> Result<Vec<Fields<'d>>, InputError> {
    let object = |document| {
        let object = Fields::of(document)?;
        match object.text("kind")? {
            Some(_) => Ok(object),
            None => Err(object.error("kind", format!("is missing; {expected}"))),
        }
    };
    documents.iter().map(object).collect()
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
