//! The objects of a cluster, from files.

use std::path::Path;
use std::slice;

use kubernetes::objects::{ObjectPlace, Objects, ObjectsBuilder};
use kubernetes::review::Form;
use scan::audit::{AuditError, Dump, Kept};
use scan::{Files, Input as _};
use serde_json::Value;

use crate::failure::Failure;
use crate::parse;
use crate::progress::bar;
use crate::source::{InputReader, Source, SourceName};

/// The expected content of a file.
const EXPECTED: &str = "expected Kubernetes objects or lists of objects";

pub(crate) fn read(arguments: &[String], reader: &mut InputReader) -> Result<Objects, Failure> {
    read_whole(inputs(arguments, reader)?, reader)
}

/// A dump, and the name of its files in messages.
#[derive(Debug)]
pub(crate) struct DumpFiles {
    pub(crate) dump: Dump,
    name: String,
}

impl DumpFiles {
    /// Reads a dump from files and directories, and keeps what an audit needs of each object.
    ///
    /// JSON is read piece by piece: a dump of a large cluster would need gigabytes as a whole.
    /// Everything else, and everything that is wrong, is read as a whole, with the messages of
    /// [`read`].
    pub(crate) fn read(files: &[String], kept: Kept, reader: &mut InputReader) -> Result<Self, Failure> {
        let inputs = inputs(files, reader)?;
        let objects = match piece_by_piece(&inputs, kept) {
            Some(objects) => objects,
            None => read_whole(inputs, reader)?,
        };
        let names: Vec<String> = files.iter().map(|file| SourceName::of_argument(file).to_string()).collect();
        Ok(Self { dump: Dump::new(objects), name: names.join(", ") })
    }

    /// A failure to audit the dump.
    pub(crate) fn failure(&self, error: &AuditError) -> Failure {
        Failure::about(&self.name, error)
    }
}

/// A file, or the text of standard input, which can be read only once.
enum Input {
    File(String),
    Text(Source),
}

fn inputs(arguments: &[String], reader: &mut InputReader) -> Result<Vec<Input>, Failure> {
    let mut inputs = Vec::new();
    for argument in arguments {
        if argument == "-" {
            inputs.push(Input::Text(reader.text(argument)?));
        } else {
            inputs.extend(files(argument)?.into_iter().map(Input::File));
        }
    }
    Ok(inputs)
}

/// Returns the objects of a dump in JSON, piece by piece; `None` if anything else is in the input.
fn piece_by_piece(inputs: &[Input], kept: Kept) -> Option<Objects> {
    let mut objects = ObjectsBuilder::default();
    let place = ObjectPlace { index: 0, steps: Vec::new() };
    let mut add = |mut object: Value| {
        let is_list = |kind: &Value| kind.as_str().is_none_or(|kind| kind.ends_with("List"));
        if object.get("kind").is_none_or(is_list) || request(&object).is_some() {
            return None;
        }
        kept.reduce(&mut object);
        objects.add(object, &place).ok()
    };
    let sizes = inputs.iter().map(|input| match input {
        Input::File(file) => std::fs::metadata(file).map_or(0, |metadata| metadata.len()),
        Input::Text(source) => u64::try_from(source.text.len()).unwrap_or(u64::MAX),
    });
    let size = sizes.fold(0, u64::saturating_add);
    let progress = bar(Some(size), "{bar:30} {percent}% read, {eta} left");
    for input in inputs {
        let mut files = Files::default();
        match input {
            Input::File(file) => files = Files::of_arguments(slice::from_ref(file)),
            Input::Text(source) => files.add_stream("-", &mut source.text.as_bytes()),
        }
        let mut is_empty = true;
        while let Some(piece) = files.next() {
            let piece = piece.ok().filter(|piece| manifest::is_json(&piece.text))?;
            progress.inc(u64::try_from(piece.text.len()).unwrap_or(u64::MAX));
            for document in manifest::documents(&piece.text).ok()? {
                is_empty = false;
                let found = match document {
                    item if piece.list.is_some() && !piece.is_envelope => vec![item],
                    Value::Array(items) => items,
                    list if list.get("kind").is_some_and(|kind| kind == "List") => {
                        kubernetes::objects::items(list).ok()?
                    }
                    object => vec![object],
                };
                // The items of other kinds of lists can lack their own kind.
                if piece.is_envelope && !found.is_empty() {
                    return None;
                }
                found.into_iter().try_for_each(&mut add)?;
            }
        }
        if is_empty {
            return None;
        }
    }
    Some(objects.finish())
}

fn read_whole(inputs: Vec<Input>, reader: &mut InputReader) -> Result<Objects, Failure> {
    let mut objects = Vec::new();
    let mut names = Vec::new();
    for input in inputs {
        let source = match input {
            Input::File(file) => reader.text(&file)?,
            Input::Text(source) => source,
        };
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
