//! The containers of a pod.

use admission::{Fault, Node};

/// A container of any of the three lists.
#[derive(Clone, Copy, Debug)]
pub struct Container<'d> {
    /// The list that it is in.
    pub kind: ContainerKind,
    node: Node<'d>,
}

impl<'d> Container<'d> {
    pub(super) fn of(kind: ContainerKind, node: Node<'d>) -> Self {
        Self { kind, node }
    }

    /// The place of the container.
    #[must_use]
    pub fn place(&self) -> Node<'d> {
        self.node
    }

    /// A part of it, if it is there.
    ///
    /// # Errors
    /// When the container is no object.
    pub fn part(&self, part: ContainerPart) -> Result<Option<Node<'d>>, Fault> {
        self.node.entry(part.field())
    }

    /// `name`.
    ///
    /// # Errors
    /// When it is no string.
    pub fn name(&self) -> Result<&'d str, Fault> {
        self.text("name")
    }

    /// `image`.
    ///
    /// # Errors
    /// When it is no string.
    pub fn image(&self) -> Result<&'d str, Fault> {
        self.text("image")
    }

    /// A text that is asked for over and over; what is not there leaves nothing behind in the document.
    fn text(&self, field: &str) -> Result<&'d str, Fault> {
        Ok(match self.node.entry(field)? {
            Some(text) => text.text()?.unwrap_or_default(),
            None => "",
        })
    }
}

/// What rules read of a container besides its name and image.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ContainerPart {
    /// `securityContext`.
    SecurityContext,
    /// `ports`.
    Ports,
    /// `livenessProbe`.
    LivenessProbe,
    /// `readinessProbe`.
    ReadinessProbe,
    /// `startupProbe`.
    StartupProbe,
    /// `lifecycle`.
    Lifecycle,
}

impl ContainerPart {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::SecurityContext,
        Self::Ports,
        Self::LivenessProbe,
        Self::ReadinessProbe,
        Self::StartupProbe,
        Self::Lifecycle,
    ];

    /// The field of a container.
    #[must_use]
    pub fn field(self) -> &'static str {
        match self {
            Self::SecurityContext => "securityContext",
            Self::Ports => "ports",
            Self::LivenessProbe => "livenessProbe",
            Self::ReadinessProbe => "readinessProbe",
            Self::StartupProbe => "startupProbe",
            Self::Lifecycle => "lifecycle",
        }
    }
}

/// The three lists of containers, in the order in which the standard visits them.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum ContainerKind {
    /// `initContainers`.
    Init,
    /// `containers`.
    Container,
    /// `ephemeralContainers`.
    Ephemeral,
}

impl ContainerKind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Init, Self::Container, Self::Ephemeral];

    /// The field of a pod's specification that lists them.
    #[must_use]
    pub fn field(self) -> &'static str {
        match self {
            Self::Init => "initContainers",
            Self::Container => "containers",
            Self::Ephemeral => "ephemeralContainers",
        }
    }

    /// What one is called in a sentence.
    #[must_use]
    pub fn noun(self) -> &'static str {
        match self {
            Self::Init => "init container",
            Self::Container => "container",
            Self::Ephemeral => "ephemeral container",
        }
    }
}
