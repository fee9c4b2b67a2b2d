//! What an object does that it may not, in the API server's own words.

use std::borrow::Cow;
use std::fmt::{self, Write};

use crate::Node;

/// One thing that is not allowed, at one place.
///
/// Written as `field.Error` of apimachinery is, with the way out behind a semicolon:
/// `spec.externalIPs[0]: Invalid value: "192.0.2.1": what the rule is; what to do`.
///
/// It is a place, not yet a text: a path is written only for what a message lists.
#[derive(Clone, Debug)]
pub struct Violation<'d> {
    at: Node<'d>,
    kind: Kind,
    rule: Cow<'static, str>,
    remedy: Cow<'static, str>,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Invalid,
    Required,
    Forbidden,
}

impl<'d> Violation<'d> {
    /// A value that is not allowed; the message repeats it, so never for a value that may be secret.
    pub fn invalid(
        at: Node<'d>,
        rule: impl Into<Cow<'static, str>>,
        remedy: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self { at, kind: Kind::Invalid, rule: rule.into(), remedy: remedy.into() }
    }

    /// A value that has to be there and is not.
    pub fn required(
        at: Node<'d>,
        rule: impl Into<Cow<'static, str>>,
        remedy: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self { at, kind: Kind::Required, rule: rule.into(), remedy: remedy.into() }
    }

    /// A value that is not allowed and that no message may repeat.
    pub fn forbidden(
        at: Node<'d>,
        rule: impl Into<Cow<'static, str>>,
        remedy: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self { at, kind: Kind::Forbidden, rule: rule.into(), remedy: remedy.into() }
    }
}

impl fmt::Display for Violation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { at, kind, rule, remedy } = self;
        f.write_str(&at.path())?;
        match kind {
            Kind::Invalid => {
                f.write_str(": Invalid value: ")?;
                at.shown().fmt(f)?;
            }
            Kind::Required => f.write_str(": Required value")?,
            Kind::Forbidden => f.write_str(": Forbidden")?,
        }
        for part in [": ", rule, "; ", remedy] {
            f.write_str(part)?;
        }
        Ok(())
    }
}

/// All violations of a request, in document order.
#[derive(Clone, Debug, Default)]
pub struct Violations<'d> {
    listed: Vec<Violation<'d>>,
    more: usize,
}

impl<'d> Violations<'d> {
    /// The most that one message lists. What is above is counted: a message of megabytes helps nobody and
    /// does not fit into a report.
    pub const LISTED: usize = 1000;

    /// Adds a value that is not allowed; the message repeats it.
    pub fn refuse(&mut self, at: Node<'d>, rule: &'static str, remedy: &'static str) {
        self.add(at, Kind::Invalid, rule, remedy);
    }

    /// Adds a value that has to be there and is not.
    pub fn require(&mut self, at: Node<'d>, rule: &'static str, remedy: &'static str) {
        self.add(at, Kind::Required, rule, remedy);
    }

    /// Adds a value that is not allowed and that no message repeats.
    pub fn forbid(&mut self, at: Node<'d>, rule: &'static str, remedy: &'static str) {
        self.add(at, Kind::Forbidden, rule, remedy);
    }

    /// One function for the many places that find something, as a violation is large to build in each.
    #[inline(never)]
    fn add(&mut self, at: Node<'d>, kind: Kind, rule: &'static str, remedy: &'static str) {
        self.push(Violation { at, kind, rule: rule.into(), remedy: remedy.into() });
    }

    /// Adds one.
    pub fn push(&mut self, violation: Violation<'d>) {
        if self.listed.len() < Self::LISTED {
            self.listed.push(violation);
        } else {
            self.more = self.more.saturating_add(1);
        }
    }

    /// Whether a message lists no more: what is found from here on needs no text and is [counted](Self::count).
    #[must_use]
    pub fn are_full(&self) -> bool {
        self.listed.len() >= Self::LISTED
    }

    /// Counts one that no message lists.
    pub fn count(&mut self) {
        self.more = self.more.saturating_add(1);
    }

    /// How many there are beyond those that a message lists.
    #[must_use]
    pub fn more(&self) -> usize {
        self.more
    }

    /// The paths of those that a message lists.
    #[must_use]
    pub fn paths(&self) -> Vec<String> {
        self.listed.iter().map(|violation| violation.at.path()).collect()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.listed.is_empty()
    }
}

impl fmt::Display for Violations<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, violation) in self.listed.iter().enumerate() {
            if index > 0 {
                f.write_char('\n')?;
            }
            violation.fmt(f)?;
        }
        match self.more {
            0 => Ok(()),
            more => write!(f, "\n… and {more} more violations"),
        }
    }
}
