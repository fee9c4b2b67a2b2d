//! Reasons why a command failed.

use std::fmt;

use report::one_line;

/// A one-line message for standard error.
#[derive(Debug)]
pub(crate) struct Failure(String);

impl Failure {
    /// A failure that concerns something the user named, such as a file: `subject: problem`.
    pub(crate) fn about(subject: impl fmt::Display, problem: impl fmt::Display) -> Self {
        Self(format!("{subject}: {problem}"))
    }

    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&one_line(&self.0))
    }
}
