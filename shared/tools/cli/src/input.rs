//! Objects and requests from files and standard input, read as a scan reads them.

use std::collections::BTreeSet;
use std::fmt;

use kubernetes::review::Form;
use report::{Level, Notice, Place};
use scan::{Chunk, Content, Entries, Entry, Files, Input as _, Sources};

use crate::failure::Failure;
use crate::print_problem;
use crate::source::{InputReader, shown};

/// Finds the files that arguments name.
pub(crate) fn files(arguments: &[String], reader: &mut InputReader) -> Result<Files, Failure> {
    find(&Sources::of(arguments), reader)
}

/// Finds the files of sources.
pub(crate) fn find(sources: &Sources, reader: &mut InputReader) -> Result<Files, Failure> {
    for argument in &sources.paths {
        reader.claim(argument)?;
    }
    let files = sources.find();
    files.names().for_each(|name| reader.note(name));
    Ok(files)
}

/// The pieces of files, from the beginning.
#[derive(Debug)]
pub(crate) struct Pieces<'f> {
    files: &'f mut Files,
    /// The files of which no document was read yet.
    empty: BTreeSet<String>,
}

impl<'f> Pieces<'f> {
    pub(crate) fn of(files: &'f mut Files) -> Self {
        files.rewind();
        let empty = files.names().map(str::to_owned).collect();
        Self { files, empty }
    }

    /// Returns the next piece with its entries; `None` at the end.
    pub(crate) fn next(&mut self) -> Result<Option<(Chunk, Vec<Entry>)>, Failure> {
        self.next_by(Chunk::entries)
    }

    /// Returns the next piece with its entries as kubectl applies them, and prints the remarks of a
    /// scan. A key that is repeated is an error outside of objects: an API server repeats none.
    pub(crate) fn next_applied(&mut self) -> Result<Option<(Chunk, Vec<Entry>)>, Failure> {
        self.next_by(|chunk| {
            let read = chunk.entries_as_applied()?;
            if !read.entries.iter().all(|entry| matches!(entry.content, Content::Object(_))) {
                chunk.entries()?;
            }
            for remark in read.remarks(chunk) {
                if remark.level == Level::Error {
                    return Err(remark);
                }
                print_problem(failure(&remark));
            }
            Ok(read)
        })
    }

    fn next_by(
        &mut self,
        read: impl Fn(&Chunk) -> Result<Entries, Notice>,
    ) -> Result<Option<(Chunk, Vec<Entry>)>, Failure> {
        let Some(piece) = self.files.next() else { return Ok(None) };
        let chunk = piece.map_err(|unreadable| failure(&unreadable.notice()))?;
        let read = read(&chunk).map_err(|notice| failure(&notice))?;
        if read.documents > 0 {
            self.empty.remove(&chunk.origin.name);
        }
        Ok(Some((chunk, read.entries)))
    }

    /// Refuses files without a document: a kubectl command that fails leaves an empty file.
    pub(crate) fn refuse_empty(&self, expected: &str) -> Result<(), Failure> {
        match self.empty.first() {
            Some(name) => Err(Failure::about(shown(name), format!("is empty; {expected}"))),
            None => Ok(()),
        }
    }
}

/// Returns why an entry is not an object, with its place.
pub(crate) fn unexpected(place: &Place, content: &Content, expected: &str) -> Failure {
    match content {
        Content::Untyped(_, problem) | Content::Other(problem) => {
            about(place, format!("{problem}; {expected}"))
        }
        Content::Review(review) => {
            let found = match Form::of(review) {
                Some(Form::Review) => "an AdmissionReview",
                _ => "an AdmissionRequest",
            };
            about(place, format!("{expected}, found {found}"))
        }
        Content::Object(_) => about(place, expected),
    }
}

/// A failure that concerns a place in a file.
pub(crate) fn about(place: &Place, problem: impl fmt::Display) -> Failure {
    Failure::about(named(place), problem)
}

/// Returns a place for users, such as `pods.yaml:3:1`.
pub(crate) fn named(place: &Place) -> String {
    Place { file: shown(&place.file).to_owned(), ..place.clone() }.to_string()
}

fn failure(Notice { place, message, .. }: &Notice) -> Failure {
    match place {
        Some(place) => about(place, message),
        None => Failure::new(message.as_str()),
    }
}
