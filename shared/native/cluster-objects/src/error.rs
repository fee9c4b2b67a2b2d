//! Errors: of objects, and of look-ups.

use std::fmt;

use text::{Path, Step};

/// A value that is not a Kubernetes object, or an object that is given twice.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ObjectError {
    pub(crate) place: ObjectPlace,
    pub(crate) problem: ObjectProblem,
}

/// A place in one of the values that objects are taken from.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ObjectPlace {
    /// The position of the value among those given.
    pub index: usize,
    /// The steps from the value to the place; none for the value itself.
    pub steps: Vec<Step>,
}

/// The problem with an object.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum ObjectProblem {
    /// A field is missing or has another type: the expectation, and the remedy.
    Unreadable(&'static str),
    /// The object, as `v1 Pod shop/web`, is given already, at another place.
    Duplicate {
        /// The object.
        object: String,
        /// The place of the first one.
        first: ObjectPlace,
    },
}

impl ObjectError {
    /// The place of the object, or of the field of it.
    #[must_use]
    pub fn place(&self) -> &ObjectPlace {
        &self.place
    }

    /// The message, with a name for each value by its position, such as the file that it is in.
    #[must_use]
    pub fn describe(&self, name: &dyn Fn(usize) -> String) -> String {
        let place = self.place.describe(name);
        match &self.problem {
            ObjectProblem::Unreadable(problem) => format!("{place}: {problem}"),
            ObjectProblem::Duplicate { object, first } => {
                let first = first.describe(name);
                format!("{place}: {object} is a duplicate of {first}; leave out one of the two")
            }
        }
    }
}

impl ObjectPlace {
    fn describe(&self, name: &dyn Fn(usize) -> String) -> String {
        let steps: Vec<Step<&str>> = self.steps.iter().map(Step::borrowed).collect();
        match steps.as_slice() {
            [] => name(self.index),
            steps => format!("{}: {}", name(self.index), Path(steps)),
        }
    }
}

impl fmt::Display for ObjectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.describe(&|index| format!("objects[{index}]")))
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
