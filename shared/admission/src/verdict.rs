//! What a policy finds.

use crate::{Edits, Violations};

/// What becomes of a request.
///
/// There is no way to write an edit on a denied object.
#[derive(Debug)]
pub enum Verdict<'d> {
    /// Nothing to object to.
    Admit,
    /// At least one violation.
    Deny(Violations<'d>),
    /// Admitted with changes.
    Mutate(Edits),
}

impl<'d> From<Violations<'d>> for Verdict<'d> {
    fn from(violations: Violations<'d>) -> Self {
        if violations.is_empty() { Verdict::Admit } else { Verdict::Deny(violations) }
    }
}

impl From<Edits> for Verdict<'_> {
    fn from(edits: Edits) -> Self {
        if edits.is_empty() { Verdict::Admit } else { Verdict::Mutate(edits) }
    }
}
