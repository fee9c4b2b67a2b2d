//! The settings of the modules for what a policy allows.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::allowance::{Allowance, Freedom, HostPaths, Names, RunAs, SeLinux};

/// The version whose checks are contemporary with the kind, which v1.25 removed: later
/// versions have checks that no policy had, and do not check some pods.
pub(super) const VERSION: &str = "v1.24";

/// The capabilities that the level baseline allows.
const BASELINE_CAPABILITIES: [&str; 13] = [
    "AUDIT_WRITE",
    "CHOWN",
    "DAC_OVERRIDE",
    "FOWNER",
    "FSETID",
    "KILL",
    "MKNOD",
    "NET_BIND_SERVICE",
    "SETFCAP",
    "SETGID",
    "SETPCAP",
    "SETUID",
    "SYS_CHROOT",
];

/// The number of volume sources that only the level restricted refuses.
const RESTRICTED_SOURCES: usize = 20;

/// The SELinux types that the level baseline allows.
const TYPES: [&str; 3] = ["container_t", "container_init_t", "container_kvm_t"];

/// The lists of containers.
const LISTS: [&str; 3] = ["containers", "initContainers", "ephemeralContainers"];

/// The pods that a manifest of `pod-security` judges.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Part {
    /// All pods, but not the fields that containers inherit or leave unset.
    All,
    /// Pods in which a container runs as root because of what it leaves to the pod. A match
    /// condition selects them.
    Inheriting,
}

/// Returns the settings of `pod-security`; `None` if nothing is to be refused.
pub(super) fn pod_security(allowance: &Allowance, part: Part) -> Option<Map<String, Value>> {
    let is_restricted = needs_restricted(allowance);
    let mut entries = Entries(Vec::new());
    entries.baseline(allowance, is_restricted);
    if is_restricted {
        entries.restricted(allowance, part);
    } else if !needs_baseline(allowance) {
        return None;
    }
    let mut settings = Map::new();
    settings.insert("level".to_owned(), if is_restricted { "restricted" } else { "baseline" }.into());
    settings.insert("version".to_owned(), VERSION.into());
    if !entries.0.is_empty() {
        settings.insert("exclude".to_owned(), Value::Array(entries.0));
    }
    Some(settings)
}

/// Returns the settings of `selinux` for exactly the fixed options; `None` if any are allowed.
pub(super) fn selinux(allowance: &Allowance, mode: &str) -> Option<Map<String, Value>> {
    let SeLinux::Fixed(fixed) = &allowance.se_linux else { return None };
    if fixed.is_empty() {
        return None;
    }
    Some(fixed_context(fixed, mode))
}

/// The settings of `selinux` for exactly these options.
pub(crate) fn fixed_context(fixed: &BTreeMap<&'static str, String>, mode: &str) -> Map<String, Value> {
    let settings = json!({
        "mode": mode,
        "allocation": { "source": "Fixed", "fixed": fixed },
        "types": { "allowed": [], "unconfined": [] },
        "hostNamespaces": { "action": "Ignore" },
        "intraPod": "Ignore",
        "volumes": { "hostPath": "Off", "readOnlyClaims": "Off", "localPersistentVolumes": "Off" },
    });
    settings.as_object().cloned().unwrap_or_default()
}

fn needs_restricted(allowance: &Allowance) -> bool {
    !allowance.has(Freedom::Escalation)
        || !allowance.has(Freedom::KeptCapabilities)
        || !allows_baseline_capabilities(allowance)
        || allowance.volumes.len() < RESTRICTED_SOURCES
        || allowance.run_as != RunAs::Any
        || !allowance.has(Freedom::UnsetSeccomp)
}

fn needs_baseline(allowance: &Allowance) -> bool {
    use Freedom::{
        HostIpc, HostNetwork, HostPid, Privileged, UnconfinedAppArmor, UnconfinedSeccomp, UnmaskedProc,
    };
    [Privileged, HostNetwork, HostPid, HostIpc, UnmaskedProc, UnconfinedAppArmor, UnconfinedSeccomp]
        .into_iter()
        .any(|freedom| !allowance.has(freedom))
        || allowance.capabilities != Names::All
        || allowance.sysctls != Names::All
        || !allowance.host_ports.are_all()
        || allowance.host_paths != HostPaths::All
        || is_confined(&allowance.se_linux)
}

