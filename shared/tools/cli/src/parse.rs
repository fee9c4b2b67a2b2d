//! JSON and YAML documents of a source.

use manifest::Position;
use serde_json::Value;

use crate::failure::Failure;
use crate::source::Source;

/// Parses the documents of a source, without empty ones; see [`manifest::documents`]. Duplicate
/// keys are an error.
pub(crate) fn documents(source: &Source) -> Result<Vec<Value>, Failure> {
    manifest::documents(&source.text).map_err(|problem| match problem.at {
        Some(Position { line, column }) => {
            Failure::about(format!("{}:{line}:{column}", source.name), problem.message())
        }
        None => Failure::about(&source.name, problem),
    })
}

/// Parses the only document of a source; `None` if the source is empty.
pub(crate) fn document(source: &Source) -> Result<Option<Value>, Failure> {
    let mut documents = documents(source)?;
    if documents.len() > 1 {
        return Err(Failure::about(
            &source.name,
            format!("expected one document, found {}", documents.len()),
        ));
    }
    Ok(documents.pop())
}
