//! Outcomes: typed verdicts, with warnings and audit annotations.

use crate::verdict::Notes;
use crate::{Fault, Findings, Violations};

/// The outcome of evaluating a request.
///
/// [`evaluate`](crate::evaluate) returns it, and [`render`](crate::render) turns it into the
/// response of a module. `V` holds the violations: [`Violations`] while the document is available,
/// [`Findings`] without it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Outcome<V = Findings> {
    /// The verdict.
    pub decision: Decision<V>,
    pub(crate) notes: Option<Box<Notes>>,
}

/// The verdict on a request.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Decision<V = Findings> {
    /// Admitted without being evaluated, because the request does not match the policy.
    NotMatched,
    /// Admitted without changes.
    Admitted,
    /// Admitted with changes; holds the whole object as JSON.
    Mutated(String),
    /// Denied, with at least one violation.
    Denied(V),
    /// Denied because the request cannot be evaluated.
    Fault(Fault),
}

impl<V> Outcome<V> {
    pub(crate) fn new(decision: Decision<V>, notes: Option<Box<Notes>>) -> Self {
        Self { decision, notes }
    }

    /// Returns whether the request is admitted, with or without changes.
    #[must_use]
    pub fn is_admitted(&self) -> bool {
        matches!(self.decision, Decision::NotMatched | Decision::Admitted | Decision::Mutated(_))
    }

    /// Returns the warnings, which the API server shows to the client regardless of the verdict.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        self.notes.as_ref().map_or(&[], |notes| &notes.warnings.texts)
    }

    /// Returns the audit annotations by key. The API server prefixes each key with the name of the
    /// webhook.
    #[must_use]
    pub fn audit_annotations(&self) -> &[(&'static str, String)] {
        self.notes.as_ref().map_or(&[], |notes| &notes.audit_annotations)
    }
}

impl From<Outcome<Violations<'_>>> for Outcome {
    fn from(Outcome { decision, notes }: Outcome<Violations<'_>>) -> Self {
        let decision = match decision {
            Decision::NotMatched => Decision::NotMatched,
            Decision::Admitted => Decision::Admitted,
            Decision::Mutated(object) => Decision::Mutated(object),
            Decision::Denied(violations) => Decision::Denied(Findings::from(&violations)),
            Decision::Fault(fault) => Decision::Fault(fault),
        };
        Self { decision, notes }
    }
}