fn allows_baseline_capabilities(allowance: &Allowance) -> bool {
    match &allowance.capabilities {
        Names::All => true,
        Names::Only(names) => BASELINE_CAPABILITIES.iter().all(|name| names.contains(*name)),
    }
}

/// Whether the standards allow all SELinux options that are allowed.
fn is_confined(se_linux: &SeLinux) -> bool {
    let SeLinux::Fixed(fixed) = se_linux else { return false };
    let type_name = fixed.get("type").map(String::as_str);
    !fixed.contains_key("user")
        && !fixed.contains_key("role")
        && type_name.is_none_or(|name| TYPES.contains(&name))
}

/// The entries of `exclude`.
struct Entries(Vec<Value>);

impl Entries {
    fn baseline(&mut self, allowance: &Allowance, is_restricted: bool) {
        if !is_confined(&allowance.se_linux) {
            self.everywhere("SELinux");
        }
        if allowance.has(Freedom::Privileged) {
            self.containers("Privileged Containers");
        }
        for (freedom, field) in [
            (Freedom::HostNetwork, "spec.hostNetwork"),
            (Freedom::HostPid, "spec.hostPID"),
            (Freedom::HostIpc, "spec.hostIPC"),
        ] {
            if allowance.has(freedom) {
                self.pod_field("Host Namespaces", field, ["true"]);
            }
        }
        if allowance.has(Freedom::HostNetwork) {
            // The API server requires hostNetwork of them, and no other part of a policy is about
            // them.
            self.everywhere("HostProcess");
        }
        if allowance.host_ports.are_all() {
            self.containers("Host Ports");
        } else {
            self.container_field("Host Ports", "ports[*].hostPort", &allowance.host_ports.patterns());
        }
        self.host_paths(&allowance.host_paths, is_restricted);
        if allowance.has(Freedom::UnmaskedProc) {
            self.container_field("/proc Mount Type", "securityContext.procMount", &["Unmasked"]);
        }
        if allowance.has(Freedom::UnconfinedAppArmor) {
            self.everywhere("AppArmor");
        }
        self.seccomp(allowance, is_restricted);
        match &allowance.sysctls {
            Names::All => self.pod_control("Sysctls"),
            Names::Only(names) => self.pod_field("Sysctls", "spec.securityContext.sysctls[*].name", names),
        }
        self.capabilities(allowance, is_restricted);
    }

    fn seccomp(&mut self, allowance: &Allowance, is_restricted: bool) {
        const FIELD: &str = "securityContext.seccompProfile.type";
        match (allowance.has(Freedom::UnconfinedSeccomp), allowance.has(Freedom::UnsetSeccomp)) {
            (true, true) => self.everywhere("Seccomp"),
            (true, false) => {
                self.pod_field("Seccomp", &format!("spec.{FIELD}"), ["Unconfined"]);
                self.container_field("Seccomp", FIELD, &["Unconfined"]);
            }
            (false, true) if is_restricted => self.container_field("Seccomp", FIELD, &[""]),
            (false, _) => {}
        }
    }

    fn capabilities(&mut self, allowance: &Allowance, is_restricted: bool) {
        const ADD: &str = "securityContext.capabilities.add";
        let allowed = if is_restricted { &["NET_BIND_SERVICE"][..] } else { &BASELINE_CAPABILITIES };
        match &allowance.capabilities {
            Names::All if allowance.has(Freedom::KeptCapabilities) => self.containers("Capabilities"),
            Names::All => self.container_field("Capabilities", ADD, &["*"]),
            Names::Only(names) => {
                let names: Vec<&str> =
                    names.iter().map(String::as_str).filter(|name| !allowed.contains(name)).collect();
                self.container_field("Capabilities", ADD, &names);
            }
        }
        if is_restricted && allowance.has(Freedom::KeptCapabilities) && allowance.capabilities != Names::All {
            self.container_field("Capabilities", "securityContext.capabilities.drop", &["*"]);
        }
    }

