//! Groups of policies in a program without the interpreters of their expressions: no group has a
//! verdict.

use std::collections::BTreeMap;

use crate::member::{GroupVerdict, MemberVerdict};
use crate::policy::Module;

/// A group of policies whose expression is not evaluated.
#[derive(Debug)]
pub struct Group {
    expression: String,
    members: BTreeMap<String, Module>,
}

impl Group {
    /// Notes the expression and the members of a group. The expression is not read.
    ///
    /// # Errors
    /// Does not fail.
    pub fn new(expression: &str, members: BTreeMap<String, Module>) -> Result<Self, String> {
        Ok(Self { expression: expression.to_owned(), members })
    }

    /// The expression.
    #[must_use]
    pub fn expression(&self) -> &str {
        &self.expression
    }

    /// The members by name.
    #[must_use]
    pub fn members(&self) -> &BTreeMap<String, Module> {
        &self.members
    }

    /// Returns that the verdict is not known.
    #[must_use]
    pub fn evaluate(&self, _: &mut dyn FnMut(&str) -> MemberVerdict) -> GroupVerdict {
        GroupVerdict::Unknown("expressions of groups are not evaluated by this program".to_owned())
    }
}
