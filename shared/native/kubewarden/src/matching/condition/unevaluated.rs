//! Match conditions in a program without the interpreter of CEL: none has a value.

use std::collections::BTreeSet;
use std::marker::PhantomData;

use kubernetes::completion::Literals;
use serde_json::Value;

use crate::matching::condition_error::ConditionError;

/// A match condition that is not evaluated.
#[derive(Debug)]
pub struct Condition {
    name: String,
    text: String,
}

impl Condition {
    /// Notes a condition. The expression is not read.
    ///
    /// # Errors
    /// Does not fail.
    pub fn compile(name: &str, expression: &str) -> Result<Self, ConditionError> {
        Ok(Self { name: name.to_owned(), text: expression.to_owned() })
    }

    /// Does not evaluate, so there is no budget.
    #[expect(clippy::unused_self, reason = "the interpreter keeps the number")]
    pub(crate) fn share(&mut self, _: usize) {}

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text of the expression.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The expression is not read.
    #[expect(clippy::unused_self, reason = "the interpreter keeps the literals")]
    pub(crate) fn literals(&self) -> &Literals {
        static NONE: Literals = Literals { texts: BTreeSet::new(), integers: BTreeSet::new() };
        &NONE
    }

    pub(crate) const LIMIT: u64 = 0;

    pub(crate) fn spent() -> u64 {
        0
    }

    /// Returns that the value is not known.
    ///
    /// # Errors
    /// Always.
    pub fn holds(&self, _: &Variables<'_>) -> Result<bool, ConditionError> {
        let problem = "conditions are not evaluated by this program".to_owned();
        Err(ConditionError { condition: self.name.clone(), problem, is_unknown: true })
    }
}

/// The variables of conditions.
#[derive(Debug)]
pub struct Variables<'r>(PhantomData<&'r Value>);

impl<'r> Variables<'r> {
    /// Returns the variables for an `AdmissionRequest`.
    #[must_use]
    pub fn of(_: &'r Value) -> Self {
        Self(PhantomData)
    }

    #[expect(clippy::unused_self, reason = "the interpreter notes what it reads")]
    pub(crate) fn objects_are_read(&self) -> bool {
        false
    }
}
