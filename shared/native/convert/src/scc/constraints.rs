//! `SecurityContextConstraints`: what they allow, and the parts that no module can express.

use std::collections::BTreeSet;

use serde_json::Value;

use super::lifts::{Lifts, Part};
use crate::InputError;
use crate::conversion::FieldProblem;
use crate::fields::Fields;
use crate::objects;

/// The types of volumes that the level restricted refuses, with the field of a volume.
///
/// Source: `security/v1/types.go` in openshift/api, `FSType`.
const REFUSED_VOLUMES: [(&str, &str); 21] = [
    ("hostPath", "volumes[*].hostPath"),
    ("azureDisk", "volumes[*].azureDisk"),
    ("azureFile", "volumes[*].azureFile"),
    ("flocker", "volumes[*].flocker"),
    ("flexVolume", "volumes[*].flexVolume"),
    ("gcePersistentDisk", "volumes[*].gcePersistentDisk"),
    ("awsElasticBlockStore", "volumes[*].awsElasticBlockStore"),
    ("gitRepo", "volumes[*].gitRepo"),
    ("nfs", "volumes[*].nfs"),
    ("iscsi", "volumes[*].iscsi"),
    ("glusterfs", "volumes[*].glusterfs"),
    ("rbd", "volumes[*].rbd"),
    ("cinder", "volumes[*].cinder"),
    ("cephFS", "volumes[*].cephfs"),
    ("fc", "volumes[*].fc"),
    ("vsphere", "volumes[*].vsphereVolume"),
    ("quobyte", "volumes[*].quobyte"),
    ("photonPersistentDisk", "volumes[*].photonPersistentDisk"),
    ("portworxVolume", "volumes[*].portworxVolume"),
    ("scaleIO", "volumes[*].scaleIO"),
    ("storageOS", "volumes[*].storageos"),
];

/// The types of volumes that every level allows.
const ALLOWED_VOLUMES: [&str; 9] = [
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

/// Sysctls that every pod may set.
const SAFE_SYSCTLS: [&str; 12] = [
    "kernel.shm_rmid_forced",
    "net.ipv4.ip_local_port_range",
    "net.ipv4.ip_local_reserved_ports",
    "net.ipv4.ip_unprivileged_port_start",
    "net.ipv4.ping_group_range",
    "net.ipv4.tcp_fin_timeout",
    "net.ipv4.tcp_keepalive_intvl",
    "net.ipv4.tcp_keepalive_probes",
    "net.ipv4.tcp_keepalive_time",
    "net.ipv4.tcp_rmem",
    "net.ipv4.tcp_syncookies",
    "net.ipv4.tcp_wmem",
];

/// All fields.
const FIELDS: [&str; 30] = [
    "allowHostDirVolumePlugin",
    "allowHostIPC",
    "allowHostNetwork",
    "allowHostPID",
    "allowHostPorts",
    "allowPrivilegeEscalation",
    "allowPrivilegedContainer",
    "allowedCapabilities",
    "allowedFlexVolumes",
    "allowedUnsafeSysctls",
    "apiVersion",
    "defaultAddCapabilities",
    "defaultAllowPrivilegeEscalation",
    "forbiddenSysctls",
    "fsGroup",
    "groups",
    "kind",
    "metadata",
    "priority",
    "readOnlyRootFilesystem",
    "requiredDropCapabilities",
    "runAsGroup",
    "runAsUser",
    "seLinuxContext",
    "seccompProfiles",
    "status",
    "supplementalGroups",
    "userNamespaceLevel",
    "users",
    "volumes",
];

/// The users that containers may run as.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) enum RunAs {
    /// `runAsNonRoot: true` or a user other than root.
    NonRoot,
    /// User 0, too, if the pod sets it.
    Zero,
    /// Any user, and that of the image.
    Any,
}

/// The SELinux options that containers must have.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum SeLinux {
    Any,
    /// These options, and the level of the Namespace if none is set.
    Required {
        user: String,
        role: String,
        type_name: String,
        level: String,
    },
}

/// `SecurityContextConstraints`.
#[derive(Clone)]
pub(super) struct Constraints<'d> {
    object: Fields<'d>,
    title: String,
    name: &'d str,
    users: Vec<&'d str>,
    groups: Vec<&'d str>,
    lifts: Lifts,
    run_as: RunAs,
    se_linux: SeLinux,
    allow_everything: bool,
    problems: Vec<FieldProblem>,
}

