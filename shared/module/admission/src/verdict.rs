use crate::bounds::{ANNOTATION, Lines, WARNING, WARNINGS, cut};
use crate::{Edits, Violations};

/// The key of the audit annotation that names the rules for which a policy denies a request, or
/// would deny it in another mode.
pub const RULES: &str = "rules";

/// Returns the value of the annotation [`RULES`]: the names of rules, with commas between them, as
/// in `pod-security/hostNamespaces,pod-security/privileged`.
pub(crate) fn names_of_rules(policy: &str, rules: &[&'static str]) -> String {
    let mut names = String::new();
    for rule in rules {
        let comma = if names.is_empty() { "" } else { "," };
        for part in [comma, policy, "/", rule] {
            names.push_str(part);
        }
    }
    names
}

/// The verdict of a policy on a request, with warnings and audit annotations.
///
/// It cannot hold edits of an object that is denied.
#[derive(Debug)]
pub struct Verdict<'d> {
    pub(crate) review: Review<'d>,
    /// Boxed, because most verdicts have none.
    pub(crate) notes: Option<Box<Notes>>,
}

/// The verdict without warnings and audit annotations.
#[derive(Debug)]
pub(crate) enum Review<'d> {
    Admit,
    /// Denied, with at least one violation.
    Deny(Violations<'d>),
    Mutate(Edits),
}

/// The warnings for the client and the annotations for the audit log, regardless of the verdict.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Notes {
    pub(crate) warnings: Lines,
    pub(crate) audit_annotations: Vec<(&'static str, String)>,
}

impl Default for Notes {
    fn default() -> Self {
        Self { warnings: Lines::new(WARNINGS, "warnings"), audit_annotations: Vec::new() }
    }
}

impl Verdict<'_> {
    /// Creates a verdict that admits the request without changes.
    #[must_use]
    pub fn admit() -> Self {
        Self::of(Review::Admit)
    }

    /// Adds a warning, which `kubectl` prints: one line, if possible of at most 120 characters, as
    /// the API server recommends for webhooks. A longer one is cut at [`WARNING`], and warnings
    /// beyond [`WARNINGS`] are counted.
    #[must_use]
    pub fn warn(mut self, warning: String) -> Self {
        self.notes.get_or_insert_default().warnings.push(cut(warning, WARNING));
        self
    }

    /// Adds an annotation for the audit log. The API server prefixes its key with the name of the
    /// webhook. A value that is longer than [`ANNOTATION`] is cut.
    #[must_use]
    pub fn annotate(mut self, key: &'static str, value: String) -> Self {
        self.notes.get_or_insert_default().audit_annotations.push((key, cut(value, ANNOTATION)));
        self
    }
}

impl<'d> Verdict<'d> {
    /// Adds the audit annotation [`RULES`] with the rules for which the policy would deny the
    /// request in another mode, if there are any.
    #[must_use]
    pub fn would_deny(self, policy: &str, rules: &[&'static str]) -> Self {
        if rules.is_empty() { self } else { self.annotate(RULES, names_of_rules(policy, rules)) }
    }

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
