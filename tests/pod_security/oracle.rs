//! A second implementation of the Pod Security Standards, on the types of Kubernetes and
//! independent of the policy: one function for each revision of each check, which tells whether a
//! pod violates it.
//!
//! The tests hold the policy against it, so it shares no code with it.

use std::collections::BTreeSet;

use k8s_openapi::api::core::v1::{
    Capabilities, Container, ContainerPort, EphemeralContainer, HTTPGetAction, Lifecycle, PodSecurityContext,
    PodSpec, Probe, SELinuxOptions, SecurityContext, TCPSocketAction, Volume,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use tests::pods::{Level, Version};

/// A check with its revisions, oldest first.
struct Check {
    id: &'static str,
    level: Level,
    /// The baseline check that it supersedes.
    supersedes: Option<&'static str>,
    revisions: &'static [Revision],
}

/// A minor version, and whether a pod violates the check from that version on.
type Revision = (u32, fn(&Pod<'_>) -> bool);

const fn baseline(id: &'static str, revisions: &'static [Revision]) -> Check {
    Check { id, level: Level::Baseline, supersedes: None, revisions }
}

const fn restricted(id: &'static str, revisions: &'static [Revision]) -> Check {
    Check { id, level: Level::Restricted, supersedes: None, revisions }
}

impl Check {
    const fn superseding(mut self, id: &'static str) -> Self {
        self.supersedes = Some(id);
        self
    }

    fn at(&self, minor: u32) -> Option<fn(&Pod<'_>) -> bool> {
        let current = self.revisions.iter().rev().find(|(minimum, _)| *minimum <= minor);
        current.map(|(_, violated)| *violated)
    }
}

const CHECKS: &[Check] = &[
    baseline("windowsHostProcess", &[(0, windows_host_process_1_0)]),
    baseline("hostNamespaces", &[(0, host_namespaces_1_0)]),
    baseline("privileged", &[(0, privileged_1_0)]),
    baseline("capabilities_baseline", &[(0, capabilities_baseline_1_0)]),
    baseline("hostPathVolumes", &[(0, host_path_volumes_1_0)]),
    baseline("hostPorts", &[(0, host_ports_1_0)]),
    baseline("hostProbesAndHostLifecycle", &[(34, host_probes_and_host_lifecycle_1_34)]),
    baseline("appArmorProfile", &[(0, app_armor_profile_1_0)]),
    baseline("seLinuxOptions", &[(0, se_linux_options_1_0), (31, se_linux_options_1_31)]),
    baseline("procMount", &[(0, proc_mount_1_0), (35, proc_mount_1_35)]),
    baseline(
        "seccompProfile_baseline",
        &[(0, seccomp_profile_baseline_1_0), (19, seccomp_profile_baseline_1_19)],
    ),
    baseline(
        "sysctls",
        &[
            (0, sysctls::<0>),
            (27, sysctls::<27>),
            (29, sysctls::<29>),
            (32, sysctls::<32>),
            (37, sysctls::<37>),
        ],
    ),
    restricted("restrictedVolumes", &[(0, restricted_volumes_1_0)]).superseding("hostPathVolumes"),
    restricted(
        "allowPrivilegeEscalation",
        &[(8, allow_privilege_escalation_1_8), (25, allow_privilege_escalation_1_25)],
    ),
    restricted("runAsNonRoot", &[(0, run_as_non_root_1_0), (35, run_as_non_root_1_35)]),
    restricted("runAsUser", &[(23, run_as_user_1_23), (35, run_as_user_1_35)]),
    restricted(
        "seccompProfile_restricted",
        &[(19, seccomp_profile_restricted_1_19), (25, seccomp_profile_restricted_1_25)],
    )
    .superseding("seccompProfile_baseline"),
    restricted(
        "capabilities_restricted",
        &[(22, capabilities_restricted_1_22), (25, capabilities_restricted_1_25)],
    )
    .superseding("capabilities_baseline"),
    restricted("procMount_restricted", &[(35, proc_mount_1_0)]).superseding("procMount"),
];

/// The facts of a check, to compare with those of the policy.
#[derive(Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Summary {
    /// The id.
    pub id: &'static str,
    /// The name of the lowest level with the check.
    pub level: String,
    /// The minor versions of the revisions.
    pub since: Vec<u32>,
    /// The id of the stricter check.
    pub superseded_by: Option<&'static str>,
}

/// Returns the facts of all checks.
pub fn summaries() -> BTreeSet<Summary> {
    let stricter = |id| CHECKS.iter().find(|check| check.supersedes == Some(id)).map(|check| check.id);
    let summary = |check: &Check| Summary {
        id: check.id,
        level: check.level.to_string(),
        since: check.revisions.iter().map(|(minor, _)| *minor).collect(),
        superseded_by: stricter(check.id),
    };
    CHECKS.iter().map(summary).collect()
}

/// Returns the ids of all checks.
pub fn ids() -> impl Iterator<Item = &'static str> {
    CHECKS.iter().map(|check| check.id)
}

/// Returns the baseline check that a check supersedes where it runs.
pub fn superseded_by(id: &str) -> Option<&'static str> {
    CHECKS.iter().find(|check| check.id == id)?.supersedes
}

