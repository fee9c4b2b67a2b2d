//! The objects of a cluster, from files.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use admission_review::Form;
use audit::Kept;
use cluster_objects::{ObjectPlace, Objects, ObjectsBuilder};
use serde_json::Value;

use crate::failure::Failure;
use crate::parse;
use crate::source::{InputReader, Source, SourceName};

mod list;
mod progress;

pub(crate) use progress::Progress;

/// The expected content of a file.
const EXPECTED: &str = "expected Kubernetes objects or lists of objects";

/// Reads the objects from files and directories.
///
/// # Errors
/// The first file that cannot be read, and objects that cannot be in one cluster.
pub(crate) fn read(arguments: &[String], reader: &mut InputReader) -> Result<Objects, Failure> {
    read_whole(inputs(arguments, reader)?, reader)
}

/// Reads the objects of a dump, and keeps of each only what an audit reads.
///
/// Lists in JSON are read item by item: a dump of a large cluster would need gigabytes as a whole.
/// Everything else, and everything that is wrong, is read as a whole, with the messages of
/// [`read`].
///
/// # Errors
/// As those of [`read`].
pub(crate) fn read_kept(
    arguments: &[String],
    kept: Kept,
    reader: &mut InputReader,
) -> Result<Objects, Failure> {
    let inputs = inputs(arguments, reader)?;
    match item_by_item(&inputs, kept) {
        Some(objects) => Ok(objects),
        None => read_whole(inputs, reader),
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

/// Returns the objects of lists in JSON; `None` if anything else is in the input.
fn item_by_item(inputs: &[Input], kept: Kept) -> Option<Objects> {
    let mut objects = ObjectsBuilder::default();
    let place = ObjectPlace { index: 0, steps: Vec::new() };
    let mut add = |text: &str| {
        let [mut object] = <[Value; 1]>::try_from(manifest::documents(text).ok()?).ok()?;
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
    let progress = Progress::start(sizes.fold(0, u64::saturating_add));
    for input in inputs {
        let input: Box<dyn Read + '_> = match input {
            Input::File(file) => Box::new(File::open(file).ok()?),
            Input::Text(source) => Box::new(source.text.as_bytes()),
        };
        list::items(BufReader::new(progress.watch(input)), &mut add)?;
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