/// A reader of some fields. Returns whether they allow everything.
type Reader = fn(&mut Constraints<'_>) -> Result<bool, InputError>;

const READERS: [Reader; 8] =
    [host, escalation, capabilities, volumes, run_as_user, se_linux_context, seccomp, sysctls];

impl<'d> Constraints<'d> {
    /// Reads constraints.
    ///
    /// # Errors
    /// Fields that the API server would not accept.
    pub(super) fn read(object: &Fields<'d>) -> Result<Self, InputError> {
        if object.text("apiVersion")? != Some("security.openshift.io/v1") {
            return Err(object.error("apiVersion", "expected security.openshift.io/v1"));
        }
        let mut constraints = Self {
            title: objects::title(object)?,
            name: object.required_object("metadata")?.required_text("name")?,
            users: object.texts("users")?,
            groups: object.texts("groups")?,
            lifts: Lifts::default(),
            run_as: RunAs::NonRoot,
            se_linux: SeLinux::Any,
            allow_everything: true,
            problems: object.unknown(&FIELDS),
            object: object.clone(),
        };
        for read in READERS {
            constraints.allow_everything &= read(&mut constraints)?;
        }
        constraints.list_others()?;
        Ok(constraints)
    }

    pub(super) fn document(&self) -> &'d str {
        self.object.document()
    }

    pub(super) fn path(&self, key: &str) -> String {
        self.object.path(key)
    }

    pub(super) fn title(&self) -> &str {
        &self.title
    }

    pub(super) fn name(&self) -> &'d str {
        self.name
    }

    pub(super) fn users(&self) -> &[&'d str] {
        &self.users
    }

    pub(super) fn groups(&self) -> &[&'d str] {
        &self.groups
    }

    /// The lifted parts of the level restricted.
    pub(super) fn lifts(&self) -> &Lifts {
        &self.lifts
    }

    pub(super) fn run_as(&self) -> RunAs {
        self.run_as
    }

    pub(super) fn se_linux(&self) -> &SeLinux {
        &self.se_linux
    }

    /// Whether no manifest would refuse a pod that meets the constraints.
    pub(super) fn allow_everything(&self) -> bool {
        self.allow_everything
    }

    /// The parts that no manifest contains.
    pub(super) fn problems(&self) -> &[FieldProblem] {
        &self.problems
    }

    fn leave_out(&mut self, key: &str, problem: impl Into<String>) {
        self.problems.push(FieldProblem::new(self.object.path(key), problem));
    }

    fn flag(&self, key: &str) -> Result<bool, InputError> {
        Ok(self.object.boolean(key)?.unwrap_or_default())
    }

    /// Lists the fields that no module is about.
    fn list_others(&mut self) -> Result<(), InputError> {
        if self.flag("readOnlyRootFilesystem")? {
            let problem = "no module requires read-only root file systems, so containers with writable ones are admitted";
            self.leave_out("readOnlyRootFilesystem", problem);
        }
        for key in ["fsGroup", "supplementalGroups", "runAsGroup"] {
            let strategy = self.object.object(key)?;
            if strategy.map(|strategy| strategy.text("type")).transpose()?.flatten() == Some("MustRunAs") {
                let problem = "no module sets or restricts groups, so pods with all groups are admitted";
                self.leave_out(key, problem);
            }
        }
        if self.object.text("userNamespaceLevel")? == Some("RequirePodLevel") {
            let problem =
                "no module requires hostUsers: false, so pods in the user namespace of the host are admitted";
            self.leave_out("userNamespaceLevel", problem);
        }
        Ok(())
    }
}

