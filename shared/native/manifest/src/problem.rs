//! Why a text cannot be read.

use std::fmt;

use crate::Position;

/// What is wrong with a text, and where.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Problem {
    /// Where; nowhere in particular if `None`.
    pub at: Option<Position>,
    /// What is wrong there.
    pub message: String,
}

/// `line 3, column 1: no valid YAML: …`.
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(Position { line, column }) = self.at {
            write!(f, "line {line}, column {column}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for Problem {}
