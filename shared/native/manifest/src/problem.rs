//! Errors of texts that cannot be read.

use std::fmt;

use crate::{Position, template};

/// The problem of a text that cannot be read, and its position.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Problem {
    /// The position; `None` if the problem does not have one.
    pub at: Option<Position>,
    /// The format that the text is not in, such as `YAML`; `None` for other problems, such as a
    /// duplicate key.
    format: Option<&'static str>,
    /// The problem, without the format.
    what: String,
    is_template: bool,
}

impl Problem {
    /// Creates a problem, such as a duplicate key.
    pub fn new(at: Option<Position>, what: impl Into<String>) -> Self {
        Self { at, format: None, what: what.into(), is_template: false }
    }

    pub(crate) fn invalid(format: &'static str, at: Option<Position>, what: impl Into<String>) -> Self {
        Self { at, format: Some(format), what: what.into(), is_template: false }
    }

    /// Notes whether kubectl cannot read the text because of a template at the problem.
    pub(crate) fn in_text(self, text: &str) -> Self {
        let is_template = self.at.is_some_and(|at| template::is_refused(text, at.line));
        Self { is_template, ..self }
    }

    /// Returns whether a template is at the problem, such as `{{ name }}`, so that kubectl cannot
    /// read the text either.
    #[must_use]
    pub fn is_template(&self) -> bool {
        self.is_template
    }

    /// Returns the problem at another position, such as that in a longer text.
    #[must_use]
    pub fn at(self, at: Option<Position>) -> Self {
        Self { at, ..self }
    }

    /// Returns the problem as a sentence without its position: `invalid YAML: …`.
    #[must_use]
    pub fn message(&self) -> String {
        match self.format {
            Some(format) => format!("invalid {format}: {}", self.what),
            None => self.what.clone(),
        }
    }

    /// Returns the problem as a sentence with its line, for readers who do not see its position:
    /// `Invalid YAML near line 3: …`. The cause can be above the line. Other problems, such as a
    /// duplicate key, stay as they are.
    #[must_use]
    pub fn near(&self) -> String {
        match (self.format, self.at) {
            (Some(format), Some(Position { line, .. })) => {
                format!("Invalid {format} near line {line}: {}", self.what)
            }
            _ => self.message(),
        }
    }
}

/// Displays the position and the problem: `line 3, column 1: invalid YAML: …`.
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(Position { line, column }) = self.at {
            write!(f, "line {line}, column {column}: ")?;
        }
        f.write_str(&self.message())
    }
}

impl std::error::Error for Problem {}
