//! Reasons why a dump cannot be audited.

use std::error::Error;
use std::fmt;

use admission::Fault;
use cluster_objects::LookupFailure;

/// A dump that cannot be audited.
///
/// The caller knows where the dump comes from and names it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum AuditError {
    /// The dump has no objects of the kind that the audit judges, so it is a dump of something
    /// else.
    NoObjects {
        /// The kind, of the core group.
        kind: &'static str,
        /// The command that creates a suitable dump.
        command: &'static str,
    },
    /// An object cannot be read; the fault names the object and the field.
    Unreadable(Fault),
    /// The objects cannot be listed.
    Lookup(LookupFailure),
}

impl fmt::Display for AuditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoObjects { kind, command } => {
                write!(f, "has no v1 {kind}; create the dump with {command} -o json")
            }
            Self::Unreadable(fault) => fault.fmt(f),
            Self::Lookup(failure) => failure.fmt(f),
        }
    }
}

impl Error for AuditError {}

impl From<Fault> for AuditError {
    fn from(fault: Fault) -> Self {
        Self::Unreadable(fault)
    }
}

impl From<LookupFailure> for AuditError {
    fn from(failure: LookupFailure) -> Self {
        Self::Lookup(failure)
    }
}
