//! What can be wrong: with the objects, or with a question.

use std::fmt;

/// Values that are no set of Kubernetes objects.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ObjectError {
    place: String,
    problem: String,
}

impl ObjectError {
    pub(crate) fn new(place: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { place: place.into(), problem: problem.into() }
    }
}

impl fmt::Display for ObjectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.problem)
    }
}

impl std::error::Error for ObjectError {}

/// A question without an answer, told as the real host tells a module.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct LookupFailure(String);

impl LookupFailure {
    pub(crate) fn new(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}

impl fmt::Display for LookupFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Callback evaluation failure: {}", self.0)
    }
}

impl std::error::Error for LookupFailure {}
