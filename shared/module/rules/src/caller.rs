//! Who asks, as far as the rules about nodes tell users apart.
//!
//! Source: `NodeIdentity` of k8s.io/kubernetes/pkg/auth/nodeidentifier.

use admission::{Fault, Request, Violations};

/// What every name of a node user begins with.
const PREFIX: &str = "system:node:";
/// The group of node users.
const GROUP: &str = "system:nodes";

/// Who asks.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Caller<'d> {
    /// Anybody but a node: none of the business of rules about nodes.
    Other,
    /// The node with this name.
    Node(&'d str),
    /// A user of the group whose name names no node; in-tree refuses it everything.
    Nameless,
}

impl<'d> Caller<'d> {
    /// Tells who asks. A node has the prefix and the group, both, exactly.
    ///
    /// # Errors
    /// When the user cannot be read.
    pub fn of(request: &Request<'d>) -> Result<Self, Fault> {
        let Some(name) = request.username()?.strip_prefix(PREFIX) else { return Ok(Caller::Other) };
        if !request.groups()?.contains(&GROUP) {
            return Ok(Caller::Other);
        }
        Ok(if name.is_empty() { Caller::Nameless } else { Caller::Node(name) })
    }
}

/// The refusal of a node user without a name.
#[must_use]
pub fn nameless<'d>(request: &Request<'d>) -> Violations<'d> {
    let mut violations = Violations::default();
    violations.refuse(
        request.user(),
        "a user of the group system:nodes has to name its node",
        "use credentials for system:node:NAME",
    );
    violations
}
