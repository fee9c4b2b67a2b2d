//! Errors of texts that cannot be read.

use std::fmt;

use crate::Position;

/// The problem of a text that cannot be read, and its position.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Problem {
    /// The position; `None` if the problem does not have one.
    pub at: Option<Position>,
    /// The problem: a duplicate key, or what is wrong with the format, such as `invalid YAML: …`.
    pub message: String,
}

impl Problem {
    /// Creates the problem of a text that is not in a format.
    pub(crate) fn invalid(format: &str, at: Option<Position>, message: &str) -> Self {
        Self { at, message: format!("{INVALID}{format}: {message}") }
    }

    /// Returns the problem as a sentence with its line, for readers who do not see its position:
    /// `Invalid YAML near line 3: …`. The cause can be above the line. Other problems, such as a
    /// duplicate key, stay as they are.
    #[must_use]
    pub fn near(&self) -> String {
        let format = self.message.strip_prefix(INVALID).and_then(|rest| rest.split_once(": "));
        match (format, self.at) {
            (Some((format, message)), Some(Position { line, .. })) => {
                format!("Invalid {format} near line {line}: {message}")
            }
            _ => self.message.clone(),
        }
    }
}

/// The beginning of what is wrong with a format.
const INVALID: &str = "invalid ";

/// Displays the position and the problem: `line 3, column 1: invalid YAML: …`.
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(Position { line, column }) = self.at {
            write!(f, "line {line}, column {column}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for Problem {}
