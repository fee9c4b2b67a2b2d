//! The objects of a cluster, from files.

use std::collections::BTreeSet;

use kubernetes::objects::{ObjectError, ObjectPlace, Objects, ObjectsBuilder};
use report::{Notice, Place};
use scan::audit::{AuditError, Dump, Kept};
use scan::{Chunk, Content, Entry, Files, Input, Kind};
use serde_json::Value;

use crate::args::DumpArgs;
use crate::failure::Failure;
use crate::input::{self, Pieces, named, unexpected};
use crate::print_problem;
use crate::progress::bar;
use crate::source::{InputReader, shown};

/// The expected content of a file.
const EXPECTED: &str = "expected Kubernetes objects or lists of objects";

pub(crate) fn read(arguments: &[String], reader: &mut InputReader) -> Result<Objects, Failure> {
    objects(&mut input::files(arguments, reader)?, None)
}

/// A dump, and the name of its files in messages.
#[derive(Debug)]
pub(crate) struct DumpFiles {
    pub(crate) dump: Dump,
    name: String,
}

impl DumpFiles {
    /// Reads a dump from files and directories, and keeps what an audit needs of each object: a
    /// dump of a large cluster would need gigabytes as a whole.
    pub(crate) fn read(files: &[String], kept: Kept, reader: &mut InputReader) -> Result<Self, Failure> {
        let objects = objects(&mut input::files(files, reader)?, Some(kept))?;
        let names: Vec<&str> = files.iter().map(|file| shown(file)).collect();
        Ok(Self { dump: Dump::new(objects), name: names.join(", ") })
    }

    /// Reads a dump, or the objects of these kinds in a running cluster.
    pub(crate) fn read_any(
        args: &DumpArgs,
        kept: Kept,
        kinds: &BTreeSet<Kind>,
        reader: &mut InputReader,
    ) -> Result<Self, Failure> {
        match args.cluster.connect()? {
            Some(cluster) => {
                let objects = live(&mut cluster.look_ups(None), kept, kinds)?;
                Ok(Self { dump: Dump::new(objects), name: "--live".to_owned() })
            }
            None => Self::read(&args.dump, kept, reader),
        }
    }

    /// A failure to audit the dump.
    pub(crate) fn failure(&self, error: &AuditError) -> Failure {
        Failure::about(&self.name, error)
    }
}

fn objects(files: &mut Files, kept: Option<Kept>) -> Result<Objects, Failure> {
    let progress = bar(files.size(), "{bar:30} {percent}% read, {eta} left");
    let mut objects = ObjectsBuilder::default();
    let mut index = 0;
    let mut pieces = Pieces::of(files);
    while let Some((chunk, entries)) = pieces.next()? {
        progress.inc(u64::try_from(chunk.text.len()).unwrap_or(u64::MAX));
        let is_object = |entry: &Entry| matches!(entry.content, Content::Object(_));
        if let Some(other) = entries.iter().position(|entry| !is_object(entry)) {
            let place = &chunk.places(&entries)[other];
            return Err(unexpected(place, &entries[other].content, EXPECTED));
        }
        if kept.is_none() {
            warn_of_misspelt(&chunk, &entries);
        }
        for entry in entries {
            let Content::Object(mut object) = entry.content else { continue };
            if let Some(kept) = kept {
                kept.reduce(&mut object);
            }
            // Places are found for the few objects whose errors name them.
            if let Err(error) = objects.add(object, &ObjectPlace { index, steps: Vec::new() }) {
                return Err(refusal(files, &error)?);
            }
            index += 1;
        }
    }
    pieces.refuse_empty(EXPECTED)?;
    Ok(objects.finish())
}

/// Warns of unknown fields and kinds in objects that no server has stored: look-ups do not find
/// them.
fn warn_of_misspelt(chunk: &Chunk, entries: &[Entry]) {
    let mut found = Vec::new();
    for (index, entry) in entries.iter().enumerate() {
        let Content::Object(object) = &entry.content else { continue };
        let is_set =
            |pointer| object.pointer(pointer).and_then(Value::as_str).is_some_and(|text| !text.is_empty());
        if !(is_set("/metadata/uid") || is_set("/metadata/resourceVersion")) {
            found.extend(scan::misspelt(object).into_iter().map(|suspicion| (index, suspicion.message)));
        }
    }
    // Places are found for the few objects that need them.
    let places = if found.is_empty() { Vec::new() } else { chunk.places(entries) };
    for (index, message) in found {
        let place = places.get(index).map(named).unwrap_or_default();
        print_problem(format!("{place}: {message}"));
    }
}

/// Reads the objects of some kinds in a running cluster.
fn live(input: &mut dyn Input, kept: Kept, kinds: &BTreeSet<Kind>) -> Result<Objects, Failure> {
    let progress = bar(None, "{spinner} {human_pos} objects read, {per_sec}");
    let failure = |notice: Notice| Failure::new(notice.message);
    input.select(kinds);
    let mut objects = ObjectsBuilder::default();
    let mut index = 0;
    while let Some(piece) = input.next() {
        let chunk = piece.map_err(|unreadable| failure(unreadable.notice()))?;
        for entry in chunk.entries().map_err(failure)?.entries {
            let Content::Object(mut object) = entry.content else { continue };
            kept.reduce(&mut object);
            let added = objects.add(object, &ObjectPlace { index, steps: Vec::new() });
            added.map_err(|error| Failure::new(error.describe(&|_| chunk.origin.name.clone())))?;
            index += 1;
            progress.inc(1);
        }
    }
    match input.withheld().into_values().next() {
        Some(why) => Err(Failure::new(why)),
        None => Ok(objects.finish()),
    }
}

/// Reads the files once more to find the places of the objects that an error is about.
fn refusal(files: &mut Files, error: &ObjectError) -> Result<Failure, Failure> {
    let mut places: Vec<Place> = Vec::new();
    let mut pieces = Pieces::of(files);
    while let Some((chunk, entries)) = pieces.next()? {
        places.extend(chunk.places(&entries));
    }
    let name = |index: usize| places.get(index).map(named).unwrap_or_default();
    Ok(Failure::new(error.describe(&name)))
}
