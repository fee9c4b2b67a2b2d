//! The objects of a cluster, from files.

use std::path::Path;

use admission_review::Form;
use cluster_objects::Objects;
use serde_json::Value;

use crate::failure::Failure;
use crate::parse;
use crate::source::{InputReader, SourceName};

/// The expected content of a file.
const EXPECTED: &str = "expected Kubernetes objects or lists of objects";

/// Reads the objects from files and directories.
///
/// # Errors
/// The first file that cannot be read, and objects that cannot be in one cluster.
pub(crate) fn read(arguments: &[String], reader: &mut InputReader) -> Result<Objects, Failure> {
    let mut objects = Vec::new();
    let mut names = Vec::new();
    for argument in arguments {
        for file in files(argument)? {
            let source = reader.text(&file)?;
            if source.text.trim().is_empty() {
                // A kubectl command that fails leaves an empty file.
                return Err(Failure::about(&source.name, format!("is empty; {EXPECTED}")));
            }
            let documents = parse::documents(&source)?;
            let count = documents.len();
            for (index, document) in documents.into_iter().enumerate() {
                let name = source.name.document(index, count);
                if let Some(found) = request(&document) {
                    return Err(Failure::about(name, format!("{EXPECTED}, found {found}")));
                }
                match document {
                    // The output of `jq '.items'`.
                    Value::Array(items) => {
                        names.extend((0..items.len()).map(|item| name.item(item)));
                        objects.extend(items);
                    }
                    document => {
                        names.push(name);
                        objects.push(document);
                    }
                }
            }
        }
    }
    let name = |index: usize| names.get(index).map(SourceName::to_string).unwrap_or_default();
    Objects::from_values(objects).map_err(|error| Failure::new(error.describe(&name)))
}

/// Names the kind of a document that is a request.
fn request(document: &Value) -> Option<&'static str> {
    match Form::of(document)? {
        Form::Request => Some("an AdmissionRequest"),
        Form::Review => Some("an AdmissionReview"),
    }
}

/// Returns a file itself, or the files of objects in a directory, by name. Subdirectories are not
/// searched.
///
/// # Errors
/// A directory that cannot be read, and a file whose name is not Unicode.
pub(crate) fn files(argument: &str) -> Result<Vec<String>, Failure> {
    let path = Path::new(argument);
    if !path.is_dir() {
        return Ok(vec![argument.to_owned()]);
    }
    let unreadable = |error: std::io::Error| Failure::about(argument, format!("cannot be read: {error}"));
    let mut files = Vec::new();
    for entry in std::fs::read_dir(path).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let extension = path.extension().and_then(|extension| extension.to_str());
        if matches!(extension, Some("json" | "yaml" | "yml")) && !path.is_dir() {
            files.push(path.into_os_string().into_string().map_err(|path| {
                Failure::about(path.display(), "has a name that is not valid Unicode; rename the file")
            })?);
        }
    }
    files.sort();
    Ok(files)
}
