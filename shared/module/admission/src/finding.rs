//! Findings: violations that do not borrow from the document.

use std::fmt;

use document::{Origin, Place};
use text::Step;

use crate::bounds::MESSAGE;
use crate::violation::{Kind, lines, write};
use crate::{Remedy, Violation, Violations};

/// A violation that does not borrow from the document, for reports and tools.
///
/// # Example
/// ```
/// use admission::{Finding, FindingKind, Remedy};
/// use text::Step;
///
/// let finding = Finding {
///     steps: ["request", "object", "spec", "hostPID"].map(|name| Step::Field(name.to_owned())).into(),
///     kind: FindingKind::Invalid { value: "true".into() },
///     rule: "Host Namespaces (baseline) allows only false".into(),
///     remedy: Remedy::REMOVE.into(),
///     id: "hostNamespaces",
/// };
/// assert_eq!(
///     finding.to_string(),
///     "spec.hostPID: Invalid value: true: Host Namespaces (baseline) allows only false; remove it",
/// );
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Finding {
    /// The steps to the value, from the root of the payload: `request`, `object`, `spec`, …
    pub steps: Vec<Step>,
    /// The kind of the finding, with the value if the message shows it.
    pub kind: FindingKind,
    /// The rule that the value violates, as a plain fact.
    pub rule: String,
    /// The remedy.
    pub remedy: Remedy,
    /// The id of the rule in the policy, one of [`Policy::RULES`](crate::Policy::RULES). It never
    /// changes, unlike the words.
    pub id: &'static str,
}

/// The kind of a finding, which is the `Type` of a `field.Error` in apimachinery.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum FindingKind {
    /// A value that is not allowed.
    Invalid {
        /// The value as the message shows it: a scalar as JSON, truncated if it is long, or the
        /// name of its type.
        value: String,
    },
    /// A required value that is missing.
    Required,
    /// A value that is not allowed and may be secret.
    Forbidden,
}

impl Finding {
    /// Returns the place of the value.
    #[must_use]
    pub fn place(&self) -> Place {
        Place { origin: Origin::Payload, steps: self.steps.clone() }
    }
}

impl From<&Violation<'_>> for Finding {
    fn from(violation: &Violation<'_>) -> Self {
        let Violation { at, kind, rule, remedy, id, .. } = violation;
        Self {
            steps: at.place().steps,
            kind: match kind {
                Kind::Invalid => FindingKind::Invalid { value: violation.shown() },
                Kind::Required => FindingKind::Required,
                Kind::Forbidden => FindingKind::Forbidden,
            },
            rule: rule.clone().into_owned(),
            remedy: remedy.clone(),
            id,
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, value) = match &self.kind {
            FindingKind::Invalid { value } => (Kind::Invalid, Some(value.as_str())),
            FindingKind::Required => (Kind::Required, None),
            FindingKind::Forbidden => (Kind::Forbidden, None),
        };
        write(f, &self.place().to_string(), kind, value, &self.rule, &self.remedy)
    }
}

/// The findings of a denied request, in document order.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Findings {
    /// The findings, at most [`Violations::LISTED`].
    pub listed: Vec<Finding>,
    /// The number of further violations, which are counted but not listed.
    pub more: usize,
}

impl From<&Violations<'_>> for Findings {
    fn from(violations: &Violations<'_>) -> Self {
        Self { listed: violations.listed.iter().map(Finding::from).collect(), more: violations.more() }
    }
}

impl Findings {
    /// Returns the lines of the message: one for each finding that [fits](crate::bounds::MESSAGE),
    /// and one for the number of further violations, if any.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let mut listed = self.listed.iter().map(|finding| finding as &dyn fmt::Display);
        lines(MESSAGE, &mut listed, self.more).texts
    }
}

/// Displays the message of the denial.
impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.lines().join("\n"))
    }
}
