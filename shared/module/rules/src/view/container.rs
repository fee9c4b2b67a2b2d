//! The containers of a pod.

use admission::{Choice, Fault, Node};

/// A container, init container or ephemeral container.
#[derive(Clone, Copy, Debug)]
pub struct Container<'d> {
    /// The list that the container is in.
    pub kind: ContainerKind,
    node: Node<'d>,
}

impl<'d> Container<'d> {
    pub(super) fn of(kind: ContainerKind, node: Node<'d>) -> Self {
        Self { kind, node }
    }

    /// Returns the place of the container.
    #[must_use]
    pub fn place(&self) -> Node<'d> {
        self.node
    }

    /// Returns a field of the container, or `None` if it is absent or null.
    ///
    /// # Errors
    /// Returns a fault if the container is not an object.
    pub fn part(&self, part: ContainerPart) -> Result<Option<Node<'d>>, Fault> {
        self.node.entry(part.field())
    }

    /// Returns `name`, empty if it is absent.
    ///
    /// # Errors
    /// Returns a fault if it is not a string.
    pub fn name(&self) -> Result<&'d str, Fault> {
        self.text("name")
    }

    /// Returns `image`, empty if it is absent.
    ///
    /// # Errors
    /// Returns a fault if it is not a string.
    pub fn image(&self) -> Result<&'d str, Fault> {
        self.text("image")
    }

    /// Returns a string field. It is read repeatedly, so an absent field must not add a place to
    /// the document each time, as `Node::at` would.
    fn text(&self, field: &str) -> Result<&'d str, Fault> {
        Ok(match self.node.entry(field)? {
            Some(text) => text.text()?.unwrap_or_default(),
            None => "",
        })
    }
}

/// A field of a container that rules read, other than its name and image.
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
    /// All parts.
    pub const ALL: [Self; 6] = [
        Self::SecurityContext,
        Self::Ports,
        Self::LivenessProbe,
        Self::ReadinessProbe,
        Self::StartupProbe,
        Self::Lifecycle,
    ];

    /// Returns the name of the field.
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

/// The list that a container is in, ordered as the Pod Security Standards visit the lists.
#[derive(Clone, Copy, Debug, Default, Eq, Ord, PartialEq, PartialOrd)]
pub enum ContainerKind {
    /// `initContainers`.
    Init,
    /// `containers`.
    #[default]
    Container,
    /// `ephemeralContainers`.
    Ephemeral,
}

impl Choice for ContainerKind {
    const VALUES: &'static [Self] = &[Self::Container, Self::Init, Self::Ephemeral];
    const NAMES: &'static [&'static str] = &["Container", "Init", "Ephemeral"];
}

impl ContainerKind {
    /// All kinds, in order.
    pub const ALL: [Self; 3] = [Self::Init, Self::Container, Self::Ephemeral];

    /// Returns the name of the list in a pod's `spec`.
    #[must_use]
    pub fn field(self) -> &'static str {
        match self {
            Self::Init => "initContainers",
            Self::Container => "containers",
            Self::Ephemeral => "ephemeralContainers",
        }
    }

    /// Returns the English name of one container, for messages.
    #[must_use]
    pub fn noun(self) -> &'static str {
        match self {
            Self::Init => "init container",
            Self::Container => "container",
            Self::Ephemeral => "ephemeral container",
        }
    }
}
