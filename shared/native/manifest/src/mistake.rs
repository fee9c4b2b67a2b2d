//! Mistakes in files that are read strictly.

use std::fmt;

use serde::Serialize;

use crate::Position;

/// A mistake in a file, such as a test file.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct Mistake {
    /// The file.
    pub file: String,
    /// The line, counted from one; `None` if the mistake concerns the whole file.
    pub line: Option<u64>,
    /// The problem and what to do, as a sentence without a final period.
    pub message: String,
}

impl Mistake {
    /// A mistake at a position, or in the whole file.
    #[must_use]
    pub fn new(file: &str, at: Option<Position>, message: impl Into<String>) -> Self {
        Self { file: file.to_owned(), line: at.map(|at| at.line), message: message.into() }
    }
}

/// Displays the place and the problem: `tests/a.yaml:3: …`.
impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.file, self.message),
            None => write!(f, "{}: {}", self.file, self.message),
        }
    }
}

impl std::error::Error for Mistake {}
