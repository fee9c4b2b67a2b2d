//! `seLinuxOptions` of a pod and of its containers.
//!
//! Source: `SELinuxOptions`, `SecurityContext` and `PodSecurityContext` of the Kubernetes API.

use admission::{Fault, Node};

use crate::selinux::settings::Lifts;
use crate::selinux::text::filled;
use crate::view::{Container, ContainerPart, Pod};

/// The options that are set. An empty string counts as not set.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::selinux) struct Options<'d> {
    pub(super) user: Option<&'d str>,
    pub(super) role: Option<&'d str>,
    pub(super) type_name: Option<&'d str>,
    pub(super) level: Option<&'d str>,
}

/// A place for options: the pod, or one container. The options of a container replace those of the
/// pod as a whole.
#[derive(Clone, Copy, Debug)]
pub(in crate::selinux) struct Site<'d> {
    /// The pod's specification, or the container.
    holder: Node<'d>,
    pub(super) container: Option<Container<'d>>,
    /// The options of this site; `None` without an options object, which is not the same as an
    /// empty one.
    pub(in crate::selinux) options: Option<Options<'d>>,
    /// The rules that exemptions lift from the container.
    pub(super) lifts: Lifts,
    /// Whether an exemption lifts the rule for levels with other images only.
    pub(super) loses_level: bool,
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
            type_name: text("type")?,
            level: text("level")?,
        }))
    }

    /// User, role, type and level, empty where they are not set.
    pub(in crate::selinux) fn texts(self) -> [&'d str; 4] {
        [self.user, self.role, self.type_name, self.level].map(Option::unwrap_or_default)
    }
}

impl<'d> Site<'d> {
    pub(in crate::selinux) fn of_pod(pod: Pod<'d>) -> Result<Self, Fault> {
        let options = Options::of(pod.spec().entry("securityContext")?)?;
        Ok(Self { holder: pod.spec(), container: None, options, lifts: Lifts::default(), loses_level: false })
    }

    pub(in crate::selinux) fn of_container(container: Container<'d>) -> Result<Self, Fault> {
        let options = Options::of(container.part(ContainerPart::SecurityContext)?)?;
        Ok(Self {
            holder: container.place(),
            container: Some(container),
            options,
            lifts: Lifts::default(),
            loses_level: false,
        })
    }

    pub(in crate::selinux) fn at(&self, field: &'static str) -> Node<'d> {
        self.holder.at("securityContext").at("seLinuxOptions").at(field)
    }

    pub(in crate::selinux) fn level(&self) -> Option<&'d str> {
        self.options?.level
    }
}

/// Whether a container is privileged. Runtimes do not confine privileged containers.
pub(super) fn is_privileged(container: &Container<'_>) -> Result<bool, Fault> {
    let Some(context) = container.part(ContainerPart::SecurityContext)? else { return Ok(false) };
    match context.entry("privileged")? {
        Some(at) => Ok(at.boolean()? == Some(true)),
        None => Ok(false),
    }
}