fn host(constraints: &mut Constraints<'_>) -> Result<bool, InputError> {
    const NAMESPACES: [(&str, &str); 3] =
        [("allowHostNetwork", "hostNetwork"), ("allowHostPID", "hostPID"), ("allowHostIPC", "hostIPC")];
    const CONTAINERS: [(&str, &str); 2] =
        [("allowHostPorts", "Host Ports"), ("allowPrivilegedContainer", "Privileged Containers")];
    let mut all = true;
    for (key, field) in NAMESPACES {
        let is_allowed = constraints.flag(key)?;
        all &= is_allowed;
        if is_allowed {
            constraints.lifts.values("Host Namespaces", Part::PodField(field), ["true"]);
        }
    }
    for (key, control) in CONTAINERS {
        let is_allowed = constraints.flag(key)?;
        all &= is_allowed;
        if is_allowed {
            constraints.lifts.part(control, Part::Containers);
        }
    }
    Ok(all)
}

fn escalation(constraints: &mut Constraints<'_>) -> Result<bool, InputError> {
    const KEY: &str = "allowPrivilegeEscalation";
    const DEFAULT: &str = "defaultAllowPrivilegeEscalation";
    // The API server writes true if the field is absent.
    let is_allowed = constraints.object.boolean(KEY)?.unwrap_or(true);
    if is_allowed {
        constraints.lifts.part("Privilege Escalation", Part::Containers);
        if constraints.object.boolean(DEFAULT)? == Some(false) {
            let problem = "no module sets false in containers that leave allowPrivilegeEscalation unset; write it into them";
            constraints.leave_out(DEFAULT, problem);
        }
    } else {
        let problem = "OpenShift sets false in containers that leave allowPrivilegeEscalation unset, and the policy \
                       refuses them; write it into them";
        constraints.leave_out(KEY, problem);
    }
    Ok(is_allowed)
}

fn capabilities(constraints: &mut Constraints<'_>) -> Result<bool, InputError> {
    const CONTROL: &str = "Capabilities";
    const ADD: Part = Part::ContainerField("securityContext.capabilities.add");
    const DROP: Part = Part::ContainerField("securityContext.capabilities.drop");
    const ALLOWED: &str = "allowedCapabilities";
    const DEFAULT: &str = "defaultAddCapabilities";
    const REQUIRED: &str = "requiredDropCapabilities";
    let object = constraints.object.clone();
    let (allowed, default, required) =
        (object.texts(ALLOWED)?, object.texts(DEFAULT)?, object.texts(REQUIRED)?);
    let all = allowed.contains(&"*");
    if let Some(name) = allowed.iter().chain(&default).find(|name| **name != "*" && name.contains(['*', '?']))
    {
        return Err(object.error(ALLOWED, format!("{} is not a capability", Value::from(*name))));
    }
    if all && required.is_empty() {
        constraints.lifts.part(CONTROL, Part::Containers);
    } else if all {
        constraints.lifts.values(CONTROL, ADD, ["*"]);
    } else {
        let names = allowed.iter().chain(&default).copied().filter(|name| *name != "NET_BIND_SERVICE");
        constraints.lifts.values(CONTROL, ADD, names);
        if !allowed.iter().chain(&default).any(|name| *name == "NET_BIND_SERVICE") {
            let problem = "every level of the standards allows NET_BIND_SERVICE, so containers that add it are admitted";
            constraints.leave_out(ALLOWED, problem);
        }
    }
    if required.contains(&"ALL") {
        let problem = "OpenShift adds ALL to drop in every container, and the policy refuses containers without it; \
                       write capabilities.drop: [ALL] into them";
        constraints.leave_out(REQUIRED, problem);
    } else if !(all && required.is_empty()) {
        constraints.lifts.values(CONTROL, DROP, ["*"]);
    }
    let others: Vec<&str> = required.iter().copied().filter(|name| *name != "ALL").collect();
    if !others.is_empty() {
        let problem = format!(
            "no module drops {}, and the standards can only require ALL, so containers that keep them are admitted",
            others.join(", ")
        );
        constraints.leave_out(REQUIRED, problem);
    }
    if !default.is_empty() {
        let problem =
            format!("no module adds {}; write them into the containers that need them", default.join(", "));
        constraints.leave_out(DEFAULT, problem);
    }
    Ok(all && !required.contains(&"ALL"))
}

