//! The kind Pod of `v1`, and the pod templates of other kinds.

use admission::{Fault, Node, Shape};

use super::{Container, ContainerKind, Metadata};

/// A Pod or a pod template.
#[derive(Clone, Copy, Debug)]
pub struct Pod<'d>(Node<'d>);

/// The fields of `spec` to read for the Pod Security Standards, and further fields, sorted: those
/// after `initContainers` and, after a semicolon, those before `volumes`.
macro_rules! spec {
    ($($early:expr),*; $($late:expr),*) => {
        Shape::Fields(&[
            ("containers", CONTAINERS),
            ("ephemeralContainers", CONTAINERS),
            ("hostIPC", Shape::ALL),
            ("hostNetwork", Shape::ALL),
            ("hostPID", Shape::ALL),
            ("hostUsers", Shape::ALL),
            ("initContainers", CONTAINERS),
            $($early,)*
            ("os", Shape::Fields(&[("name", Shape::ALL)])),
            ("runtimeClassName", Shape::ALL),
            ("securityContext", POD_SECURITY_CONTEXT),
            ("serviceAccount", Shape::ALL),
            ("serviceAccountName", Shape::ALL),
            $($late,)*
            ("volumes", VOLUMES),
        ])
    };
}

/// The fields of `spec` to read for the SELinux context, and further fields, as above.
macro_rules! selinux_spec {
    ($($early:expr),*; $($late:expr),*) => {
        Shape::Fields(&[
            ("containers", SELINUX_CONTAINERS),
            ("ephemeralContainers", SELINUX_CONTAINERS),
            ("hostIPC", Shape::ALL),
            ("hostNetwork", Shape::ALL),
            ("hostPID", Shape::ALL),
            ("initContainers", SELINUX_CONTAINERS),
            $($early,)*
            ("nodeSelector", Shape::ALL),
            ("os", Shape::Fields(&[("name", Shape::ALL)])),
            ("securityContext", SELINUX_POD_SECURITY_CONTEXT),
            ("serviceAccount", Shape::ALL),
            ("serviceAccountName", Shape::ALL),
            ("shareProcessNamespace", Shape::ALL),
            $($late,)*
            ("volumes", SELINUX_VOLUMES),
        ])
    };
}

