//! Errors in metadata and modules.

use std::fmt;

/// An error in metadata, or a module that metadata cannot be added to.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct PackagingError {
    /// The path of the field, such as `rules[0].operations`; `metadata` or `module` for the whole.
    pub path: String,
    /// The problem and its remedy.
    pub problem: String,
}

impl PackagingError {
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
