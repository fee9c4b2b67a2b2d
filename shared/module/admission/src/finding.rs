//! Findings: violations without the document that they were found in.

use std::fmt;

use document::{Origin, Place};
use text::Step;

use crate::violation::{Kind, write, write_more};
use crate::{Violation, Violations};

/// A violation for reports and tools.
///
/// # Example
/// ```
/// use admission::{Finding, FindingKind};
/// use text::Step;
///
/// let finding = Finding {
///     steps: ["request", "object", "spec", "hostPID"].map(|name| Step::Field(name.to_owned())).into(),
///     kind: FindingKind::Invalid { value: "true".into() },
///     rule: "Host Namespaces (baseline) allows only false".into(),
///     remedy: "remove it".into(),
///     check: Some("hostNamespaces"),
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
    /// The kind of finding, and the value where the message repeats it.
    pub kind: FindingKind,
    /// The rule that the value violates, as a fact.
    pub rule: String,
    /// The way out, in the imperative.
    pub remedy: String,
    /// The id of the check that found it, for policies that consist of checks; see
    /// [`PolicyEntry::controls`](crate::PolicyEntry::controls).
    pub check: Option<&'static str>,
}

/// The kind of a finding: `type` of `field.Error` in apimachinery.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum FindingKind {
    /// A value that is not allowed.
    Invalid {
        /// The value as the message shows it: a scalar as JSON, cut if it is long, or the name of its type.
        value: String,
    },
    /// A required value that is missing.
    Required,
    /// A value that is not allowed and that may be secret.
    Forbidden,
}

impl Finding {
    /// The place of the value.
    #[must_use]
    pub fn place(&self) -> Place {
        Place { origin: Origin::Payload, steps: self.steps.clone() }
    }
}

impl From<&Violation<'_>> for Finding {
    fn from(violation: &Violation<'_>) -> Self {
        let Violation { at, kind, rule, remedy, check } = violation;
        Self {
            steps: at.place().steps,
            kind: match kind {
                Kind::Invalid => FindingKind::Invalid { value: at.shown() },
                Kind::Required => FindingKind::Required,
                Kind::Forbidden => FindingKind::Forbidden,
            },
            rule: rule.clone().into_owned(),
            remedy: remedy.clone().into_owned(),
            check: *check,
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
        write(f, &self.place().to_string(), kind, value, [&self.rule, &self.remedy])
    }
}

/// The findings of a denied request, in document order.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Findings {
    /// The findings that the message lists, one line each.
    pub listed: Vec<Finding>,
    /// The number of further violations, which are counted and not listed.
    pub more: usize,
}

impl From<&Violations<'_>> for Findings {
    fn from(violations: &Violations<'_>) -> Self {
        Self { listed: violations.listed.iter().map(Finding::from).collect(), more: violations.more() }
    }
}

impl Findings {
    /// The lines of the message: a finding each, and the number of further ones if there are any.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let listed = self.listed.iter().map(ToString::to_string);
        let more = Some(self.more).filter(|more| *more > 0);
        listed.chain(more.map(|more| More(more).to_string())).collect()
    }
}

/// Written as the message of the denial.
impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.lines().join("\n"))
    }
}

/// The last line of a message that lists no more.
struct More(usize);

impl fmt::Display for More {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_more(f, self.0)
    }
}