impl<'d> Pod<'d> {
    /// The fields to read of a Pod that a node writes.
    pub const FIELDS_FOR_NODE_PODS: Shape<'static> = Shape::Fields(&[
        (
            "metadata",
            Shape::Fields(&[
                ("annotations", Shape::ALL),
                ("labels", Shape::ALL),
                ("name", Shape::ALL),
                ("namespace", Shape::ALL),
                ("ownerReferences", Metadata::OWNERS),
            ]),
        ),
        (
            "spec",
            Shape::Fields(&[
                ("containers", ENVIRONMENT),
                ("ephemeralContainers", ENVIRONMENT),
                ("imagePullSecrets", NAMED),
                ("initContainers", ENVIRONMENT),
                ("nodeName", Shape::ALL),
                ("resourceClaims", PRESENT),
                ("serviceAccount", Shape::ALL),
                ("serviceAccountName", Shape::ALL),
                ("volumes", REFERENCES),
            ]),
        ),
        (
            "status",
            Shape::Fields(&[
                ("extendedResourceClaimStatus", Shape::ALL),
                ("nodeAllocatableResourceClaimStatuses", Shape::ALL),
                ("resourceClaimStatuses", Shape::ALL),
            ]),
        ),
    ]);

    /// The field to read of a Pod to find its node.
    pub const BOUND: Shape<'static> = Shape::Fields(&[("spec", Shape::Fields(&[("nodeName", Shape::ALL)]))]);

    /// The fields to read of a Pod or pod template for the Pod Security Standards.
    pub const FIELDS_FOR_POD_SECURITY: Shape<'static> =
        Shape::Fields(&[("metadata", METADATA), ("spec", spec!(;))]);

    /// The same fields in any object: a Pod, or a kind with a pod template, whose place
    /// [`template`](Self::template) returns.
    pub const FIELDS_FOR_POD_SECURITY_IN_ANY_KIND: Shape<'static> = Shape::Fields(&[
        ("metadata", METADATA),
        (
            "spec",
            spec!(
                (
                    "jobTemplate",
                    Shape::Fields(&[("spec", Shape::Fields(&[("template", Self::FIELDS_FOR_POD_SECURITY)]))])
                );
                ("template", Self::FIELDS_FOR_POD_SECURITY)
            ),
        ),
        ("template", Self::FIELDS_FOR_POD_SECURITY),
    ]);

    /// The same fields in the owner of a Pod or of an object with a pod template, and its UID.
    pub const FIELDS_FOR_POD_SECURITY_OF_OWNERS: Shape<'static> = Shape::Fields(&[
        ("metadata", Shape::Fields(&[("uid", Shape::ALL)])),
        (
            "spec",
            Shape::Fields(&[
                (
                    "jobTemplate",
                    Shape::Fields(&[("spec", Shape::Fields(&[("template", Self::FIELDS_FOR_POD_SECURITY)]))]),
                ),
                ("template", Self::FIELDS_FOR_POD_SECURITY),
            ]),
        ),
    ]);

    /// The fields to read of a Pod or pod template for the SELinux context.
    pub const FIELDS_FOR_SELINUX: Shape<'static> =
        Shape::Fields(&[("metadata", SELINUX_METADATA), ("spec", selinux_spec!(;))]);

    /// The same fields in any object, and those of a PersistentVolume and of a Namespace.
    pub const FIELDS_FOR_SELINUX_IN_ANY_KIND: Shape<'static> = Shape::Fields(&[
        ("metadata", SELINUX_METADATA),
        (
            "spec",
            selinux_spec!(
                (
                    "jobTemplate",
                    Shape::Fields(&[("spec", Shape::Fields(&[("template", Self::FIELDS_FOR_SELINUX)]))])
                ),
                ("local", Shape::Fields(&[("path", Shape::ALL)]));
                ("template", Self::FIELDS_FOR_SELINUX)
            ),
        ),
        ("template", Self::FIELDS_FOR_SELINUX),
    ]);

    /// The fields to read of the other pods of a namespace, to find those that share a claim.
    pub const FIELDS_FOR_SHARED_VOLUMES: Shape<'static> = Shape::Fields(&[
        ("metadata", Shape::Fields(&[("name", Shape::ALL), ("uid", Shape::ALL)])),
        (
            "spec",
            Shape::Fields(&[
                ("containers", SELINUX_CONTAINERS),
                ("ephemeralContainers", SELINUX_CONTAINERS),
                ("initContainers", SELINUX_CONTAINERS),
                ("securityContext", SELINUX_POD_SECURITY_CONTEXT),
                ("volumes", SELINUX_VOLUMES),
            ]),
        ),
        ("status", Shape::Fields(&[("phase", Shape::ALL)])),
    ]);

    /// Creates the view of an object, which may be absent.
    #[must_use]
    pub fn of(object: Node<'d>) -> Self {
        Self(object)
    }

    /// Returns the path from an object of the given kind to its pod template; empty for a Pod.
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

    /// Creates the view of the Pod or pod template in an object of the given kind.
    #[must_use]
    pub fn in_object(object: Node<'d>, kind: &str) -> Self {
        Self(Self::template(kind).iter().fold(object, |at, step| at.at(step)))
    }

    /// Returns whether all fields that are read equal those of another pod of the same request.
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

    pub(crate) fn image_pull_secrets(&self) -> Node<'d> {
        self.0.at("spec").at("imagePullSecrets")
    }

    pub(crate) fn resource_claims(&self) -> Node<'d> {
        self.0.at("spec").at("resourceClaims")
    }

    /// `status`.
    #[must_use]
    pub fn status(&self) -> Node<'d> {
        self.0.at("status")
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

    pub(crate) fn os_name(&self) -> Node<'d> {
        self.0.at("spec").at("os").at("name")
    }

    pub(crate) fn runtime_class_name(&self) -> Node<'d> {
        self.0.at("spec").at("runtimeClassName")
    }

    /// `spec.serviceAccountName`.
    #[must_use]
    pub fn service_account_name(&self) -> Node<'d> {
        self.0.at("spec").at("serviceAccountName")
    }

    /// `spec.serviceAccount`, the deprecated alias of `serviceAccountName`.
    #[must_use]
    pub fn service_account(&self) -> Node<'d> {
        self.0.at("spec").at("serviceAccount")
    }

    /// Returns the name of the pod's service account, with the defaults of the API server.
    ///
    /// # Errors
    /// Returns a fault if the name is not a string.
    pub fn account(&self) -> Result<&'d str, Fault> {
        Ok(match self.service_account_name().filled_text()? {
            Some(name) => name,
            None => self.service_account().filled_text()?.unwrap_or("default"),
        })
    }

    /// Returns the elements of `spec.volumes`.
    ///
    /// # Errors
    /// Returns a fault if it is not a list of objects.
    pub fn volumes(&self) -> Result<Vec<Node<'d>>, Fault> {
        objects(self.0.at("spec").at("volumes"))
    }

    /// Returns the containers of one list.
    ///
    /// # Errors
    /// Returns a fault if it is not a list of objects or has more than 65,536 elements.
    pub fn containers(&self, kind: ContainerKind) -> Result<Vec<Container<'d>>, Fault> {
        let mut containers = Vec::new();
        let list = self.0.at("spec").at(kind.field());
        let nodes = objects(list)?;
        if nodes.len() > MOST_CONTAINERS {
            return Err(list.fault("expected at most 65536 containers"));
        }
        for node in nodes {
            containers.push(Container::of(kind, node));
        }
        Ok(containers)
    }

    /// Returns the names of the volumes that a container mounts and may write to.
    pub(crate) fn writable_volumes(&self) -> Result<Vec<&'d str>, Fault> {
        let mut names = Vec::new();
        for container in self.all_containers()? {
            let Some(mounts) = container.place().entry("volumeMounts")? else { continue };
            for mount in objects(mounts)? {
                let read_only = mount.entry("readOnly")?.map(|flag| flag.boolean()).transpose()?.flatten();
                if read_only != Some(true)
                    && let Some(name) = mount.entry("name")?
                {
                    names.push(name.text()?.unwrap_or_default());
                }
            }
        }
        Ok(names)
    }

    /// Returns init containers, containers, then ephemeral containers.
    pub(crate) fn all_containers(&self) -> Result<Vec<Container<'d>>, Fault> {
        let mut all = Vec::new();
        for kind in ContainerKind::ALL {
            all.append(&mut self.containers(kind)?);
        }
        Ok(all)
    }
}

