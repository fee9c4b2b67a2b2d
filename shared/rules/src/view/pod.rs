//! `v1` Pod, and the pod templates of the kinds that make pods.

use admission::{Fault, Node, Shape};

use super::Metadata;

/// A Pod, or the template of one.
#[derive(Clone, Copy, Debug)]
pub struct Pod<'d>(Node<'d>);

/// The shape of a pod's specification, with further fields.
macro_rules! spec {
    ($($more:expr),*) => {
        Shape::Fields(&[
            ("containers", CONTAINERS),
            ("ephemeralContainers", CONTAINERS),
            ("hostIPC", Shape::ALL),
            ("hostNetwork", Shape::ALL),
            ("hostPID", Shape::ALL),
            ("hostUsers", Shape::ALL),
            ("initContainers", CONTAINERS),
            ("os", Shape::Fields(&[("name", Shape::ALL)])),
            ("runtimeClassName", Shape::ALL),
            ("securityContext", POD_SECURITY_CONTEXT),
            ("serviceAccount", Shape::ALL),
            ("serviceAccountName", Shape::ALL),
            ("volumes", VOLUMES),
            $($more),*
        ])
    };
}

impl<'d> Pod<'d> {
    /// What is read of a Pod that a node writes.
    pub const WRITTEN_BY_NODE: Shape<'static> = Shape::Fields(&[
        (
            "metadata",
            Shape::Fields(&[
                ("annotations", Shape::ALL),
                ("labels", Shape::ALL),
                ("namespace", Shape::ALL),
                ("ownerReferences", Metadata::OWNERS),
            ]),
        ),
        ("spec", Shape::Fields(&[("nodeName", Shape::ALL)])),
    ]);

    /// What is read of a pod, or a template of one, that is held against the Pod Security Standards.
    pub const SECURED: Shape<'static> = Shape::Fields(&[("metadata", METADATA), ("spec", spec!())]);

    /// The same of the object that has it: a Pod, or any kind with a template (see
    /// [`template`](Self::template)).
    pub const SECURED_IN_ANY_KIND: Shape<'static> = Shape::Fields(&[
        ("metadata", METADATA),
        (
            "spec",
            spec!(
                ("jobTemplate", Shape::Fields(&[("spec", Shape::Fields(&[("template", Self::SECURED)]))])),
                ("template", Self::SECURED)
            ),
        ),
        ("template", Self::SECURED),
    ]);

    /// The view of an object, present or not.
    #[must_use]
    pub fn of(object: Node<'d>) -> Self {
        Self(object)
    }

    /// Where a kind has its pod template: the steps from the object to it, none for a Pod.
    ///
    /// # Example
    /// ```
    /// assert_eq!(rules::view::Pod::template("CronJob"), ["spec", "jobTemplate", "spec", "template"]);
    /// ```
    #[must_use]
    pub fn template(kind: &str) -> &'static [&'static str] {
        match kind {
            "Pod" => &[],
            "PodTemplate" => &["template"],
            "CronJob" => &["spec", "jobTemplate", "spec", "template"],
            _ => &["spec", "template"],
        }
    }

    /// The pod in an object of a kind.
    #[must_use]
    pub fn in_object(object: Node<'d>, kind: &str) -> Self {
        Self(Self::template(kind).iter().fold(object, |at, step| at.at(step)))
    }

    /// Whether another pod of the same request has the same in all that is read of it.
    #[must_use]
    pub fn is_same(&self, other: Self) -> bool {
        self.0.is_same(&other.0)
    }

    /// `metadata`.
    #[must_use]
    pub fn metadata(&self) -> Metadata<'d> {
        Metadata::of(self.0)
    }

    /// `spec.nodeName`.
    #[must_use]
    pub fn node_name(&self) -> Node<'d> {
        self.0.at("spec").at("nodeName")
    }

    /// `spec`.
    #[must_use]
    pub fn spec(&self) -> Node<'d> {
        self.0.at("spec")
    }

    /// `spec.hostUsers`.
    #[must_use]
    pub fn host_users(&self) -> Node<'d> {
        self.0.at("spec").at("hostUsers")
    }

    /// `spec.os.name`.
    #[must_use]
    pub fn os_name(&self) -> Node<'d> {
        self.0.at("spec").at("os").at("name")
    }

    /// `spec.runtimeClassName`.
    #[must_use]
    pub fn runtime_class_name(&self) -> Node<'d> {
        self.0.at("spec").at("runtimeClassName")
    }

    /// `spec.serviceAccountName`.
    #[must_use]
    pub fn service_account_name(&self) -> Node<'d> {
        self.0.at("spec").at("serviceAccountName")
    }

    /// `spec.serviceAccount`, the older name of the same.
    #[must_use]
    pub fn service_account(&self) -> Node<'d> {
        self.0.at("spec").at("serviceAccount")
    }

    /// The elements of `spec.volumes`.
    ///
    /// # Errors
    /// What is no list of objects.
    pub fn volumes(&self) -> Result<Vec<Node<'d>>, Fault> {
        objects(self.0.at("spec").at("volumes"))
    }

    /// The containers of one list.
    ///
    /// # Errors
    /// What is no list of objects, or a longer one than any that is stored.
    pub fn containers(&self, kind: ContainerKind) -> Result<Vec<Container<'d>>, Fault> {
        let mut containers = Vec::new();
        let list = self.0.at("spec").at(kind.field());
        let nodes = objects(list)?;
        if nodes.len() > MOST_CONTAINERS {
            return Err(list.fault("expected at most 65536 containers"));
        }
        for node in nodes {
            containers.push(Container::of(kind, node)?);
        }
        Ok(containers)
    }

    /// All containers: init containers, containers, ephemeral containers.
    ///
    /// # Errors
    /// What is no list of objects.
    pub fn all_containers(&self) -> Result<Vec<Container<'d>>, Fault> {
        let mut all = Vec::new();
        for kind in ContainerKind::ALL {
            all.append(&mut self.containers(kind)?);
        }
        Ok(all)
    }
}

