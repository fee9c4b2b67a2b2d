//! The requesting user, as far as the policies about nodes distinguish users.
//!
//! Source: `NodeIdentity` of k8s.io/kubernetes/pkg/auth/nodeidentifier.

use admission::{Fault, Request, Violations};

/// The prefix of every node user's name.
const PREFIX: &str = "system:node:";
/// The group of all node users.
const GROUP: &str = "system:nodes";

/// The requesting user, classified.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Caller<'d> {
    /// Any user that is not a node user. The policies about nodes admit all of its requests.
    Other,
    /// A node user; the value is the name of its node.
    Node(&'d str),
    /// A member of the group `system:nodes` whose user name is the bare prefix `system:node:`. The
    /// in-tree plugin denies all of its requests.
    Nameless,
}

impl<'d> Caller<'d> {
    /// Classifies the requesting user. A node user has both the prefix and the group; both
    /// comparisons are case-sensitive.
    ///
    /// # Errors
    /// Returns a fault if the user name is not a string or the groups are not a list of strings.
    pub fn of(request: &Request<'d>) -> Result<Self, Fault> {
        let Some(name) = request.username()?.strip_prefix(PREFIX) else { return Ok(Caller::Other) };
        if !request.groups()?.contains(&GROUP) {
            return Ok(Caller::Other);
        }
        Ok(if name.is_empty() { Caller::Nameless } else { Caller::Node(name) })
    }
}

/// Returns the violation of a [nameless](Caller::Nameless) node user, located at the user name.
#[must_use]
pub fn nameless<'d>(request: &Request<'d>) -> Violations<'d> {
    let mut violations = Violations::default();
    violations.refuse(
        request.user(),
        "the name of a user in the group system:nodes must identify its node",
        "use credentials for system:node:NAME",
    );
    violations
}