/// Returns the ids of the checks that run.
pub fn running(level: Level, version: Version) -> BTreeSet<&'static str> {
    checks(level, version).map(|(id, _)| id).collect()
}

fn checks(level: Level, version: Version) -> impl Iterator<Item = (&'static str, fn(&Pod<'_>) -> bool)> {
    let current = move |of: Level| {
        let checks = CHECKS.iter().filter(move |check| check.level == of);
        checks.filter_map(move |check| Some((check, check.at(version.minor())?)))
    };
    let is_superseded = move |id: &str| {
        level == Level::Restricted
            && current(Level::Restricted).any(|(check, _)| check.supersedes == Some(id))
    };
    let baseline = current(Level::Baseline).filter(move |(check, _)| !is_superseded(check.id));
    let all = baseline
        .filter(move |_| level != Level::Privileged)
        .chain(current(Level::Restricted).filter(move |_| level == Level::Restricted));
    all.map(|(check, violated)| (check.id, violated))
}

/// Returns the ids of the checks that a pod or a pod template violates.
pub fn violated(
    metadata: &ObjectMeta,
    spec: &PodSpec,
    level: Level,
    version: Version,
) -> BTreeSet<&'static str> {
    let pod = Pod::of(metadata, spec);
    checks(level, version).filter(|(_, violated)| violated(&pod)).map(|(id, _)| id).collect()
}

/// Whether an update of a pod is evaluated.
pub fn is_significant(old: &PodSpec, new: &PodSpec) -> bool {
    let differ = |old: &[Container], new: &[Container]| {
        old.len() != new.len() || old.iter().zip(new).any(|(old, new)| old.image != new.image)
    };
    let debuggers = old.ephemeral_containers.as_deref().unwrap_or_default();
    let known =
        |new: &EphemeralContainer| debuggers.iter().any(|old| old.name == new.name && old.image == new.image);
    differ(&old.containers, &new.containers)
        || differ(
            old.init_containers.as_deref().unwrap_or_default(),
            new.init_containers.as_deref().unwrap_or_default(),
        )
        || !new.ephemeral_containers.as_deref().unwrap_or_default().iter().all(known)
}

/// A pod with the parts that the checks read.
struct Pod<'a> {
    metadata: &'a ObjectMeta,
    spec: &'a PodSpec,
    security: Option<&'a PodSecurityContext>,
    containers: Vec<AnyContainer<'a>>,
}

/// A container of any list.
struct AnyContainer<'a> {
    name: &'a str,
    security: Option<&'a SecurityContext>,
    ports: &'a [ContainerPort],
    probes: [Option<&'a Probe>; 3],
    lifecycle: Option<&'a Lifecycle>,
}