/// With names and images, so many containers are more than what etcd stores of an object, and with all that is kept
/// of each more would be more than the memory of an instance.
const MOST_CONTAINERS: usize = 1 << 16;

/// The elements of a list of objects.
fn objects(list: Node<'_>) -> Result<Vec<Node<'_>>, Fault> {
    let mut objects = Vec::new();
    for item in list.items()? {
        if !item.object()? {
            return Err(item.fault("expected an object, found null"));
        }
        objects.push(item);
    }
    Ok(objects)
}

/// A container of any of the three lists.
#[derive(Clone, Copy, Debug)]
pub struct Container<'d> {
    /// The list that it is in.
    pub kind: ContainerKind,
    node: Node<'d>,
    /// In the order of [`ContainerPart::ALL`].
    parts: [Option<Node<'d>>; 6],
}

impl<'d> Container<'d> {
    fn of(kind: ContainerKind, node: Node<'d>) -> Result<Self, Fault> {
        let mut parts = [None; 6];
        for (part, place) in ContainerPart::ALL.iter().zip(&mut parts) {
            *place = node.entry(part.field())?;
        }
        Ok(Self { kind, node, parts })
    }

    /// The place of the container.
    #[must_use]
    pub fn place(&self) -> Node<'d> {
        self.node
    }

    /// A part of it, if it is there.
    #[must_use]
    pub fn part(&self, part: ContainerPart) -> Option<Node<'d>> {
        let at = part as usize;
        self.parts.get(at).copied().flatten()
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

/// What a volume is made of counts by name, and of a path of the node the path.
const VOLUMES: Shape<'static> = Shape::Each(Some(&Shape::Fields(&[("path", Shape::ALL)])));

const METADATA: Shape<'static> = Shape::Fields(&[
    ("annotations", Shape::ALL),
    ("deletionTimestamp", Shape::ALL),
    ("labels", Shape::ALL),
    ("namespace", Shape::ALL),
]);

const TYPED: Shape<'static> = Shape::Fields(&[("type", Shape::ALL)]);

const SE_LINUX_OPTIONS: Shape<'static> =
    Shape::Fields(&[("role", Shape::ALL), ("type", Shape::ALL), ("user", Shape::ALL)]);

const WINDOWS_OPTIONS: Shape<'static> = Shape::Fields(&[("hostProcess", Shape::ALL)]);

const POD_SECURITY_CONTEXT: Shape<'static> = Shape::Fields(&[
    ("appArmorProfile", TYPED),
    ("runAsNonRoot", Shape::ALL),
    ("runAsUser", Shape::ALL),
    ("seLinuxOptions", SE_LINUX_OPTIONS),
    ("seccompProfile", TYPED),
    ("sysctls", Shape::Fields(&[("name", Shape::ALL)])),
    ("windowsOptions", WINDOWS_OPTIONS),
]);

const SECURITY_CONTEXT: Shape<'static> = Shape::Fields(&[
    ("allowPrivilegeEscalation", Shape::ALL),
    ("appArmorProfile", TYPED),
    ("capabilities", Shape::Fields(&[("add", Shape::ALL), ("drop", Shape::ALL)])),
    ("privileged", Shape::ALL),
    ("procMount", Shape::ALL),
    ("runAsNonRoot", Shape::ALL),
    ("runAsUser", Shape::ALL),
    ("seLinuxOptions", SE_LINUX_OPTIONS),
    ("seccompProfile", TYPED),
    ("windowsOptions", WINDOWS_OPTIONS),
]);

/// What calls a container: a probe or a lifecycle hook.
const HANDLER: Shape<'static> = Shape::Fields(&[
    ("httpGet", Shape::Fields(&[("host", Shape::ALL)])),
    ("tcpSocket", Shape::Fields(&[("host", Shape::ALL)])),
]);

const CONTAINERS: Shape<'static> = Shape::Fields(&[
    ("image", Shape::ALL),
    ("lifecycle", Shape::Fields(&[("postStart", HANDLER), ("preStop", HANDLER)])),
    ("livenessProbe", HANDLER),
    ("name", Shape::ALL),
    ("ports", Shape::Fields(&[("hostPort", Shape::ALL)])),
    ("readinessProbe", HANDLER),
    ("securityContext", SECURITY_CONTEXT),
    ("startupProbe", HANDLER),
]);
