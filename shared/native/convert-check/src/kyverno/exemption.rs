//! Exemptions of `podSecurity`, as changes of the pod: whatever an entry allows becomes compliant,
//! and the checks run on the rest.
//!
//! Source: `ApplyPodSecurityExclusion` and `exemptExclusions` in `pkg/pss/evaluate.go` of
//! kyverno/kyverno at 111e07b, and the fields of errors in kubernetes/pod-security-admission. An
//! unset field has no value, so that an entry covers it whatever values it lists.

use serde_json::{Map, Value, json};

use super::{list, matching::wild, text};

/// The lists of containers.
const LISTS: [&str; 3] = ["initContainers", "containers", "ephemeralContainers"];

/// The prefix of the annotations with profiles of `AppArmor`.
const APP_ARMOR: &str = "container.apparmor.security.beta.kubernetes.io/";

/// The volume sources that the level restricted allows.
const SOURCES: [&str; 10] = [
    "name",
    "configMap",
    "csi",
    "downwardAPI",
    "emptyDir",
    "ephemeral",
    "image",
    "persistentVolumeClaim",
    "projected",
    "secret",
];

/// How a field becomes compliant.
#[derive(Clone, Copy)]
enum Compliant {
    /// It is removed.
    Unset,
    /// It has a value, which is also the remedy for an unset field of a container.
    Set(&'static str),
}

use Compliant::{Set, Unset};

/// The fields of a pod, by control.
const OF_POD: [(&str, &str, Compliant); 13] = [
    ("HostProcess", "securityContext.windowsOptions.hostProcess", Unset),
    ("Host Namespaces", "hostNetwork", Unset),
    ("Host Namespaces", "hostPID", Unset),
    ("Host Namespaces", "hostIPC", Unset),
    ("AppArmor", "securityContext.appArmorProfile.type", Set("\"RuntimeDefault\"")),
    ("SELinux", "securityContext.seLinuxOptions.type", Unset),
    ("SELinux", "securityContext.seLinuxOptions.user", Unset),
    ("SELinux", "securityContext.seLinuxOptions.role", Unset),
    ("Seccomp", "securityContext.seccompProfile.type", Set("\"RuntimeDefault\"")),
    ("Sysctls", "securityContext.sysctls[*].name", Unset),
    ("Running as Non-root", "securityContext.runAsNonRoot", Unset),
    ("Running as Non-root user", "securityContext.runAsUser", Unset),
    ("HostPath Volumes", "volumes[*].hostPath", Unset),
];

/// The fields of containers, by control, and whether containers have to set them.
const OF_CONTAINERS: [(&str, &str, Compliant, bool); 24] = [
    ("HostProcess", "securityContext.windowsOptions.hostProcess", Unset, false),
    ("Privileged Containers", "securityContext.privileged", Unset, false),
    ("Capabilities", "securityContext.capabilities.add", Unset, false),
    ("Capabilities", "securityContext.capabilities.drop", Set("[\"ALL\"]"), true),
    ("Host Ports", "ports[*].hostPort", Unset, false),
    ("AppArmor", "securityContext.appArmorProfile.type", Set("\"RuntimeDefault\""), false),
    ("SELinux", "securityContext.seLinuxOptions.type", Unset, false),
    ("SELinux", "securityContext.seLinuxOptions.user", Unset, false),
    ("SELinux", "securityContext.seLinuxOptions.role", Unset, false),
    ("/proc Mount Type", "securityContext.procMount", Unset, false),
    ("Seccomp", "securityContext.seccompProfile.type", Set("\"RuntimeDefault\""), true),
    ("Privilege Escalation", "securityContext.allowPrivilegeEscalation", Set("false"), true),
    ("Running as Non-root", "securityContext.runAsNonRoot", Set("true"), true),
    ("Running as Non-root user", "securityContext.runAsUser", Unset, false),
    ("Host Probes / Lifecycle Hooks", "livenessProbe.httpGet.host", Unset, false),
    ("Host Probes / Lifecycle Hooks", "livenessProbe.tcpSocket.host", Unset, false),
    ("Host Probes / Lifecycle Hooks", "readinessProbe.httpGet.host", Unset, false),
    ("Host Probes / Lifecycle Hooks", "readinessProbe.tcpSocket.host", Unset, false),
    ("Host Probes / Lifecycle Hooks", "startupProbe.httpGet.host", Unset, false),
    ("Host Probes / Lifecycle Hooks", "startupProbe.tcpSocket.host", Unset, false),
    ("Host Probes / Lifecycle Hooks", "lifecycle.postStart.httpGet.host", Unset, false),
    ("Host Probes / Lifecycle Hooks", "lifecycle.postStart.tcpSocket.host", Unset, false),
    ("Host Probes / Lifecycle Hooks", "lifecycle.preStop.httpGet.host", Unset, false),
    ("Host Probes / Lifecycle Hooks", "lifecycle.preStop.tcpSocket.host", Unset, false),
];

/// Makes compliant what an entry of `exclude` or of an exception allows.
pub(super) fn apply(pod: &mut Value, entry: &Value) {
    let images: Vec<&str> = list(entry, "/images").filter_map(Value::as_str).collect();
    let entry = Entry {
        control: text(entry, "/controlName"),
        field: Some(text(entry, "/restrictedField")).filter(|field| !field.is_empty()),
        values: list(entry, "/values").filter_map(Value::as_str).collect(),
    };
    if images.is_empty() {
        entry.apply_to_pod(pod);
        return;
    }
    for name in LISTS {
        let containers = pod.pointer_mut(&format!("/spec/{name}")).and_then(Value::as_array_mut);
        for container in containers.into_iter().flatten() {
            let image = text(container, "/image").to_owned();
            if images.iter().any(|pattern| wild(pattern, &image)) {
                entry.apply_to_container(container, &format!("spec.{name}[*]"));
            }
        }
    }
}

/// An entry without its images.
struct Entry<'e> {
    control: &'e str,
    field: Option<&'e str>,
    values: Vec<&'e str>,
}

