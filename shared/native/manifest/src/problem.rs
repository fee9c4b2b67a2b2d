//! Errors of texts that cannot be read.

use std::fmt;

use crate::Position;

/// The problem of a text that cannot be read, and its position.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Problem {
    /// The position; `None` if the problem does not have one.
    pub at: Option<Position>,
    /// The problem: a duplicate key, or what is wrong with the format, such as `not valid YAML: …`.
    pub message: String,
}

/// Displays the position and the problem: `line 3, column 1: not valid YAML: …`.
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(Position { line, column }) = self.at {
            write!(f, "line {line}, column {column}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for Problem {}
