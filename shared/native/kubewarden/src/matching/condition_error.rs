//! Conditions without a value.

use std::fmt;

/// The reason why a condition has no value.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ConditionError {
    /// The name of the condition.
    pub condition: String,
    /// The problem, without values of the request.
    pub problem: String,
    /// Whether the condition uses something that this crate does not have, so that the result of an
    /// API server is not known. Otherwise, the API server has the same error.
    pub is_unknown: bool,
}

impl fmt::Display for ConditionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "match condition {}: {}", self.condition, self.problem)
    }
}

impl std::error::Error for ConditionError {}