/// Reads the types of volumes, as the API server completes them: the flag about host directories
/// takes precedence.
///
/// Source: `SetDefaults_SCC` in openshift/library-go.
fn volumes(constraints: &mut Constraints<'_>) -> Result<bool, InputError> {
    const KEY: &str = "volumes";
    const FLEX: &str = "allowedFlexVolumes";
    let object = constraints.object.clone();
    let types: BTreeSet<&str> = match object.get(KEY) {
        None => BTreeSet::from(["*"]),
        Some(_) => object.texts(KEY)?.into_iter().collect(),
    };
    let is_known = |name: &&&str| {
        ["*", "none"].contains(*name)
            || ALLOWED_VOLUMES.contains(*name)
            || REFUSED_VOLUMES.iter().any(|(known, _)| known == *name)
    };
    if let Some(unknown) = types.iter().find(|name| !is_known(name)) {
        return Err(object.error(KEY, format!("{} is not a type of volume", Value::from(*unknown))));
    }
    let host = constraints.flag("allowHostDirVolumePlugin")?;
    let allows =
        |name: &str| if name == "hostPath" { host } else { types.contains("*") || types.contains(name) };
    let mut all = true;
    for (name, field) in REFUSED_VOLUMES {
        if !allows(name) {
            all = false;
            continue;
        }
        constraints.lifts.values("Volume Types", Part::PodField(field), ["*"]);
        if name == "hostPath" {
            constraints.lifts.values("HostPath Volumes", Part::PodField(field), ["*"]);
        }
    }
    let refused: Vec<&str> = ALLOWED_VOLUMES.into_iter().filter(|name| !allows(name)).collect();
    if !refused.is_empty() {
        let problem = format!(
            "every level of the standards allows volumes of the types {}, so pods with them are admitted",
            refused.join(", ")
        );
        constraints.leave_out(KEY, problem);
    }
    if allows("flexVolume") && !object.objects(FLEX)?.is_empty() {
        let problem =
            "no control of the standards is about drivers, so flexVolumes with all drivers are admitted";
        constraints.leave_out(FLEX, problem);
    }
    Ok(all)
}

fn run_as_user(constraints: &mut Constraints<'_>) -> Result<bool, InputError> {
    const KEY: &str = "runAsUser";
    let object = constraints.object.clone();
    let strategy = object.required_object(KEY)?;
    let number = |key: &str| -> Result<Option<i64>, InputError> {
        let number = strategy
            .get(key)
            .map(|value| value.as_i64().ok_or_else(|| strategy.error(key, "expected an integer")));
        number.transpose()
    };
    let assigns = "OpenShift assigns a user to containers without one, and the policy refuses them unless they have \
                   runAsNonRoot: true; every user other than root is admitted. Write runAsUser or runAsNonRoot into them";
    let kind = strategy.required_text("type")?;
    constraints.run_as = match kind {
        "RunAsAny" => RunAs::Any,
        "MustRunAsNonRoot" => {
            let problem = "OpenShift sets runAsNonRoot: true in containers without runAsNonRoot and runAsUser, and the \
                           policy refuses them; write it into them. Containers with runAsNonRoot: false and a user \
                           other than root are admitted";
            constraints.leave_out(KEY, problem);
            RunAs::NonRoot
        }
        "MustRunAs" => {
            let uid = number("uid")?.ok_or_else(|| strategy.missing("uid"))?;
            constraints.leave_out(KEY, assigns);
            if uid == 0 { RunAs::Zero } else { RunAs::NonRoot }
        }
        "MustRunAsRange" => {
            constraints.leave_out(KEY, assigns);
            match (number("uidRangeMin")?, number("uidRangeMax")?) {
                (Some(min), Some(max)) if min <= 0 && max >= 0 => RunAs::Zero,
                (Some(_), Some(_)) | (None, None) => RunAs::NonRoot,
                (Some(_), None) => return Err(strategy.missing("uidRangeMax")),
                (None, Some(_)) => return Err(strategy.missing("uidRangeMin")),
            }
        }
        _ => {
            return Err(
                strategy.error("type", "expected MustRunAs, MustRunAsRange, MustRunAsNonRoot or RunAsAny")
            );
        }
    };
    if constraints.run_as != RunAs::NonRoot {
        let field = Part::ContainerField("securityContext.runAsUser");
        constraints.lifts.values("Running as Non-root user", field, ["0"]);
    }
    Ok(constraints.run_as == RunAs::Any)
}

