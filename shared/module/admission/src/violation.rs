//! Violations, in the format of the API server.

use std::borrow::Cow;
use std::fmt;

use crate::bounds::{Lines, MESSAGE};
use crate::{Node, Quoted, Remedy};

/// A value, or a missing value, for which a policy denies a request.
///
/// A violation is displayed like a `field.Error` in apimachinery, with the remedy after a
/// semicolon: `spec.externalIPs[0]: Invalid value: "192.0.2.1": the rule; the remedy`.
///
/// It borrows from the document, so that only the paths of listed violations are computed.
/// [`Finding`](crate::Finding) is the same without the document.
#[derive(Clone, Debug)]
pub struct Violation<'d> {
    pub(crate) at: Node<'d>,
    pub(crate) kind: Kind,
    pub(crate) rule: Cow<'static, str>,
    pub(crate) remedy: Remedy,
    pub(crate) id: &'static str,
    part: Option<&'d str>,
}

/// The types of `field.Error` that policies use.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    Invalid,
    Required,
    Forbidden,
}

impl<'d> Violation<'d> {
    /// Creates a violation for a value that is not allowed. The message shows the value, so it must
    /// not be secret.
    pub fn invalid(
        id: &'static str,
        at: Node<'d>,
        rule: impl Into<Cow<'static, str>>,
        remedy: impl Into<Remedy>,
    ) -> Self {
        Self::new(id, at, Kind::Invalid, rule.into(), remedy.into())
    }

    /// Creates a violation for a required value that is missing.
    pub fn required(
        id: &'static str,
        at: Node<'d>,
        rule: impl Into<Cow<'static, str>>,
        remedy: impl Into<Remedy>,
    ) -> Self {
        Self::new(id, at, Kind::Required, rule.into(), remedy.into())
    }

    /// Creates a violation for a value that is not allowed and that no message shows.
    pub fn forbidden(
        id: &'static str,
        at: Node<'d>,
        rule: impl Into<Cow<'static, str>>,
        remedy: impl Into<Remedy>,
    ) -> Self {
        Self::new(id, at, Kind::Forbidden, rule.into(), remedy.into())
    }

    fn new(id: &'static str, at: Node<'d>, kind: Kind, rule: Cow<'static, str>, remedy: Remedy) -> Self {
        Self { at, kind, rule, remedy, id, part: None }
    }

    /// Returns the violation about a part of a text, such as one of several addresses in an
    /// annotation. The message shows the part instead of the whole text.
    #[must_use]
    pub fn about(mut self, part: &'d str) -> Self {
        self.part = Some(part);
        self
    }

    pub(crate) fn shown(&self) -> String {
        self.part.map_or_else(|| self.at.shown(), |part| Quoted(part).to_string())
    }
}

impl fmt::Display for Violation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { at, kind, rule, remedy, .. } = self;
        let value = match kind {
            Kind::Invalid => Some(self.shown()),
            Kind::Required | Kind::Forbidden => None,
        };
        write(f, &at.path(), *kind, value.as_deref(), rule, remedy)
    }
}

/// Writes a violation or a finding.
pub(crate) fn write(
    f: &mut fmt::Formatter<'_>,
    path: &str,
    kind: Kind,
    value: Option<&str>,
    rule: &str,
    remedy: &Remedy,
) -> fmt::Result {
    let kind = match kind {
        Kind::Invalid => ": Invalid value: ",
        Kind::Required => ": Required value",
        Kind::Forbidden => ": Forbidden",
    };
    let before = [path, kind, value.unwrap_or_default(), ": ", rule, "; "];
    before.into_iter().chain(remedy.parts()).try_for_each(|part| f.write_str(part))
}

/// The violations of a request, in document order.
#[derive(Clone, Debug, Default)]
pub struct Violations<'d> {
    pub(crate) listed: Vec<Violation<'d>>,
    more: usize,
    /// The ids of the rules of all violations, each once.
    rules: Vec<&'static str>,
}

