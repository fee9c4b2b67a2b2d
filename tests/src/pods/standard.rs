//! The levels and versions of the Pod Security Standards.

use std::fmt;

/// The newest minor version whose checks are known.
pub const NEWEST: u32 = 37;

pub use rules::pod_security::Level;

/// A version of the standards.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Version {
    /// The version `v1.N`.
    Minor(u32),
    /// The newest version.
    Latest,
}

impl Version {
    /// Returns the minor version whose checks apply.
    #[must_use]
    pub fn minor(self) -> u32 {
        match self {
            Self::Minor(minor) => minor.min(NEWEST),
            Self::Latest => NEWEST,
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Minor(minor) => write!(f, "v1.{minor}"),
            Self::Latest => f.write_str("latest"),
        }
    }
}
