//! Reasons why a dump cannot be audited.

use std::error::Error;
use std::fmt;

use admission::Fault;
use kubernetes::objects::LookupFailure;

/// A dump that cannot be audited: an object that cannot be read, with its name and the field, or
/// objects that are missing or cannot be listed.
///
/// The caller knows where the dump comes from and names it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct AuditError(String);

impl AuditError {
    /// A dump of something else: it has no objects of the kind, of the core group, that the audit
    /// evaluates.
    pub(crate) fn no_objects(kind: &str, command: &str) -> Self {
        Self(format!("has no v1 {kind}; create the dump with {command} -o json"))
    }
}

impl fmt::Display for AuditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for AuditError {}

impl From<Fault> for AuditError {
    fn from(fault: Fault) -> Self {
        Self(fault.to_string())
    }
}

impl From<LookupFailure> for AuditError {
    fn from(failure: LookupFailure) -> Self {
        Self(failure.to_string())
    }
}
