//! The owner references of mirror pods.

use admission::{Fault, Json, Node, ObjectWriter, Remedy, Violations};

use super::lookups::Lookups;
use super::rule::{MIRROR_OWNER, MIRROR_OWNER_MISSING};
use crate::view::{OwnerReference, Pod};

const ONLY_THE_NODE: &str = "a mirror pod may be owned only by its Node";

/// Adds the violations in the owner references of a mirror pod. `required` tells whether a
/// reference must be present.
pub(super) fn review<'d>(
    pod: Pod<'d>,
    required: bool,
    lookups: &mut Lookups<'_>,
    violations: &mut Violations<'d>,
) -> Result<(), Fault> {
    let references = pod.metadata().owner_references();
    let mut items = references.items()?;
    let Some(first) = items.next() else {
        if required {
            violations.require(
                MIRROR_OWNER_MISSING,
                references,
                "a mirror pod must be owned by its Node",
                "use a kubelet of v1.17 or later, which sets the reference",
            );
        }
        return Ok(());
    };
    if items.next().is_some() {
        violations.forbid(MIRROR_OWNER, references, ONLY_THE_NODE, "remove the other references");
        return Ok(());
    }
    let owner = OwnerReference::of(first)?;
    // The Node is looked up only if the reference means the Node of the requesting user.
    if !review_fields(&owner, lookups.caller(), violations)? {
        return Ok(());
    }
    let node = lookups.node()?;
    if node.uid().is_none() {
        violations.refuse(
            MIRROR_OWNER,
            owner.name,
            "the cluster has no such Node",
            "register the node first",
        );
    } else if node.uid() != owner.uid.text()? {
        violations.refuse(
            MIRROR_OWNER,
            owner.uid,
            "this is not the current UID of the Node",
            "use the current UID, as the Node may have been recreated",
        );
    }
    Ok(())
}

/// Adds the violations in all fields except the UID, and returns whether there are none.
fn review_fields<'d>(
    owner: &OwnerReference<'d>,
    caller: &str,
    violations: &mut Violations<'d>,
) -> Result<bool, Fault> {
    let mut is_valid = true;
    let mut check = |holds: bool, at: Node<'d>, rule: &'static str, remedy: Remedy<&'static str>| {
        if !holds {
            is_valid = false;
            violations.refuse(MIRROR_OWNER, at, rule, remedy);
        }
    };
    check(owner.api_version.text()? == Some("v1"), owner.api_version, ONLY_THE_NODE, Remedy::set_text("v1"));
    check(owner.kind.text()? == Some("Node"), owner.kind, ONLY_THE_NODE, Remedy::set_text("Node"));
    check(owner.name.text()? == Some(caller), owner.name, ONLY_THE_NODE, "set the name of the node".into());
    check(
        owner.controller.boolean()? == Some(true),
        owner.controller,
        "the Node must be the controller, so that no other controller adopts the pod",
        Remedy::set_flag(true),
    );
    check(
        owner.block_owner_deletion.boolean()? != Some(true),
        owner.block_owner_deletion,
        "a mirror pod may not block the deletion of its Node",
        Remedy::REMOVE,
    );
    Ok(is_valid)
}

/// Returns whether a mirror pod has exactly one owner reference, a valid one to its Node.
pub(super) fn is_owned_by_its_node(pod: Pod<'_>, lookups: &mut Lookups<'_>) -> Result<bool, Fault> {
    let mut violations = Violations::default();
    review(pod, true, lookups, &mut violations)?;
    Ok(violations.is_empty())
}

/// Returns a list with one owner reference, to the given Node, as a kubelet writes it.
pub(super) fn reference(name: &str, uid: &str) -> Json {
    let object = ObjectWriter::new()
        .text("apiVersion", "v1")
        .raw("controller", "true")
        .text("kind", "Node")
        .text("name", name)
        .text("uid", uid);
    Json::array(&[object.into()])
}