fn se_linux_context(constraints: &mut Constraints<'_>) -> Result<bool, InputError> {
    const KEY: &str = "seLinuxContext";
    let object = constraints.object.clone();
    let strategy = object.required_object(KEY)?;
    match strategy.required_text("type")? {
        "RunAsAny" => {}
        "MustRunAs" => {
            let options = strategy.object("seLinuxOptions")?;
            let option = |key: &str| {
                let text = options.as_ref().map(|options| options.text(key)).transpose();
                text.map(|text| text.flatten().unwrap_or_default().to_owned())
            };
            constraints.se_linux = SeLinux::Required {
                user: option("user")?,
                role: option("role")?,
                type_name: option("type")?,
                level: option("level")?,
            };
        }
        _ => return Err(strategy.error("type", "expected MustRunAs or RunAsAny")),
    }
    Ok(constraints.se_linux == SeLinux::Any)
}

fn seccomp(constraints: &mut Constraints<'_>) -> Result<bool, InputError> {
    const KEY: &str = "seccompProfiles";
    const CONTROL: &str = "Seccomp";
    const FIELD: &str = "securityContext.seccompProfile.type";
    let profiles = constraints.object.texts(KEY)?;
    if profiles.contains(&"*") {
        constraints.lifts.control(CONTROL);
        return Ok(true);
    }
    let has = |names: &[&str]| profiles.iter().any(|profile| names.contains(profile));
    if has(&["unconfined"]) {
        constraints.lifts.values(CONTROL, Part::PodField(FIELD), ["Unconfined"]);
        constraints.lifts.values(CONTROL, Part::ContainerField(FIELD), ["Unconfined"]);
    }
    match profiles.first() {
        None => {
            constraints.lifts.values(CONTROL, Part::ContainerField(FIELD), [""]);
            let problem = "OpenShift refuses pods with a seccomp profile if there are none here; the policy admits \
                           RuntimeDefault and Localhost";
            constraints.leave_out(KEY, problem);
        }
        Some(first) => {
            let problem = format!(
                "OpenShift sets {first} in pods without a profile, and the policy refuses them; write the profile into \
                 them. The policy admits RuntimeDefault and every profile of the type Localhost"
            );
            constraints.leave_out(KEY, problem);
        }
    }
    Ok(false)
}

fn sysctls(constraints: &mut Constraints<'_>) -> Result<bool, InputError> {
    const ALLOWED: &str = "allowedUnsafeSysctls";
    const FORBIDDEN: &str = "forbiddenSysctls";
    const CONTROL: &str = "Sysctls";
    let object = constraints.object.clone();
    let (allowed, forbidden) = (object.texts(ALLOWED)?, object.texts(FORBIDDEN)?);
    for (key, patterns) in [(ALLOWED, &allowed), (FORBIDDEN, &forbidden)] {
        let is_pattern = |text: &&&str| text.strip_suffix('*').unwrap_or(text).contains(['*', '?']);
        if let Some(text) = patterns.iter().find(is_pattern) {
            let problem = "is not a sysctl, nor the beginning of one with a final *";
            return Err(object.error(key, format!("{} {problem}", Value::from(*text))));
        }
    }
    let all = allowed.contains(&"*");
    if all {
        constraints.lifts.part(CONTROL, Part::Pod);
    } else {
        constraints.lifts.values(
            CONTROL,
            Part::PodField("securityContext.sysctls[*].name"),
            allowed.iter().copied(),
        );
    }
    let matches = |name: &str| {
        forbidden.iter().any(|pattern| match pattern.strip_suffix('*') {
            Some(prefix) => name.starts_with(prefix),
            None => *pattern == name,
        })
    };
    let safe: Vec<&str> = SAFE_SYSCTLS.into_iter().filter(|name| matches(name)).collect();
    if !safe.is_empty() {
        let problem = format!(
            "every level of the standards allows {}, so pods that set them are admitted",
            safe.join(", ")
        );
        constraints.leave_out(FORBIDDEN, problem);
    }
    if allowed.iter().any(|pattern| pattern.ends_with('*')) && !forbidden.is_empty() {
        let problem =
            format!("{ALLOWED} has a pattern, from which no exclusion takes sysctls out; they are admitted");
        constraints.leave_out(FORBIDDEN, problem);
    }
    Ok(all && forbidden.is_empty())
}
