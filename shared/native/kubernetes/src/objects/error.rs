//! Errors of objects and of look-ups.

use std::fmt;

use text::{Path, Step};

/// A value that is not a Kubernetes object, or a duplicate object.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ObjectError {
    pub(crate) place: ObjectPlace,
    pub(crate) problem: ObjectProblem,
}

/// A place in one of the values that contain the objects.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ObjectPlace {
    /// The position of the value among those given.
    pub index: usize,
    /// The steps from the value to the place; empty for the value itself.
    pub steps: Vec<Step>,
}

/// The problem with an object.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum ObjectProblem {
    /// A field is missing or has another type; holds the expectation and the remedy.
    Unreadable(&'static str),
    /// The same object was given before, at another place.
    Duplicate {
        /// The object, as `v1 Pod shop/web`.
        object: String,
        /// The place of the first one.
        first: ObjectPlace,
    },
}

impl ObjectError {
    /// Returns the place of the object, or of a field in it.
    #[must_use]
    pub fn place(&self) -> &ObjectPlace {
        &self.place
    }

    /// Returns the message. `name` names each value by its position, for example by its file.
    #[must_use]
    pub fn describe(&self, name: &dyn Fn(usize) -> String) -> String {
        let place = self.place.describe(name);
        match &self.problem {
            ObjectProblem::Unreadable(problem) => format!("{place}: {problem}"),
            ObjectProblem::Duplicate { object, first } => {
                let first = first.describe(name);
                format!("{place}: {object} is a duplicate of {first}; remove one of the two")
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

/// A field `items` that kubectl does not read as its author means it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum ItemsError {
    /// An object has it.
    OfObject {
        /// The kind of the object.
        kind: String,
    },
    /// A list has another value in it.
    NoList,
}

impl fmt::Display for ItemsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ItemsError::OfObject { kind } => write!(
                f,
                "items: kubectl applies the items and not the {kind}; remove the field, or give the items in a List"
            ),
            ItemsError::NoList => f.write_str("items: expected a list of objects"),
        }
    }
}

impl std::error::Error for ItemsError {}

/// A failed look-up. Its message is the one that a module receives from the real host.
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
