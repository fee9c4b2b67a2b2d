//! Input from files and standard input.

use std::collections::BTreeSet;
use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};

use manifest::Position;
use serde_json::Value;

use crate::failure::Failure;

const STDIN: &str = "-";

#[derive(Debug, Default)]
pub(crate) struct InputReader {
    stdin_is_read: bool,
    /// The files, without links in their names.
    read: BTreeSet<PathBuf>,
}

#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) name: SourceName,
    pub(crate) text: String,
}

#[derive(Clone, Debug)]
pub(crate) struct SourceName(String);

impl SourceName {
    /// The name of an argument: a path, or `standard input` for `-`.
    pub(crate) fn of_argument(argument: &str) -> Self {
        Self::new(shown(argument))
    }

    pub(crate) fn new(name: impl Into<String>) -> Self {
        Self(name.into())
    }
}

impl Source {
    fn new(name: SourceName, bytes: Vec<u8>) -> Result<Self, Failure> {
        let text = String::from_utf8(bytes).map_err(|error| {
            let valid = String::from_utf8_lossy(&error.as_bytes()[..error.utf8_error().valid_up_to()]);
            let line = valid.matches('\n').count() + 1;
            let column = valid.rsplit('\n').next().map_or(0, |last| last.chars().count()) + 1;
            Failure::about(format!("{name}:{line}:{column}"), "not valid UTF-8")
        })?;
        // Some editors write a byte order mark.
        let text = text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text);
        Ok(Self { name, text })
    }

    pub(crate) fn file(path: &Path) -> Result<Self, Failure> {
        Self::new(SourceName::new(path.display().to_string()), read_file(path)?)
    }

    /// Returns the only document; null if the text is empty.
    pub(crate) fn document(&self) -> Result<Value, Failure> {
        let mut documents = manifest::documents(&self.text).map_err(|problem| match problem.at {
            Some(Position { line, column }) => {
                Failure::about(format!("{}:{line}:{column}", self.name), problem.message())
            }
            None => Failure::about(&self.name, problem),
        })?;
        if documents.len() > 1 {
            let problem = format!("expected one document, found {}", documents.len());
            return Err(Failure::about(&self.name, problem));
        }
        Ok(documents.pop().unwrap_or_default())
    }
}

impl fmt::Display for SourceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl InputReader {
    /// Reads the text of a file, or of standard input for `-`, which is an error the second time.
    pub(crate) fn text(&mut self, argument: &str) -> Result<Source, Failure> {
        let name = SourceName::of_argument(argument);
        let bytes = if argument == STDIN { self.stdin(&name)? } else { read_file(Path::new(argument))? };
        self.note(argument);
        Source::new(name, bytes)
    }

    /// Notes that an argument is read elsewhere, so that a second `-` is an error.
    pub(crate) fn claim(&mut self, argument: &str) -> Result<(), Failure> {
        if argument == STDIN && std::mem::replace(&mut self.stdin_is_read, true) {
            return Err(Failure::new("standard input can be read only once; pass - a single time"));
        }
        Ok(())
    }

    /// Notes that a file is read, here or elsewhere.
    pub(crate) fn note(&mut self, file: &str) {
        self.read.extend(Path::new(file).canonicalize());
    }

    /// Returns whether a file was read.
    pub(crate) fn has_read(&self, file: &str) -> bool {
        Path::new(file).canonicalize().is_ok_and(|file| self.read.contains(&file))
    }

    fn stdin(&mut self, name: &SourceName) -> Result<Vec<u8>, Failure> {
        self.claim(STDIN)?;
        let mut bytes = Vec::new();
        let read = std::io::stdin().lock().read_to_end(&mut bytes);
        read.map_err(|error| Failure::about(name, format!("cannot be read: {error}")))?;
        Ok(bytes)
    }
}

/// Returns the name of an argument or a file for users.
pub(crate) fn shown(name: &str) -> &str {
    if name == STDIN { "standard input" } else { name }
}

/// Returns the text of a regular file, if it can be read. A pipe can be read only once, and a
/// terminal waits.
pub(crate) fn regular_text(file: &str) -> Option<String> {
    Path::new(file).is_file().then(|| std::fs::read_to_string(file).ok())?
}

pub(crate) fn read_file(path: &Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(path).map_err(|error| Failure::about(path.display(), format!("cannot be read: {error}")))
}
