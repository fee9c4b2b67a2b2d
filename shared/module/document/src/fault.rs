//! Faults: the reasons why a request cannot be evaluated.

use std::fmt::{self, Display as _};
use std::sync::Arc;

use text::{Path, Step};

/// A request, cluster answer or setting that cannot be read, or a look-up that failed.
///
/// A fault is not a verdict. `?` carries it to `evaluate` of the crate `admission`, the only place
/// that turns it into a denial, so that no code can admit a request that it could not read. A fault
/// names the place and the types, never a value, because the value may be secret.
///
/// It is a pointer because the result of every read can hold one, and a larger error would be
/// copied with each result.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Fault(Arc<(Place, String)>);

/// The place of a fault or a finding.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Place {
    /// The document that the steps start from.
    pub origin: Origin,
    /// The steps from the root of the document; empty for the root itself.
    pub steps: Vec<Step>,
}

/// The document that a policy reads a value from; `S` is `&str` where the name is borrowed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Origin<S = String> {
    /// The payload of a `validate` call, `{"request": …, "settings": …}`.
    Payload,
    /// The settings alone, which are the payload of a `validate_settings` call.
    Settings,
    /// A cluster answer, by name: `Namespace "shop"`.
    Lookup(S),
}

impl Origin<&str> {
    #[cold]
    #[inline(never)]
    pub(crate) fn owned(self) -> Origin {
        match self {
            Origin::Payload => Origin::Payload,
            Origin::Settings => Origin::Settings,
            Origin::Lookup(name) => Origin::Lookup(name.to_owned()),
        }
    }
}

impl Fault {
    /// Creates a fault at a place. The problem is a fragment: `expected an object, found a string`.
    pub fn new(place: Place, problem: impl Into<String>) -> Self {
        Self::of(place, problem.into())
    }

    #[cold]
    #[inline(never)]
    fn of(place: Place, problem: String) -> Self {
        Self(Arc::new((place, problem)))
    }

    /// Creates a fault in the payload, at a path from its root: `["request", "namespace"]`.
    #[cold]
    #[inline(never)]
    #[must_use]
    pub fn in_payload(fields: &[&str], problem: &str) -> Self {
        let mut steps = Vec::with_capacity(fields.len());
        for field in fields {
            steps.push(Step::Field((*field).to_owned()));
        }
        Self::new(Place { origin: Origin::Payload, steps }, problem)
    }

    /// Creates a fault of a whole look-up, such as `Namespace "shop"`.
    #[cold]
    pub fn in_lookup(name: String, problem: impl Into<String>) -> Self {
        Self::new(Place { origin: Origin::Lookup(name), steps: Vec::new() }, problem)
    }

    /// Returns the place: a path in the request, the settings or an object of the cluster.
    #[must_use]
    pub fn place(&self) -> &Place {
        &self.0.0
    }

    /// Returns the problem at the place, as a fragment: `expected an object, found a string`.
    #[must_use]
    pub fn problem(&self) -> &str {
        &self.0.1
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.place().fmt(f)?;
        f.write_str(": ")?;
        f.write_str(self.problem())
    }
}

impl std::error::Error for Fault {}

impl Place {
    /// Writes the place at the end of some steps, as messages show it.
    ///
    /// As in `kubectl explain` and the messages of the API server, paths in the object under review
    /// start at the object. Other paths start with the old object, the field of the request, or the
    /// name of the look-up.
    ///
    /// # Errors
    /// Returns an error if the formatter fails.
    pub fn write(f: &mut fmt::Formatter<'_>, origin: &Origin, steps: &[Step]) -> fmt::Result {
        let mut borrowed = Vec::with_capacity(steps.len());
        for step in steps {
            borrowed.push(step.borrowed());
        }
        let origin = match origin {
            Origin::Payload => Origin::Payload,
            Origin::Settings => Origin::Settings,
            Origin::Lookup(name) => Origin::Lookup(name.as_str()),
        };
        BorrowedPlace { origin, steps: borrowed }.fmt(f)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Self::write(f, &self.origin, &self.steps)
    }
}

pub(crate) struct BorrowedPlace<'a> {
    pub(crate) origin: Origin<&'a str>,
    pub(crate) steps: Vec<Step<&'a str>>,
}

impl fmt::Display for BorrowedPlace<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = self.steps.as_slice();
        let steps = match (self.origin, all) {
            (Origin::Payload, []) => return f.write_str("payload"),
            (Origin::Settings, []) => return f.write_str("settings"),
            (Origin::Payload, [Step::Field("request"), rest @ ..]) => match rest {
                [Step::Field("object"), inner @ ..] if !inner.is_empty() => inner,
                [Step::Field("oldObject"), ..] => rest,
                _ => all,
            },
            (Origin::Payload | Origin::Settings, steps) => steps,
            (Origin::Lookup(name), steps) => {
                f.write_str(name)?;
                if !steps.is_empty() {
                    f.write_str(": ")?;
                }
                steps
            }
        };
        Path(steps).fmt(f)
    }
}