macro_rules! any_container {
    ($type:ty) => {
        impl<'a> From<&'a $type> for AnyContainer<'a> {
            fn from(container: &'a $type) -> Self {
                Self {
                    name: &container.name,
                    security: container.security_context.as_ref(),
                    ports: container.ports.as_deref().unwrap_or_default(),
                    probes: [
                        container.liveness_probe.as_ref(),
                        container.readiness_probe.as_ref(),
                        container.startup_probe.as_ref(),
                    ],
                    lifecycle: container.lifecycle.as_ref(),
                }
            }
        }
    };
}

any_container!(Container);
any_container!(EphemeralContainer);

impl<'a> Pod<'a> {
    fn of(metadata: &'a ObjectMeta, spec: &'a PodSpec) -> Self {
        let first = spec.init_containers.iter().flatten().map(AnyContainer::from);
        let main = spec.containers.iter().map(AnyContainer::from);
        let last = spec.ephemeral_containers.iter().flatten().map(AnyContainer::from);
        let containers = first.chain(main).chain(last).collect();
        Self { metadata, spec, security: spec.security_context.as_ref(), containers }
    }

    /// Returns the security contexts of the containers that have one.
    fn contexts(&self) -> impl Iterator<Item = &'a SecurityContext> {
        self.containers.iter().filter_map(|container| container.security)
    }

    /// Returns the values of a field of the security contexts of the pod and of all containers.
    fn everywhere<T: 'a>(
        &self,
        of_pod: fn(&'a PodSecurityContext) -> Option<T>,
        of_container: fn(&'a SecurityContext) -> Option<T>,
    ) -> impl Iterator<Item = T> {
        self.security.and_then(of_pod).into_iter().chain(self.contexts().filter_map(of_container))
    }

    fn volumes(&self) -> &'a [Volume] {
        self.spec.volumes.as_deref().unwrap_or_default()
    }

    fn annotations(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        let annotations = self.metadata.annotations.iter().flatten();
        annotations.map(|(key, value)| (key.as_str(), value.as_str()))
    }

    fn is_windows(&self) -> bool {
        self.spec.os.as_ref().is_some_and(|os| os.name == "windows")
    }

    fn has_user_namespace(&self) -> bool {
        self.spec.host_users == Some(false)
    }
}

fn windows_host_process_1_0(pod: &Pod<'_>) -> bool {
    pod.everywhere(|pod| pod.windows_options.as_ref(), |container| container.windows_options.as_ref())
        .any(|options| options.host_process == Some(true))
}

fn host_namespaces_1_0(pod: &Pod<'_>) -> bool {
    [pod.spec.host_network, pod.spec.host_pid, pod.spec.host_ipc].contains(&Some(true))
}

fn privileged_1_0(pod: &Pod<'_>) -> bool {
    pod.contexts().any(|context| context.privileged == Some(true))
}

fn added(capabilities: Option<&Capabilities>) -> impl Iterator<Item = &str> {
    capabilities.and_then(|capabilities| capabilities.add.as_ref()).into_iter().flatten().map(String::as_str)
}

fn capabilities_baseline_1_0(pod: &Pod<'_>) -> bool {
    const DEFAULT: &str = "AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE SETFCAP \
                           SETGID SETPCAP SETUID SYS_CHROOT";
    pod.contexts()
        .flat_map(|context| added(context.capabilities.as_ref()))
        .any(|name| DEFAULT.split(' ').all(|known| known != name))
}

fn capabilities_restricted_1_22(pod: &Pod<'_>) -> bool {
    pod.containers.iter().any(|container| {
        let capabilities = container.security.and_then(|context| context.capabilities.as_ref());
        let mut dropped =
            capabilities.and_then(|capabilities| capabilities.drop.as_ref()).into_iter().flatten();
        !dropped.any(|name| name == "ALL") || added(capabilities).any(|name| name != "NET_BIND_SERVICE")
    })
}

fn capabilities_restricted_1_25(pod: &Pod<'_>) -> bool {
    !pod.is_windows() && capabilities_restricted_1_22(pod)
}

