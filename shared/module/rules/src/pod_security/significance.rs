//! Which updates of a pod are judged.
//!
//! Source: `isSignificantPodUpdate` of k8s.io/pod-security-admission/admission.

use admission::{Fault, Lookup};

use crate::view::{Container, ContainerKind, Pod};

/// Whether an update of a pod changes what it runs: the number of containers or init containers, an image, an
/// ephemeral container. Everything else that may be changed of a pod cannot break a standard.
///
/// # Errors
/// What cannot be read.
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
    let known = images(&old.containers(ContainerKind::Ephemeral)?)?;
    let known = Lookup::of(known);
    Ok(images(&new)?.iter().any(|container| known.position(container).is_none()))
}

/// Names and images.
fn images<'d>(containers: &[Container<'d>]) -> Result<Vec<(&'d str, &'d str)>, Fault> {
    let mut images = Vec::new();
    for container in containers {
        images.push((container.name()?, container.image()?));
    }
    Ok(images)
}
