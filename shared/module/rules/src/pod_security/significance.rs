//! The updates of a pod that are evaluated.
//!
//! Source: `isSignificantPodUpdate` in `admission/admission.go` of k8s.io/pod-security-admission.

use admission::{Fault, Lookup};

use crate::view::{Container, ContainerKind, Pod};

/// Whether an update of a pod changes what the pod runs: the number of containers or init
/// containers, an image, or an ephemeral container. The other changes that the API server allows
/// cannot violate a standard.
pub(super) fn is_significant(old: Pod<'_>, new: Pod<'_>) -> Result<bool, Fault> {
    for kind in [ContainerKind::Container, ContainerKind::Init] {
        let (old, new) = (old.containers(kind)?, new.containers(kind)?);
        if old.len() != new.len() {
            return Ok(true);
        }
        for (old, new) in old.iter().zip(&new) {
            if old.image()? != new.image()? {
                return Ok(true);
            }
        }
    }
    let new = new.containers(ContainerKind::Ephemeral)?;
    if new.is_empty() {
        return Ok(false);
    }
    let known = names_and_images(&old.containers(ContainerKind::Ephemeral)?)?;
    let known = Lookup::of(known);
    Ok(names_and_images(&new)?.iter().any(|container| known.position(container).is_none()))
}

fn names_and_images<'d>(containers: &[Container<'d>]) -> Result<Vec<(&'d str, &'d str)>, Fault> {
    let mut found = Vec::new();
    for container in containers {
        found.push((container.name()?, container.image()?));
    }
    Ok(found)
}
