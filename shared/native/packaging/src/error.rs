//! What is wrong with metadata or a module.

use std::fmt;

/// Metadata that is not understood, or a module that cannot carry it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct PackagingError {
    /// Where: the path of a field, `rules[0].operations`; `metadata` or `module` for all of it.
    pub path: String,
    /// What is wrong there and what to write instead.
    pub problem: String,
}

impl PackagingError {
    /// An error at a place.
    pub(crate) fn new(path: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { path: path.into(), problem: problem.into() }
    }
}

impl fmt::Display for PackagingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.problem)
    }
}

impl std::error::Error for PackagingError {}
