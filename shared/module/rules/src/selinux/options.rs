//! `seLinuxOptions` of a pod and of its containers.

use admission::{Fault, Node};

use crate::view::{Container, ContainerPart, Pod};

/// What is set; an empty string is not.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Options<'d> {
    pub(super) user: Option<&'d str>,
    pub(super) role: Option<&'d str>,
    pub(super) kind: Option<&'d str>,
    pub(super) level: Option<&'d str>,
}

/// Where options are or would be: the pod, or a container. Those of a container take the place of the pod's as a whole.
#[derive(Clone, Copy, Debug)]
pub(super) struct Site<'d> {
    /// The pod's specification or the container.
    holder: Node<'d>,
    pub(super) container: Option<Container<'d>>,
    /// What is there; `None` where there is no object, though it may be empty.
    pub(super) own: Option<Options<'d>>,
}

impl<'d> Options<'d> {
    fn of(context: Option<Node<'d>>) -> Result<Option<Self>, Fault> {
        let Some(context) = context else { return Ok(None) };
        let Some(options) = context.entry("seLinuxOptions")? else { return Ok(None) };
        options.object()?;
        let text = |field: &str| filled(options.entry(field)?);
        Ok(Some(Self {
            user: text("user")?,
            role: text("role")?,
            kind: text("type")?,
            level: text("level")?,
        }))
    }
}

impl<'d> Site<'d> {
    /// The pod's.
    ///
    /// # Errors
    /// What cannot be read.
    pub(super) fn of_pod(pod: Pod<'d>) -> Result<Self, Fault> {
        let own = Options::of(pod.spec().entry("securityContext")?)?;
        Ok(Self { holder: pod.spec(), container: None, own })
    }

    /// A container's.
    ///
    /// # Errors
    /// What cannot be read.
    pub(super) fn of_container(container: Container<'d>) -> Result<Self, Fault> {
        let own = Options::of(container.part(ContainerPart::SecurityContext)?)?;
        Ok(Self { holder: container.place(), container: Some(container), own })
    }

    /// A field of the options.
    pub(super) fn at(&self, field: &'static str) -> Node<'d> {
        self.holder.at("securityContext").at("seLinuxOptions").at(field)
    }
}

/// The text at a place that may not be there, if it is not empty.
///
/// # Errors
/// When it has another type.
pub(super) fn filled(at: Option<Node<'_>>) -> Result<Option<&str>, Fault> {
    match at {
        Some(at) => at.filled_text(),
        None => Ok(None),
    }
}

/// Whether a container is privileged, so that runtimes confine it in nothing.
///
/// # Errors
/// What cannot be read.
pub(super) fn is_privileged(container: &Container<'_>) -> Result<bool, Fault> {
    let Some(context) = container.part(ContainerPart::SecurityContext)? else { return Ok(false) };
    match context.entry("privileged")? {
        Some(at) => Ok(at.boolean()? == Some(true)),
        None => Ok(false),
    }
}
