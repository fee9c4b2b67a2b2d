//! The resource claims in the status of a pod, which the scheduler and a controller write.

use admission::{Fault, Node, Violations};

/// The fields of `status` that assign resource claims to a pod.
const FIELDS: [&str; 3] =
    ["extendedResourceClaimStatus", "nodeAllocatableResourceClaimStatuses", "resourceClaimStatuses"];

/// Adds a violation for each field of a status that assigns resource claims and that a node
/// changes. A node may read the claims of its pods, so it could otherwise read any claim.
///
/// Source: `admitPodStatus` of `NodeRestriction`.
pub(super) fn review<'d>(old: Node<'d>, new: Node<'d>, violations: &mut Violations<'d>) -> Result<(), Fault> {
    for field in FIELDS {
        let (old, new) = (old.at(field), new.at(field));
        let are_present = [old.is_present()?, new.is_present()?];
        if are_present != [false; 2] && !old.is_same(&new) {
            violations.forbid(
                new,
                "a node may not change the resource claims of a pod",
                "leave the field unchanged",
            );
        }
    }
    Ok(())
}