/// The maximum length of a list of containers. An object with so many named containers exceeds what
/// etcd stores; the fields that are kept of more containers would exceed the memory of an instance.
const MOST_CONTAINERS: usize = 1 << 16;

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

/// A value of which only the presence counts.
const PRESENT: Shape<'static> = Shape::Fields(&[]);

const NAMED: Shape<'static> = Shape::Fields(&[("name", Shape::ALL)]);

/// The references of a container to API objects.
const ENVIRONMENT: Shape<'static> = Shape::Fields(&[
    (
        "env",
        Shape::Fields(&[(
            "valueFrom",
            Shape::Fields(&[("configMapKeyRef", NAMED), ("secretKeyRef", NAMED)]),
        )]),
    ),
    ("envFrom", Shape::Fields(&[("configMapRef", NAMED), ("secretRef", NAMED)])),
]);

/// The references of a volume to API objects: the name of its source, its Secret, and the names of
/// projected sources.
const REFERENCES: Shape<'static> =
    Shape::Each(Some(&Shape::Fields(&[("secretRef", NAMED), ("sources", Shape::Each(Some(&PRESENT)))])));

/// The fields to read of a volume: the name of its source and, for hostPath, `path`.
const VOLUMES: Shape<'static> = Shape::Each(Some(&Shape::Fields(&[("path", Shape::ALL)])));

const METADATA: Shape<'static> = Shape::Fields(&[
    ("annotations", Shape::ALL),
    ("deletionTimestamp", Shape::ALL),
    ("labels", Shape::ALL),
    ("name", Shape::ALL),
    ("namespace", Shape::ALL),
    ("ownerReferences", Metadata::OWNERS),
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

/// A probe or a lifecycle hook.
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
    ("volumeMounts", Shape::Fields(&[("name", Shape::ALL), ("readOnly", Shape::ALL)])),
]);

const SELINUX_METADATA: Shape<'static> = Shape::Fields(&[
    ("annotations", Shape::ALL),
    ("generateName", Shape::ALL),
    ("labels", Shape::ALL),
    ("name", Shape::ALL),
    ("ownerReferences", Metadata::OWNERS),
]);

const WHOLE_SE_LINUX_OPTIONS: Shape<'static> =
    Shape::Fields(&[("level", Shape::ALL), ("role", Shape::ALL), ("type", Shape::ALL), ("user", Shape::ALL)]);

const SELINUX_POD_SECURITY_CONTEXT: Shape<'static> =
    Shape::Fields(&[("seLinuxChangePolicy", Shape::ALL), ("seLinuxOptions", WHOLE_SE_LINUX_OPTIONS)]);

const SELINUX_CONTAINERS: Shape<'static> = Shape::Fields(&[
    ("image", Shape::ALL),
    ("name", Shape::ALL),
    (
        "securityContext",
        Shape::Fields(&[("privileged", Shape::ALL), ("seLinuxOptions", WHOLE_SE_LINUX_OPTIONS)]),
    ),
    ("volumeMounts", Shape::Fields(&[("name", Shape::ALL)])),
]);

const SELINUX_VOLUMES: Shape<'static> = Shape::Fields(&[
    ("hostPath", Shape::Fields(&[("path", Shape::ALL)])),
    ("name", Shape::ALL),
    ("persistentVolumeClaim", Shape::Fields(&[("claimName", Shape::ALL), ("readOnly", Shape::ALL)])),
]);