fn host_path_volumes_1_0(pod: &Pod<'_>) -> bool {
    pod.volumes().iter().any(|volume| volume.host_path.is_some())
}

fn restricted_volumes_1_0(pod: &Pod<'_>) -> bool {
    pod.volumes().iter().any(|volume| {
        let allowed = [
            volume.config_map.is_some(),
            volume.csi.is_some(),
            volume.downward_api.is_some(),
            volume.empty_dir.is_some(),
            volume.ephemeral.is_some(),
            volume.image.is_some(),
            volume.persistent_volume_claim.is_some(),
            volume.projected.is_some(),
            volume.secret.is_some(),
        ];
        // A volume without a source is an emptyDir.
        let unset = Volume { name: volume.name.clone(), ..Volume::default() };
        !allowed.contains(&true) && *volume != unset
    })
}

fn host_ports_1_0(pod: &Pod<'_>) -> bool {
    let mut ports = pod.containers.iter().flat_map(|container| container.ports);
    ports.any(|port| port.host_port.is_some_and(|port| port != 0))
}

fn host_probes_and_host_lifecycle_1_34(pod: &Pod<'_>) -> bool {
    fn named(http: Option<&HTTPGetAction>, tcp: Option<&TCPSocketAction>) -> bool {
        let http = http.and_then(|action| action.host.as_deref());
        let tcp = tcp.and_then(|action| action.host.as_deref());
        [http, tcp].into_iter().flatten().any(|host| !host.is_empty())
    }
    pod.containers.iter().any(|container| {
        let hooks = container.lifecycle.map(|lifecycle| [&lifecycle.post_start, &lifecycle.pre_stop]);
        let mut hooks = hooks.into_iter().flatten().flatten();
        let mut probes = container.probes.into_iter().flatten();
        probes.any(|probe| named(probe.http_get.as_ref(), probe.tcp_socket.as_ref()))
            || hooks.any(|hook| named(hook.http_get.as_ref(), hook.tcp_socket.as_ref()))
    })
}

fn app_armor_profile_1_0(pod: &Pod<'_>) -> bool {
    let mut annotated = pod
        .annotations()
        .filter(|(key, _)| key.starts_with("container.apparmor.security.beta.kubernetes.io/"))
        .map(|(_, profile)| profile);
    let mut fields = pod
        .everywhere(|pod| pod.app_armor_profile.as_ref(), |container| container.app_armor_profile.as_ref());
    annotated
        .any(|profile| !(["", "runtime/default"].contains(&profile) || profile.starts_with("localhost/")))
        || fields.any(|profile| is_other_profile(&profile.type_))
}

/// Returns whether a profile type does not confine a container.
fn is_other_profile(kind: &str) -> bool {
    !["RuntimeDefault", "Localhost"].contains(&kind)
}

fn se_linux_options_1_0(pod: &Pod<'_>) -> bool {
    se_linux_options(pod, &["", "container_t", "container_init_t", "container_kvm_t"])
}

fn se_linux_options_1_31(pod: &Pod<'_>) -> bool {
    se_linux_options(pod, &["", "container_t", "container_init_t", "container_kvm_t", "container_engine_t"])
}

fn se_linux_options(pod: &Pod<'_>, types: &[&str]) -> bool {
    let mut options =
        pod.everywhere(|pod| pod.se_linux_options.as_ref(), |container| container.se_linux_options.as_ref());
    options.any(|SELinuxOptions { type_, user, role, .. }| {
        type_.as_deref().is_some_and(|name| !types.contains(&name))
            || [user, role].into_iter().flatten().any(|name| !name.is_empty())
    })
}

fn proc_mount_1_0(pod: &Pod<'_>) -> bool {
    pod.contexts().filter_map(|context| context.proc_mount.as_deref()).any(|mount| mount != "Default")
}

fn proc_mount_1_35(pod: &Pod<'_>) -> bool {
    !pod.has_user_namespace() && proc_mount_1_0(pod)
}

