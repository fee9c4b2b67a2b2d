//! Owner references of mirror pods.

use admission::{Fault, Json, Node, ObjectWriter, Violations};

use super::answers::Answers;
use crate::view::{OwnerReference, Pod};

/// The rule that most of the others spell out.
const ALONE: &str = "a mirror pod may be owned by its Node alone";

/// Adds what is wrong with the owner references of a mirror pod.
pub(super) fn judge<'d>(
    pod: Pod<'d>,
    required: bool,
    answers: &mut Answers<'_>,
    violations: &mut Violations<'d>,
) -> Result<(), Fault> {
    let references = pod.metadata().owner_references();
    let mut items = references.items()?;
    let Some(first) = items.next() else {
        if required {
            violations.require(
                references,
                "a mirror pod has to be owned by its Node",
                "use a kubelet of v1.17 or newer, which sets the reference",
            );
        }
        return Ok(());
    };
    if items.next().is_some() {
        violations.forbid(references, ALONE, "remove the other references");
        return Ok(());
    }
    let owner = OwnerReference::of(first)?;
    let caller = answers.caller();
    let mut fits = true;
    let mut object = |fine: bool, at: Node<'d>, rule: &'static str, remedy: &'static str| {
        if !fine {
            fits = false;
            violations.refuse(at, rule, remedy);
        }
    };
    object(owner.api_version.text()? == Some("v1"), owner.api_version, ALONE, "write v1");
    object(owner.kind.text()? == Some("Node"), owner.kind, ALONE, "write Node");
    object(owner.name.text()? == Some(caller), owner.name, ALONE, "give the name of the node");
    object(
        owner.controller.boolean()? == Some(true),
        owner.controller,
        "the Node has to be the controller, so that no other controller adopts the pod",
        "write true",
    );
    object(
        owner.block_owner_deletion.boolean()? != Some(true),
        owner.block_owner_deletion,
        "a mirror pod may not block the deletion of its Node",
        "remove it",
    );
    // The verdict depends on the Node only if it is the Node that is meant.
    if fits {
        let node = answers.node()?;
        if node.uid().is_none() {
            violations.refuse(owner.name, "the cluster has no such Node", "register the node first");
        } else if node.uid() != owner.uid.text()? {
            violations.refuse(
                owner.uid,
                "this is not the UID of the Node",
                "give the UID of the Node as it is now; it may have been created anew",
            );
        }
    }
    Ok(())
}

/// Whether the reference to the Node is there and nothing else.
pub(super) fn are_right(pod: Pod<'_>, answers: &mut Answers<'_>) -> Result<bool, Fault> {
    let mut violations = Violations::default();
    judge(pod, true, answers, &mut violations)?;
    Ok(violations.is_empty())
}

/// Whether two lists are the same; an absent one is an empty one.
pub(super) fn are_the_same(old: Node<'_>, new: Node<'_>) -> Result<bool, Fault> {
    let (mut old, mut new) = (old.items()?, new.items()?);
    loop {
        match (old.next(), new.next()) {
            (None, None) => return Ok(true),
            (Some(old), Some(new)) if OwnerReference::of(old)?.is(&OwnerReference::of(new)?)? => {}
            _ => return Ok(false),
        }
    }
}

/// The reference to a Node, as a kubelet writes it.
pub(super) fn reference(name: &str, uid: &str) -> Json {
    let object = ObjectWriter::new()
        .text("apiVersion", "v1")
        .raw("controller", "true")
        .text("kind", "Node")
        .text("name", name)
        .text("uid", uid);
    Json::array(&[object.into()])
}
