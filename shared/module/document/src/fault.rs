//! Why a request could not be judged.

use std::fmt;

/// A request, an answer of the cluster or a setting that cannot be read, or a look-up that failed.
///
/// A fault is not a verdict. `?` carries it to the one place that turns it into a denial (`evaluate` of the
/// crate `admission`), so there is no way to write "could not read it, admit it". It names the place and the
/// types, never a value: the value may be secret.
///
/// It is a pointer: every read may fail, and a larger error would be moved about wherever one is asked for.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Fault(Box<(String, String)>);

impl Fault {
    /// A fault at a place.
    pub fn new(path: impl Into<String>, problem: impl Into<String>) -> Self {
        Self(Box::new((path.into(), problem.into())))
    }

    /// Where: a path in the request, the settings or an object of the cluster.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.0.0
    }

    /// What is wrong there, as a fragment: `expected an object, found a string`.
    #[must_use]
    pub fn problem(&self) -> &str {
        &self.0.1
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path(), self.problem())
    }
}

impl std::error::Error for Fault {}
