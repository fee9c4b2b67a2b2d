//! The pod or template that a request is about.

use admission::{Fault, Lookup, Node, Request};

use super::site::Site;
use crate::view::{ContainerKind, Pod};

/// A pod or a template, and the request that it is from.
pub(super) struct Subject<'a, 'd> {
    pub(super) request: &'a Request<'d>,
    pub(super) kind: SubjectKind<'d>,
    /// The object of the request, or the stored pod if the request adds containers to it.
    pub(super) object: Node<'d>,
    pub(super) pod: Pod<'d>,
    pub(super) namespace: &'d str,
}

/// The effect of a request on a pod.
#[derive(Clone, Copy, Debug)]
pub(super) enum SubjectKind<'d> {
    NewPod,
    /// It writes a template, which need not be complete.
    Template,
    /// It adds ephemeral containers to a pod; this is the pod with them.
    ///
    /// Only the new containers are evaluated, and only they are read from this pod. The API server
    /// drops all other changes, but not before webhooks have changed the object.
    AddedContainers(Pod<'d>),
    /// It changes a pod; this is the pod before. Only images are evaluated, as options are
    /// immutable.
    NewImages(Pod<'d>),
}

impl<'d> Subject<'_, 'd> {
    pub(super) fn adds_containers(&self) -> bool {
        matches!(self.kind, SubjectKind::AddedContainers(_))
    }

    /// The containers to evaluate, each with its options.
    pub(super) fn sites(&self) -> Result<Vec<Site<'d>>, Fault> {
        let containers = match self.kind {
            SubjectKind::NewPod | SubjectKind::Template => self.pod.all_containers()?,
            SubjectKind::NewImages(old) => {
                let mut known = Vec::new();
                for container in old.all_containers()? {
                    known.push((container.name()?, container.image()?));
                }
                let known = Lookup::of(known);
                let mut changed = Vec::new();
                for container in self.pod.all_containers()? {
                    if known.position(&(container.name()?, container.image()?)).is_none() {
                        changed.push(container);
                    }
                }
                changed
            }
            SubjectKind::AddedContainers(new_pod) => {
                let mut known = Vec::new();
                for container in self.pod.containers(ContainerKind::Ephemeral)? {
                    known.push(container.name()?);
                }
                let known = Lookup::of(known);
                let mut new = Vec::new();
                for container in new_pod.containers(ContainerKind::Ephemeral)? {
                    if known.position(&container.name()?).is_none() {
                        new.push(container);
                    }
                }
                new
            }
        };
        containers.into_iter().map(Site::of_container).collect()
    }
}
