//! Entries of `exclude`, with the checks that each can exclude.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use rules::pod_security::standard::CHECKS;
use serde_json::{Value, json};
use tests::pods::generate::IMAGES;
use tests::pods::{Level, Version};

/// The owners of the fields that a control restricts.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Scope {
    Pod,
    Containers,
    Both,
}

/// A control of the standards.
#[derive(Debug)]
pub struct Control {
    name: &'static str,
    /// The checks of the control.
    pub ids: &'static [&'static str],
    scope: Scope,
    /// A field of the pod and one of a container, with values that may be refused.
    of_pod: Option<Field>,
    of_container: Option<Field>,
}

type Field = (&'static str, &'static [&'static str]);

const fn control(name: &'static str, ids: &'static [&'static str], scope: Scope) -> Control {
    Control { name, ids, scope, of_pod: None, of_container: None }
}

impl Control {
    const fn pod(mut self, path: &'static str, values: &'static [&'static str]) -> Self {
        self.of_pod = Some((path, values));
        self
    }

    const fn container(mut self, path: &'static str, values: &'static [&'static str]) -> Self {
        self.of_container = Some((path, values));
        self
    }

    /// Whether a check of the control runs. Entries for other controls are refused.
    pub fn is_checked(&self, level: Level, version: Version) -> bool {
        // Superseded checks can be excluded as well.
        let is_included = |of: &str| level == Level::Restricted || of == level.name();
        let mut checks = CHECKS.iter().filter(|check| self.ids.contains(&check.id));
        checks.any(|check| {
            let first = check.revisions.first().map(|revision| u32::from(revision.since));
            is_included(check.level.name()) && first.is_some_and(|first| first <= version.minor())
        })
    }

    /// Returns the checks that violated checks of the control supersede, and that count once those
    /// are excluded.
    pub fn uncovered(&self, violated: &BTreeSet<&'static str>) -> BTreeSet<&'static str> {
        let is_excluded = |id: &str| self.ids.contains(&id) && violated.contains(id);
        let checks = CHECKS.iter().filter(|check| check.superseded_by.is_some_and(|by| is_excluded(by.id)));
        checks.map(|check| check.id).filter(|id| !self.ids.contains(id)).collect()
    }

    /// Whether the control restricts only annotations of the pod.
    pub fn is_about_annotations(&self, version: Version) -> bool {
        self.ids.contains(&"seccompProfile_baseline") && version.minor() < 19
    }

    /// Returns entries that exclude all violations of the control.
    pub fn full_exclusion(&self, version: Version) -> Vec<Value> {
        let name = self.name;
        let of_pod = json!({ "controlName": name });
        let of_containers = json!({ "controlName": name, "images": ["*"] });
        match self.scope {
            Scope::Both if self.is_about_annotations(version) => vec![of_pod],
            Scope::Pod => vec![of_pod],
            Scope::Containers => vec![of_containers],
            Scope::Both => vec![of_containers, of_pod],
        }
    }
}

pub const CONTROLS: &[Control] = &[
    control("HostProcess", &["windowsHostProcess"], Scope::Both)
        .pod("spec.securityContext.windowsOptions.hostProcess", &["true", "tr*"])
        .container("spec.containers[*].securityContext.windowsOptions.hostProcess", &["true", "false"]),
    control("Host Namespaces", &["hostNamespaces"], Scope::Pod).pod("spec.hostPID", &["true"]),
    control("Privileged Containers", &["privileged"], Scope::Containers)
        .container("spec.initContainers[*].securityContext.privileged", &["true", "?rue"]),
    control("Capabilities", &["capabilities_baseline", "capabilities_restricted"], Scope::Containers)
        .container(
            "spec.containers[*].securityContext.capabilities.add",
            &["NET_RAW", "CHOWN", "SYS_*", "*"],
        ),
    control("HostPath Volumes", &["hostPathVolumes"], Scope::Pod)
        .pod("spec.volumes[*].hostPath", &["/", "/var/*"]),
    control("Host Ports", &["hostPorts"], Scope::Containers)
        .container("spec.containers[*].ports[*].hostPort", &["8080", "44?"]),
    control("Host Probes / Lifecycle Hooks", &["hostProbesAndHostLifecycle"], Scope::Containers)
        .container("spec.containers[*].livenessProbe.httpGet.host", &["127.0.0.1", "local*", "*"]),
    control("AppArmor", &["appArmorProfile"], Scope::Both)
        .pod("spec.securityContext.appArmorProfile.type", &["Unconfined"])
        .container("spec.ephemeralContainers[*].securityContext.appArmorProfile.type", &["Unconfined", "*"]),
    control("SELinux", &["seLinuxOptions"], Scope::Both)
        .pod("spec.securityContext.seLinuxOptions.type", &["spc_t", "container_engine_t"])
        .container("spec.containers[*].securityContext.seLinuxOptions.user", &["u"]),
    control("/proc Mount Type", &["procMount", "procMount_restricted"], Scope::Containers)
        .container("spec.containers[*].securityContext.procMount", &["Unmasked"]),
    control("Seccomp", &["seccompProfile_baseline", "seccompProfile_restricted"], Scope::Both)
        .pod("spec.securityContext.seccompProfile.type", &["Unconfined", "*"])
        .container("spec.containers[*].securityContext.seccompProfile.type", &["Unconfined", ""]),
    control("Sysctls", &["sysctls"], Scope::Pod).pod(
        "spec.securityContext.sysctls[*].name",
        &["kernel.*", "net.core.somaxconn", "net.ipv4.tcp_?mem"],
    ),
    control("Volume Types", &["restrictedVolumes"], Scope::Pod).pod("spec.volumes[*].nfs", &["*"]),
    control("Volumes", &["restrictedVolumes"], Scope::Pod),
    control("Privilege Escalation", &["allowPrivilegeEscalation"], Scope::Containers)
        .container("spec.containers[*].securityContext.allowPrivilegeEscalation", &["true"]),
    control("Running as Non-root", &["runAsNonRoot"], Scope::Both)
        .pod("spec.securityContext.runAsNonRoot", &["false", "*"])
        .container("spec.containers[*].securityContext.runAsNonRoot", &["false", ""]),
    control("Running as Non-root user", &["runAsUser"], Scope::Both)
        .pod("spec.securityContext.runAsUser", &["0"])
        .container("spec.initContainers[*].securityContext.runAsUser", &["0"]),
    control("capabilities_restricted", &["capabilities_restricted"], Scope::Containers),
    control("seccompProfile_baseline", &["seccompProfile_baseline"], Scope::Both),
    control("seccompProfile_restricted", &["seccompProfile_restricted"], Scope::Both),
    control("procMount_restricted", &["procMount_restricted"], Scope::Containers),
    control("hostProbesAndHostLifecycle", &["hostProbesAndHostLifecycle"], Scope::Containers),
];

/// Generates a further condition of an entry.
fn condition() -> impl Strategy<Value = (&'static str, Value)> {
    select(vec![
        ("podSelector", json!({ "matchLabels": { "app": "web" } })),
        ("podSelector", json!({ "matchExpressions": [{ "key": "app", "operator": "DoesNotExist" }] })),
        ("namespaces", json!(["shop"])),
        ("namespaces", json!(["sh*", "bank"])),
        ("namespaces", json!(["bank"])),
        ("namespaceSelector", json!({ "matchLabels": { "team": "shop" } })),
        ("namespaceSelector", json!({ "matchLabels": { "team": "bank" } })),
        ("serviceAccounts", json!(["shop/default"])),
        ("serviceAccounts", json!(["shop/robot"])),
        ("runtimeClasses", json!(["gvisor"])),
        ("users", json!(["alice"])),
        ("users", json!(["bob"])),
        ("groups", json!(["developers"])),
    ])
}

/// Generates a condition on containers.
fn of_containers() -> impl Strategy<Value = (&'static str, Value)> {
    select(vec![
        ("containers", json!(["app-*"])),
        ("containers", json!(["setup-0", "debug-?"])),
        ("containerKinds", json!(["Container"])),
        ("containerKinds", json!(["Init", "Ephemeral"])),
    ])
}

/// Generates an entry and the control that it names.
pub fn entry() -> impl Strategy<Value = (&'static Control, Value)> {
    let images: Vec<&str> = IMAGES.into_iter().chain(["*", "registry.example/*", "*:?"]).collect();
    let parts = (
        select(CONTROLS.iter().collect::<Vec<_>>()),
        any::<bool>(),
        subsequence(images, 1..3),
        any::<bool>(),
        prop::option::of(condition()),
        prop::option::weighted(0.3, of_containers()),
    );
    parts.prop_map(|(control, containers, images, narrow, condition, of_containers)| {
        let mut entry = json!({ "controlName": control.name });
        let containers = control.scope == Scope::Containers || control.scope == Scope::Both && containers;
        if containers {
            entry["images"] = json!(images);
        }
        let field = if containers { control.of_container } else { control.of_pod };
        match (field.filter(|_| narrow), of_containers.filter(|_| containers)) {
            (Some((path, values)), _) => {
                entry["restrictedField"] = json!(path);
                entry["values"] = json!(values);
            }
            (None, Some((key, value))) => entry[key] = value,
            (None, None) => {}
        }
        if let Some((key, value)) = condition {
            entry[key] = value;
        }
        (control, entry)
    })
}
