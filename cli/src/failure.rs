//! Why the tool could not do what it was asked for.

use std::fmt;

use crate::text::one_line;

/// One clear sentence for standard error.
#[derive(Debug)]
pub(crate) struct Failure(String);

impl Failure {
    /// A failure with something that a person knows: a file, an argument.
    pub(crate) fn about(subject: impl fmt::Display, problem: impl fmt::Display) -> Self {
        Self(format!("{subject}: {problem}"))
    }

    /// A failure that is a sentence.
    pub(crate) fn new(sentence: impl Into<String>) -> Self {
        Self(sentence.into())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&one_line(&self.0))
    }
}