fn seccomp_profile_baseline_1_0(pod: &Pod<'_>) -> bool {
    let of_container = |container: &AnyContainer<'_>| {
        format!("container.seccomp.security.alpha.kubernetes.io/{}", container.name)
    };
    let mut keys: Vec<String> = pod.containers.iter().map(of_container).collect();
    keys.push("seccomp.security.alpha.kubernetes.io/pod".to_owned());
    pod.annotations().filter(|(key, _)| keys.iter().any(|known| known == key)).any(|(_, profile)| {
        !(["runtime/default", "docker/default"].contains(&profile) || profile.starts_with("localhost/"))
    })
}

fn seccomp_profile_baseline_1_19(pod: &Pod<'_>) -> bool {
    pod.everywhere(|pod| pod.seccomp_profile.as_ref(), |container| container.seccomp_profile.as_ref())
        .any(|profile| is_other_profile(&profile.type_))
}

fn seccomp_profile_restricted_1_19(pod: &Pod<'_>) -> bool {
    let inherited = pod.security.and_then(|context| context.seccomp_profile.as_ref());
    let unset = |container: &AnyContainer<'_>| {
        container.security.is_none_or(|context| context.seccomp_profile.is_none())
    };
    seccomp_profile_baseline_1_19(pod) || inherited.is_none() && pod.containers.iter().any(unset)
}

fn seccomp_profile_restricted_1_25(pod: &Pod<'_>) -> bool {
    !pod.is_windows() && seccomp_profile_restricted_1_19(pod)
}

/// Safe sysctls, with the minor version that adds them.
const SYSCTLS: [(u32, &str); 5] = [
    (
        0,
        "kernel.shm_rmid_forced net.ipv4.ip_local_port_range net.ipv4.ip_unprivileged_port_start \
         net.ipv4.ping_group_range net.ipv4.tcp_syncookies",
    ),
    (27, "net.ipv4.ip_local_reserved_ports"),
    (
        29,
        "net.ipv4.tcp_fin_timeout net.ipv4.tcp_keepalive_intvl net.ipv4.tcp_keepalive_probes \
         net.ipv4.tcp_keepalive_time",
    ),
    (32, "net.ipv4.tcp_rmem net.ipv4.tcp_wmem"),
    (37, "net.ipv4.tcp_notsent_lowat net.ipv4.tcp_slow_start_after_idle"),
];

fn sysctls<const MINOR: u32>(pod: &Pod<'_>) -> bool {
    let safe: Vec<&str> =
        SYSCTLS.iter().filter(|(since, _)| *since <= MINOR).flat_map(|(_, names)| names.split(' ')).collect();
    let set = pod.security.and_then(|context| context.sysctls.as_ref());
    set.into_iter().flatten().any(|sysctl| !safe.contains(&sysctl.name.as_str()))
}

fn allow_privilege_escalation_1_8(pod: &Pod<'_>) -> bool {
    pod.containers.iter().any(|container| {
        container.security.and_then(|context| context.allow_privilege_escalation) != Some(false)
    })
}

fn allow_privilege_escalation_1_25(pod: &Pod<'_>) -> bool {
    !pod.is_windows() && allow_privilege_escalation_1_8(pod)
}

fn run_as_non_root_1_0(pod: &Pod<'_>) -> bool {
    let inherited = pod.security.and_then(|context| context.run_as_non_root);
    inherited == Some(false)
        || pod.containers.iter().any(|container| {
            let own = container.security.and_then(|context| context.run_as_non_root);
            own.or(inherited) != Some(true)
        })
}

fn run_as_non_root_1_35(pod: &Pod<'_>) -> bool {
    !pod.has_user_namespace() && run_as_non_root_1_0(pod)
}

fn run_as_user_1_23(pod: &Pod<'_>) -> bool {
    pod.everywhere(|pod| pod.run_as_user, |container| container.run_as_user).any(|user| user == 0)
}

fn run_as_user_1_35(pod: &Pod<'_>) -> bool {
    !pod.has_user_namespace() && run_as_user_1_23(pod)
}
