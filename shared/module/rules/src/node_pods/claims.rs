//! The resource claims in the status of a pod, which the scheduler and a controller write.

use admission::{Fault, Node, Violations};

use super::rule;

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
        let are_set = [is_set(&old)?, is_set(&new)?];
        if are_set != [false; 2] && !old.is_same(&new) {
            violations.forbid(
                rule::RESOURCE_CLAIM,
                new,
                "a node may not change the resource claims of a pod",
                "leave the field unchanged",
            );
        }
    }
    Ok(())
}

/// Returns whether a field has a value. An empty list equals an absent one.
fn is_set(field: &Node<'_>) -> Result<bool, Fault> {
    let is_empty = field.items().is_ok_and(|mut items| items.next().is_none());
    Ok(field.is_present()? && !is_empty)
}