impl Entry<'_> {
    fn names(&self, control: &str, path: &str) -> bool {
        self.control == control && self.field.is_none_or(|field| field == path)
    }

    /// Whether the entry allows a value. An object has none but the path of a volume of the host.
    fn allows(&self, value: &Value) -> bool {
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Bool(_) | Value::Number(_) => value.to_string(),
            Value::Object(_) => text(value, "/path").to_owned(),
            _ => return true,
        };
        self.values.is_empty() || self.values.iter().any(|pattern| wild(pattern, &text))
    }

    fn apply_to_pod(&self, pod: &mut Value) {
        for (control, path, compliant) in OF_POD {
            if self.names(control, &format!("spec.{path}"))
                && let Some(spec) = pod.get_mut("spec")
            {
                self.change(spec, path, compliant);
            }
        }
        if self.control == "Volume Types" || self.control == "Volumes" {
            self.change_sources(pod);
        }
        if self.control == "AppArmor"
            && self.field.is_none_or(|field| field.starts_with("metadata.annotations"))
        {
            let annotations = pod.pointer_mut("/metadata/annotations").and_then(Value::as_object_mut);
            if let Some(annotations) = annotations {
                annotations.retain(|key, value| !(key.starts_with(APP_ARMOR) && self.allows(value)));
            }
        }
        // The fields of containers that inherit nothing belong to the pod as well.
        if self.field.is_none() && ["Seccomp", "Running as Non-root"].contains(&self.control) {
            self.set_in_containers(pod);
        }
    }

    fn set_in_containers(&self, pod: &mut Value) {
        for name in LISTS {
            let containers = pod.pointer_mut(&format!("/spec/{name}")).and_then(Value::as_array_mut);
            for container in containers.into_iter().flatten() {
                for (control, path, compliant, is_required) in OF_CONTAINERS {
                    if control == self.control && is_required {
                        fill(container, path, compliant);
                    }
                }
            }
        }
    }

    fn apply_to_container(&self, container: &mut Value, prefix: &str) {
        for (control, path, compliant, is_required) in OF_CONTAINERS {
            if self.names(control, &format!("{prefix}.{path}")) {
                self.change(container, path, compliant);
                // With a security context, an unset flag has the value nil, unlike any other field.
                let is_nil = control == "Privilege Escalation" && container.get("securityContext").is_some();
                if is_required && (!is_nil || self.allows(&"nil".into())) {
                    fill(container, path, compliant);
                }
            }
        }
    }

    /// Makes the field at a path compliant if the entry allows its value.
    fn change(&self, value: &mut Value, path: &str, compliant: Compliant) {
        let Some((step, rest)) = path.split_once('.') else {
            if let Some(object) = value.as_object_mut() {
                self.change_field(object, path, compliant);
            }
            return;
        };
        let Some(name) = step.strip_suffix("[*]") else {
            if let Some(next) = value.get_mut(step) {
                self.change(next, rest, compliant);
            }
            return;
        };
        let Some(items) = value.get_mut(name).and_then(Value::as_array_mut) else { return };
        // A sysctl is its name.
        if name == "sysctls" {
            items.retain(|item| !item.get(rest).is_some_and(|name| self.allows(name)));
        }
        for item in items {
            self.change(item, rest, compliant);
        }
    }

    fn change_field(&self, object: &mut Map<String, Value>, key: &str, compliant: Compliant) {
        let Some(value) = object.get_mut(key) else { return };
        let is_allowed = match (value, compliant) {
            // The other elements remain.
            (Value::Array(items), Unset) => {
                items.retain(|item| !self.allows(item));
                return;
            }
            (Value::Array(items), Set(_)) => items.iter().all(|item| self.allows(item)),
            (value, _) => self.allows(value),
        };
        match compliant {
            Unset if is_allowed => drop(object.remove(key)),
            Set(text) if is_allowed => {
                object.insert(key.to_owned(), serde_json::from_str(text).unwrap_or_default());
            }
            Unset | Set(_) => {}
        }
    }

    /// Replaces the volume sources that the entry allows. They have no value but the path of one
    /// of the host.
    fn change_sources(&self, pod: &mut Value) {
        let volumes = pod.pointer_mut("/spec/volumes").and_then(Value::as_array_mut);
        for volume in volumes.into_iter().flatten().filter_map(Value::as_object_mut) {
            volume.retain(|source, value| {
                let is_named = self.field.is_none_or(|field| field == format!("spec.volumes[*].{source}"));
                let is_allowed = source != "hostPath" || self.allows(value);
                SOURCES.contains(&source.as_str()) || !(is_named && is_allowed)
            });
        }
    }
}

/// Sets a field that is not set.
fn fill(value: &mut Value, path: &str, compliant: Compliant) {
    let Set(text) = compliant else { return };
    let (step, rest) = path.split_once('.').map_or((path, None), |(step, rest)| (step, Some(rest)));
    let Some(object) = value.as_object_mut() else { return };
    match rest {
        Some(rest) => fill(object.entry(step).or_insert_with(|| json!({})), rest, compliant),
        None => {
            object.entry(step).or_insert_with(|| serde_json::from_str(text).unwrap_or_default());
        }
    }
}
