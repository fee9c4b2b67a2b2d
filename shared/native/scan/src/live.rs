//! Objects of a running cluster, which are in no file.

use crate::entry::Content;
use crate::evaluate::Output;
use crate::input::Chunk;
use crate::subject::object_ref;

/// Removes the places from the output of a piece.
pub(crate) fn unplace(output: &mut Output, chunk: &Chunk) {
    output.files.clear();
    for finding in &mut output.findings {
        finding.place = None;
    }
    for notice in &mut output.notices {
        if notice.place.take().is_some() {
            notice.message = format!("{}: {}", name(chunk), notice.message);
        }
    }
}

/// Returns the name of the object of a piece, or of its kind if the piece cannot be read.
fn name(chunk: &Chunk) -> String {
    let entries = crate::entry::read(chunk).map(|read| read.entries).unwrap_or_default();
    let object = entries.into_iter().find_map(|entry| match entry.content {
        Content::Object(object) => Some(object_ref(&object).to_string()),
        _ => None,
    });
    object.unwrap_or_else(|| chunk.origin.name.clone())
}
