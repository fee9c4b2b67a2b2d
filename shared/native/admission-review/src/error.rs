//! Why something is no admission request.

use std::fmt;

/// A field of a request that is missing or of another type.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct RequestError {
    path: String,
    problem: String,
}

impl RequestError {
    pub(crate) fn new(path: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { path: path.into(), problem: problem.into() }
    }

    /// Where: `request.userInfo.groups[0]`.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// What is wrong there.
    #[must_use]
    pub fn problem(&self) -> &str {
        &self.problem
    }
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.problem)
    }
}

impl std::error::Error for RequestError {}
