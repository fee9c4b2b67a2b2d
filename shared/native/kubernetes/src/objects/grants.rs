//! Look-ups that a policy may not make.

use admission::Unreachable;

/// Returns the answer to the look-up of a kind that a policy may not look up, in the words of the
/// policy server.
#[must_use]
pub fn not_granted(api_version: &str, kind: &str) -> Unreachable {
    Unreachable(format!(
        "Policy has not been granted access to Kubernetes {api_version}/{kind} resources. The violation has been \
         reported."
    ))
}
