//! Values that are not admission requests.

use std::fmt;

use text::{Path, Step};

/// A field of a request that is missing or has another type.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct RequestError {
    steps: Vec<Step>,
    problem: String,
}

impl RequestError {
    pub(crate) fn new(steps: &[Step<&str>], problem: impl Into<String>) -> Self {
        Self { steps: steps.iter().map(Step::owned).collect(), problem: problem.into() }
    }

    /// Returns the steps from the value to the field; empty for the value itself.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Returns the problem with the field.
    #[must_use]
    pub fn problem(&self) -> &str {
        &self.problem
    }
}

/// Displays the path and the problem:
/// `request.userInfo.groups[0]: expected a string, found a boolean`.
impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let steps: Vec<Step<&str>> = self.steps.iter().map(Step::borrowed).collect();
        match steps.as_slice() {
            [] => f.write_str("request")?,
            steps => Path(steps).fmt(f)?,
        }
        write!(f, ": {}", self.problem)
    }
}

impl std::error::Error for RequestError {}