    fn restricted(&mut self, allowance: &Allowance, part: Part) {
        if allowance.has(Freedom::Escalation) {
            self.containers("Privilege Escalation");
        }
        for source in &allowance.volumes {
            self.pod_field("Volume Types", &format!("spec.volumes[*].{source}"), ["*"]);
        }
        let is_all = part == Part::All;
        match allowance.run_as {
            RunAs::Any | RunAs::NonZero => self.everywhere("Running as Non-root"),
            RunAs::NonRoot if is_all => {
                self.pod_field("Running as Non-root", "spec.securityContext.runAsNonRoot", ["false"]);
                self.container_field("Running as Non-root", "securityContext.runAsNonRoot", &[""]);
            }
            RunAs::NonRoot => {}
        }
        match allowance.run_as {
            RunAs::Any => self.everywhere("Running as Non-root user"),
            RunAs::NonZero | RunAs::NonRoot if is_all => {
                self.pod_field("Running as Non-root user", "spec.securityContext.runAsUser", ["0"]);
            }
            RunAs::NonZero | RunAs::NonRoot => {}
        }
    }

    fn host_paths(&mut self, allowed: &HostPaths, is_restricted: bool) {
        const FIELD: &str = "spec.volumes[*].hostPath";
        let controls: &[&str] =
            if is_restricted { &["HostPath Volumes", "Volume Types"] } else { &["HostPath Volumes"] };
        for control in controls {
            match allowed {
                HostPaths::All => self.pod_field(control, FIELD, ["*"]),
                HostPaths::Below(paths) => {
                    for must_be_read_only in [false, true] {
                        let paths = paths.iter().filter(|(_, read_only)| **read_only == must_be_read_only);
                        let values: Vec<String> = paths.flat_map(|(path, _)| below(path)).collect();
                        if !values.is_empty() {
                            let mut entry = json!({
                                "controlName": control,
                                "restrictedField": FIELD,
                                "values": values,
                            });
                            if must_be_read_only && let Some(entry) = entry.as_object_mut() {
                                entry.insert("readOnly".to_owned(), true.into());
                            }
                            self.0.push(entry);
                        }
                    }
                }
            }
        }
    }

    /// Excludes a control, for the fields of the pod and of all containers.
    fn everywhere(&mut self, control: &str) {
        self.pod_control(control);
        self.containers(control);
    }

    fn pod_control(&mut self, control: &str) {
        self.0.push(json!({ "controlName": control }));
    }

    fn containers(&mut self, control: &str) {
        self.0.push(json!({ "controlName": control, "images": ["*"] }));
    }

    fn pod_field<T: AsRef<str>>(&mut self, control: &str, field: &str, values: impl IntoIterator<Item = T>) {
        let values: BTreeSet<String> = values.into_iter().map(|value| value.as_ref().to_owned()).collect();
        if !values.is_empty() {
            self.0.push(json!({ "controlName": control, "restrictedField": field, "values": values }));
        }
    }

    fn container_field<T: AsRef<str>>(&mut self, control: &str, field: &str, values: &[T]) {
        if values.is_empty() {
            return;
        }
        let values: Vec<&str> = values.iter().map(AsRef::as_ref).collect();
        for list in LISTS {
            self.0.push(json!({
                "controlName": control,
                "images": ["*"],
                "restrictedField": format!("spec.{list}[*].{field}"),
                "values": values,
            }));
        }
    }
}

/// The patterns of a path without a final slash, and of everything below it.
fn below(path: &str) -> Vec<String> {
    let itself = Some(path.to_owned()).filter(|path| !path.is_empty() && !path.ends_with('/'));
    itself.into_iter().chain([format!("{path}/*")]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::pod_security::standard::{Allowed, Check};

    #[test]
    fn the_lists_are_those_of_the_standards() {
        let rules = |id: &str| Check::find(id).unwrap().at(24).unwrap().rules;
        let lists = |id: &str| -> Vec<&[&str]> {
            let allowed = rules(id).iter().map(|rule| rule.allowed);
            allowed
                .filter_map(|allowed| if let Allowed::Only(list) = allowed { Some(list) } else { None })
                .collect()
        };
        assert_eq!(lists("capabilities_baseline"), [BASELINE_CAPABILITIES]);
        assert_eq!(lists("seLinuxOptions").first().unwrap().split_first().unwrap().1, TYPES);
    }
}
