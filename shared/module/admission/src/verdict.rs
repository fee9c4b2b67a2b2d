//! What a policy finds.

use crate::{Edits, Violations};

/// What becomes of a request, and what the client and the audit log are told besides.
///
/// There is no way to write an edit on a denied object.
#[derive(Debug)]
pub struct Verdict<'d> {
    pub(crate) review: Review<'d>,
    /// Boxed, as most verdicts have none.
    pub(crate) notes: Option<Box<Notes>>,
}

/// What becomes of a request.
#[derive(Debug)]
pub(crate) enum Review<'d> {
    /// Nothing to object to.
    Admit,
    /// At least one violation.
    Deny(Violations<'d>),
    /// Admitted with changes.
    Mutate(Edits),
}

/// What the client and the audit log are told, whatever becomes of the request.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct Notes {
    pub(crate) warnings: Vec<String>,
    pub(crate) audit_annotations: Vec<(&'static str, String)>,
}

impl Verdict<'_> {
    /// Nothing to object to.
    #[must_use]
    pub fn admit() -> Self {
        Self::of(Review::Admit)
    }

    /// Adds a warning, which `kubectl` prints: one line, at most 120 characters where possible, as the API
    /// server asks of webhooks.
    ///
    /// Only for policies that are declared to take [notes](crate::Policy::EMITS_WARNINGS).
    #[must_use]
    pub fn warn(mut self, warning: String) -> Self {
        self.notes.get_or_insert_default().warnings.push(warning);
        self
    }

    /// Adds an annotation for the audit log, whose key the API server prefixes with the name of the webhook.
    ///
    /// Only for policies that are declared to take [notes](crate::Policy::EMITS_WARNINGS).
    #[must_use]
    pub fn annotate(mut self, key: &'static str, value: String) -> Self {
        self.notes.get_or_insert_default().audit_annotations.push((key, value));
        self
    }
}

impl<'d> Verdict<'d> {
    fn of(review: Review<'d>) -> Self {
        Self { review, notes: None }
    }
}

impl<'d> From<Violations<'d>> for Verdict<'d> {
    fn from(violations: Violations<'d>) -> Self {
        Self::of(if violations.is_empty() { Review::Admit } else { Review::Deny(violations) })
    }
}

impl From<Edits> for Verdict<'_> {
    fn from(edits: Edits) -> Self {
        Self::of(if edits.is_empty() { Review::Admit } else { Review::Mutate(edits) })
    }
}
