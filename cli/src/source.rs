//! Files and standard input.

use std::fmt;
use std::io::Read;
use std::path::Path;

use crate::failure::Failure;

/// What stands for standard input.
const STDIN: &str = "-";

/// Reads what arguments name.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    stdin_is_read: bool,
}

/// A text and where it is from.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) name: Name,
    pub(crate) text: String,
}

/// What messages call a source.
#[derive(Clone, Debug)]
pub(crate) struct Name(String);

impl Name {
    /// What an argument names: a file, or standard input.
    pub(crate) fn of_argument(argument: &str) -> Self {
        Self(if argument == STDIN { "standard input" } else { argument }.to_owned())
    }

    /// The name of an argument, or of a file.
    pub(crate) fn new(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    /// The name of one of several documents in the source.
    pub(crate) fn document(&self, index: usize, of: usize) -> Self {
        if of < 2 { self.clone() } else { Self(format!("{}, document {}", self.0, index.saturating_add(1))) }
    }
}

impl Source {
    /// The text in some bytes.
    fn new(name: Name, bytes: Vec<u8>) -> Result<Self, Failure> {
        let text = String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to().saturating_add(1);
            Failure::about(&name, format!("not UTF-8 text, from byte {at} on"))
        })?;
        // As some editors begin a file.
        let text = text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text);
        Ok(Self { name, text })
    }

    /// The text of a file.
    ///
    /// # Errors
    /// A file that cannot be read or is no text.
    pub(crate) fn file(path: &Path) -> Result<Self, Failure> {
        Self::new(Name(path.display().to_string()), file(path)?)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Reader {
    /// The text of a file, or of standard input for `-`.
    ///
    /// # Errors
    /// A file that cannot be read or is no text, and a second wish for standard input.
    pub(crate) fn text(&mut self, argument: &str) -> Result<Source, Failure> {
        let name = Name::of_argument(argument);
        let bytes = if argument == STDIN { self.stdin(&name)? } else { file(Path::new(argument))? };
        Source::new(name, bytes)
    }

    fn stdin(&mut self, name: &Name) -> Result<Vec<u8>, Failure> {
        if std::mem::replace(&mut self.stdin_is_read, true) {
            return Err(Failure::new("standard input can be read once only; give - a single time"));
        }
        let mut bytes = Vec::new();
        let read = std::io::stdin().lock().read_to_end(&mut bytes);
        read.map_err(|error| Failure::about(name, format!("cannot be read: {error}")))?;
        Ok(bytes)
    }
}

/// The bytes of a file.
///
/// # Errors
/// When it cannot be read.
pub(crate) fn file(path: &Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(path).map_err(|error| Failure::about(path.display(), format!("cannot be read: {error}")))
}
