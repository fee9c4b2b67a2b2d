//! Why a request could not be judged.

use std::fmt::{self, Display as _};
use std::sync::Arc;

use text::{Path, Step};

/// A request, an answer of the cluster or a setting that cannot be read, or a look-up that failed.
///
/// A fault is not a verdict. `?` carries it to the one place that turns it into a denial (`judge` of the
/// crate `admission`), so the code cannot express "could not read it, admit it". A fault names the place
/// and the types, never a value: the value may be secret.
///
/// It is a pointer because every read returns one in its result, and a larger error would be copied there.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Fault(Arc<(Place, String)>);

/// Where a fault or a finding lies.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Place {
    /// The document that the steps start from.
    pub origin: Origin,
    /// The steps from the root of the document; none for the root itself.
    pub steps: Vec<Step>,
}

/// The document that a policy reads a value from; `S` is `&str` where the name is borrowed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Origin<S = String> {
    /// The payload of a `validate` call, `{"request": …, "settings": …}`.
    Payload,
    /// Settings alone, the payload of a `validate_settings` call.
    Settings,
    /// An answer of the cluster, by its name: `Namespace "shop"`.
    Lookup(S),
}

impl Origin<&str> {
    pub(crate) fn owned(self) -> Origin {
        match self {
            Origin::Payload => Origin::Payload,
            Origin::Settings => Origin::Settings,
            Origin::Lookup(name) => Origin::Lookup(name.to_owned()),
        }
    }
}

impl Fault {
    /// A fault at a place.
    pub fn new(place: Place, problem: impl Into<String>) -> Self {
        Self(Arc::new((place, problem.into())))
    }

    /// A fault in the payload, at a path from its root: `["request", "namespace"]`.
    #[cold]
    pub fn in_payload(fields: &[&str], problem: impl Into<String>) -> Self {
        let mut steps = Vec::with_capacity(fields.len());
        for field in fields {
            steps.push(Step::Field((*field).to_owned()));
        }
        Self::new(Place { origin: Origin::Payload, steps }, problem)
    }

    /// A fault of a look-up as a whole, such as `Namespace "shop"`.
    #[cold]
    pub fn in_lookup(name: String, problem: impl Into<String>) -> Self {
        Self::new(Place { origin: Origin::Lookup(name), steps: Vec::new() }, problem)
    }

    /// The place: a path in the request, the settings or an object of the cluster.
    #[must_use]
    pub fn place(&self) -> &Place {
        &self.0.0
    }

    /// The problem at the place, as a fragment: `expected an object, found a string`.
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
    /// Writes the place that some steps lead to, as messages do.
    ///
    /// As in `kubectl explain` and the API server's messages, paths in the object under review start at the
    /// object. The old object, other fields of the request, and objects of the cluster are named first.
    ///
    /// # Errors
    /// When the formatter fails.
    pub fn write(f: &mut fmt::Formatter<'_>, origin: &Origin, steps: &[Step]) -> fmt::Result {
        let mut borrowed = Vec::with_capacity(steps.len());
        for step in steps {
            borrowed.push(step.borrowed());
        }
        let steps = match (origin, borrowed.as_slice()) {
            (Origin::Payload, []) => return f.write_str("payload"),
            (Origin::Settings, []) => return f.write_str("settings"),
            (Origin::Payload, [Step::Field("request"), rest @ ..]) => match rest {
                [Step::Field("object"), inner @ ..] if !inner.is_empty() => inner,
                [Step::Field("oldObject"), ..] => rest,
                _ => borrowed.as_slice(),
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

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Self::write(f, &self.origin, &self.steps)
    }
}