impl<'d> Violations<'d> {
    /// The maximum number of violations that are listed; further ones are counted. A message lists
    /// as many of them as [fit](crate::bounds::MESSAGE).
    pub const LISTED: usize = 1000;

    /// Adds a value that is not allowed and that the message shows.
    pub fn refuse(
        &mut self,
        id: &'static str,
        at: Node<'d>,
        rule: &'static str,
        remedy: impl Into<Remedy<&'static str>>,
    ) {
        self.add(id, at, Kind::Invalid, rule, remedy.into());
    }

    /// Adds a required value that is missing.
    pub fn require(
        &mut self,
        id: &'static str,
        at: Node<'d>,
        rule: &'static str,
        remedy: impl Into<Remedy<&'static str>>,
    ) {
        self.add(id, at, Kind::Required, rule, remedy.into());
    }

    /// Adds a value that is not allowed and that no message shows.
    pub fn forbid(
        &mut self,
        id: &'static str,
        at: Node<'d>,
        rule: &'static str,
        remedy: impl Into<Remedy<&'static str>>,
    ) {
        self.add(id, at, Kind::Forbidden, rule, remedy.into());
    }

    /// One function for all callers, because a violation built in each of them would take more
    /// code.
    #[inline(never)]
    fn add(
        &mut self,
        id: &'static str,
        at: Node<'d>,
        kind: Kind,
        rule: &'static str,
        remedy: Remedy<&'static str>,
    ) {
        self.push(Violation::new(id, at, kind, rule.into(), remedy.into()));
    }

    /// Adds a violation.
    pub fn push(&mut self, violation: Violation<'d>) {
        if self.are_full() {
            self.count(violation.id);
        } else {
            self.note(violation.id);
            self.listed.push(violation);
        }
    }

    /// Returns whether a message cannot list more violations. Further ones need no text and are
    /// [counted](Self::count).
    #[must_use]
    pub fn are_full(&self) -> bool {
        self.listed.len() >= Self::LISTED
    }

    /// Counts a violation of a rule that no message lists.
    pub fn count(&mut self, id: &'static str) {
        self.note(id);
        self.more = self.more.saturating_add(1);
    }

    fn note(&mut self, id: &'static str) {
        if !self.rules.contains(&id) {
            self.rules.push(id);
        }
    }

    /// Returns the ids of the rules of all violations, each once.
    #[must_use]
    pub fn rules(&self) -> &[&'static str] {
        &self.rules
    }

    /// Returns the number of violations beyond those that a message lists.
    #[must_use]
    pub fn more(&self) -> usize {
        self.more
    }

    /// Returns the paths of the listed violations.
    #[must_use]
    pub fn paths(&self) -> Vec<String> {
        self.listed.iter().map(|violation| violation.at.path()).collect()
    }

    /// Adds the violations of another list.
    pub fn append(&mut self, other: Self) {
        for violation in other.listed {
            self.push(violation);
        }
        for id in other.rules {
            self.note(id);
        }
        self.more = self.more.saturating_add(other.more);
    }

    /// Returns the text of the violations in at most `bound` bytes, with a line each: those that
    /// fit, and the number of the others.
    #[must_use]
    pub fn within(&self, bound: usize) -> String {
        let mut listed = self.listed.iter().map(|violation| violation as &dyn fmt::Display);
        lines(bound, &mut listed, self.more).join()
    }

    /// Returns whether there are no violations.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.listed.is_empty()
    }
}

impl fmt::Display for Violations<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.within(MESSAGE))
    }
}

/// Returns lines of at most `bound` bytes in all: the violations that fit, and the number of the
/// others.
pub(crate) fn lines(
    bound: usize,
    listed: &mut dyn Iterator<Item = &'_ dyn fmt::Display>,
    more: usize,
) -> Lines {
    /// The capacity that suffices for most lines.
    const LINE: usize = 256;
    let mut lines = Lines::new(bound, "violations");
    for violation in listed {
        let mut line = String::with_capacity(LINE);
        // A string takes every text.
        let _ = fmt::write(&mut line, format_args!("{violation}"));
        lines.push(line);
    }
    lines.count(more);
    lines
}
