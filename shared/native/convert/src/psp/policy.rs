//! A `PodSecurityPolicy`: what it allows, and the parts that no module can express.
//!
//! Sources: kubernetes 1.20.2, `pkg/security/podsecuritypolicy` (what the plugin checks and sets)
//! and `pkg/apis/policy/validation` (what the API server accepts); the page on the mapping to the
//! Pod Security Standards on kubernetes.io.

use std::collections::{BTreeMap, BTreeSet};

use manifest::found;
use serde_json::Value;

use super::allowance::{Allowance, Freedom, HostPaths, Names, PortRanges, RunAs, SeLinux};
use super::profiles;
use crate::InputError;
use crate::conversion::FieldProblem;
use crate::fields::Fields;
use crate::objects;

/// A policy.
#[derive(Clone, Debug)]
pub(super) struct Policy {
    pub(super) document: String,
    pub(super) title: String,
    pub(super) name: String,
    pub(super) allowance: Allowance,
    /// The parts that no manifest contains.
    pub(super) problems: Vec<FieldProblem>,
    /// Whether the API server can use the policy. Otherwise, it admits no pod.
    pub(super) is_usable: bool,
}

/// The fields of a specification, each with its reader.
const READERS: [(&str, Reader); 14] = [
    ("privileged", flag),
    ("hostNetwork", flag),
    ("hostPID", flag),
    ("hostIPC", flag),
    ("hostPorts", host_ports),
    ("volumes", volumes),
    ("allowPrivilegeEscalation", escalation),
    ("allowedCapabilities", capabilities),
    ("allowedProcMountTypes", proc_mounts),
    ("allowedUnsafeSysctls", sysctls),
    ("seLinux", se_linux),
    ("runAsUser", run_as_user),
    ("readOnlyRootFilesystem", read_only_root),
    ("runtimeClass", runtime_class),
];

/// Reads a field, which may be absent, and those that belong to it.
type Reader = fn(&Fields<'_>, &'static str, &mut Policy) -> Result<(), InputError>;

/// The fields about groups: the field of pods, and whether a policy may leave them out.
const GROUPS: [(&str, bool); 3] = [("fsGroup", false), ("supplementalGroups", false), ("runAsGroup", true)];

/// The fields that readers of other fields read.
const OTHER_FIELDS: [&str; 9] = [
    "allowedHostPaths",
    "allowedFlexVolumes",
    "allowedCSIDrivers",
    "defaultAllowPrivilegeEscalation",
    "defaultAddCapabilities",
    "requiredDropCapabilities",
    "forbiddenSysctls",
    "fsGroup",
    "supplementalGroups",
];

/// The field for which one flag is enough.
const FLAGS: [(&str, Freedom); 4] = [
    ("privileged", Freedom::Privileged),
    ("hostNetwork", Freedom::HostNetwork),
    ("hostPID", Freedom::HostPid),
    ("hostIPC", Freedom::HostIpc),
];

/// The sources of volumes that the level restricted refuses, in the order of the API.
const REFUSED_VOLUMES: [&str; 20] = [
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "gitRepo",
    "nfs",
    "iscsi",
    "glusterfs",
    "rbd",
    "flexVolume",
    "cinder",
    "cephFS",
    "flocker",
    "fc",
    "azureFile",
    "vsphereVolume",
    "quobyte",
    "azureDisk",
    "photonPersistentDisk",
    "portworxVolume",
    "scaleIO",
    "storageos",
];

/// The sources of volumes that the standards allow at every level.
const ALLOWED_VOLUMES: [&str; 8] = [
    "configMap",
    "csi",
    "downwardAPI",
    "emptyDir",
    "ephemeral",
    "persistentVolumeClaim",
    "projected",
    "secret",
];

/// The sysctls that every pod may set, by a policy and at the levels of v1.24.
const SAFE_SYSCTLS: [&str; 5] = [
    "kernel.shm_rmid_forced",
    "net.ipv4.ip_local_port_range",
    "net.ipv4.ip_unprivileged_port_start",
    "net.ipv4.ping_group_range",
    "net.ipv4.tcp_syncookies",
];

/// The problem with a rule that the API server cannot apply.
const UNUSABLE: &str =
    "the API server cannot use a policy without it, so the policy admits no pod and has no manifest";

impl Policy {
    /// Reads a policy.
    ///
    /// # Errors
    /// A document that the API server would not accept.
    pub(super) fn read(object: &Fields<'_>) -> Result<Self, InputError> {
        let metadata = object.required_object("metadata")?;
        let mut policy = Self {
            document: object.document().to_owned(),
            title: objects::title(object)?,
            name: metadata.required_text("name")?.to_owned(),
            allowance: Allowance::default(),
            problems: object.unknown(&["apiVersion", "kind", "metadata", "spec", "status"]),
            is_usable: true,
        };
        let spec = object.required_object("spec")?;
        for (field, read) in READERS {
            read(&spec, field, &mut policy)?;
        }
        for (field, is_optional) in GROUPS {
            group(&spec, field, is_optional, &mut policy)?;
        }
        let known: Vec<&str> =
            READERS.iter().map(|(field, _)| *field).chain(OTHER_FIELDS).chain(["runAsGroup"]).collect();
        policy.problems.extend(spec.unknown(&known));
        profiles::read(&metadata, &mut policy)?;
        Ok(policy)
    }

    /// Adds a part that no manifest contains.
    pub(super) fn leave_out(&mut self, path: String, problem: impl Into<String>) {
        self.problems.push(FieldProblem::new(path, problem));
    }

    pub(super) fn allow(&mut self, freedom: Freedom) {
        self.allowance.freedoms.insert(freedom);
    }
}

fn flag(spec: &Fields<'_>, field: &'static str, policy: &mut Policy) -> Result<(), InputError> {
    if spec.boolean(field)? == Some(true) {
        let allowed = FLAGS.iter().filter(|(known, _)| *known == field).map(|(_, freedom)| *freedom);
        policy.allowance.freedoms.extend(allowed);
    }
    Ok(())
}

fn host_ports(spec: &Fields<'_>, field: &'static str, policy: &mut Policy) -> Result<(), InputError> {
    let mut ranges = Vec::new();
    for range in spec.objects(field)? {
        let (min, max) = (integer(&range, "min")?.max(1), integer(&range, "max")?.min(i64::from(u16::MAX)));
        // A range that contains no port allows nothing.
        if let (Ok(min), Ok(max)) = (u16::try_from(min), u16::try_from(max))
            && min <= max
        {
            ranges.push((min, max));
        }
    }
    policy.allowance.host_ports = PortRanges::of(ranges);
    Ok(())
}

fn volumes(spec: &Fields<'_>, field: &'static str, policy: &mut Policy) -> Result<(), InputError> {
    let types: BTreeSet<&str> = spec.texts(field)?.into_iter().collect();
    let is_known = |name: &&str| {
        ["*", "hostPath"].iter().chain(&REFUSED_VOLUMES).chain(&ALLOWED_VOLUMES).any(|known| known == name)
    };
    if let Some(unknown) = types.iter().find(|name| !is_known(name)) {
        return Err(spec.error(field, format!("{} is not a type of volume", Value::from(*unknown))));
    }
    let allows = |name: &str| types.contains("*") || types.contains(name);
    policy.allowance.volumes =
        REFUSED_VOLUMES.into_iter().filter(|name| allows(name)).map(api_name).collect();
    let refused: Vec<&str> = ALLOWED_VOLUMES.into_iter().filter(|name| !allows(name)).collect();
    if !refused.is_empty() {
        let problem = format!(
            "every level of the standards allows volumes of the types {}, so pods with them are admitted",
            refused.join(", ")
        );
        policy.leave_out(spec.path(field), problem);
    }
    host_paths(spec, allows("hostPath"), policy)?;
    drivers(spec, "allowedFlexVolumes", "driver", allows("flexVolume"), policy)?;
    drivers(spec, "allowedCSIDrivers", "name", allows("csi"), policy)
}

fn host_paths(spec: &Fields<'_>, are_allowed: bool, policy: &mut Policy) -> Result<(), InputError> {
    const FIELD: &str = "allowedHostPaths";
    let mut paths = BTreeMap::new();
    let entries = spec.objects(FIELD)?;
    for entry in &entries {
        let prefix = entry.text("pathPrefix")?.filter(|prefix| !prefix.is_empty());
        let prefix = prefix.ok_or_else(|| entry.missing("pathPrefix"))?;
        if prefix.split('/').any(|part| part == "..") {
            return Err(entry.error("pathPrefix", "must not contain '..'"));
        }
        let read_only = entry.boolean("readOnly")?.unwrap_or_default();
        if prefix.contains(['*', '?']) {
            let problem = "contains * or ?, which are wildcards for the module; no path below it is allowed";
            policy.refuses_more(entry.path("pathPrefix"), problem);
            continue;
        }
        let prefix = prefix.strip_suffix('/').unwrap_or(prefix).to_owned();
        paths.entry(prefix).and_modify(|known| *known &= read_only).or_insert(read_only);
    }
    if are_allowed {
        // Without a list, every path is allowed.
        policy.allowance.host_paths =
            if entries.is_empty() { HostPaths::All } else { HostPaths::Below(paths) };
    }
    Ok(())
}

/// Lists the drivers of volumes, which no control of the standards is about.
fn drivers(
    spec: &Fields<'_>,
    field: &'static str,
    key: &str,
    are_allowed: bool,
    policy: &mut Policy,
) -> Result<(), InputError> {
    let mut names = Vec::new();
    for entry in spec.objects(field)? {
        names.push(entry.required_text(key)?.to_owned());
    }
    if are_allowed && !names.is_empty() {
        let problem = format!(
            "no control of the standards is about drivers, so volumes with drivers other than {} are admitted",
            names.join(", ")
        );
        policy.leave_out(spec.path(field), problem);
    }
    Ok(())
}

fn escalation(spec: &Fields<'_>, field: &'static str, policy: &mut Policy) -> Result<(), InputError> {
    const DEFAULT: &str = "defaultAllowPrivilegeEscalation";
    let is_allowed = spec.boolean(field)?.unwrap_or(true);
    let default = spec.boolean(DEFAULT)?;
    if is_allowed {
        policy.allow(Freedom::Escalation);
    } else if default == Some(true) {
        return Err(spec.error(DEFAULT, "requires allowPrivilegeEscalation: true"));
    } else {
        let problem = "the policy sets false in containers that leave it unset, which the manifest refuses; write \
                       allowPrivilegeEscalation: false into them";
        policy.leave_out(spec.path(field), problem);
    }
    if is_allowed && let Some(default) = default {
        let problem = format!(
            "no manifest sets {default} in containers that leave it unset; write allowPrivilegeEscalation into them"
        );
        policy.leave_out(spec.path(DEFAULT), problem);
    }
    Ok(())
}

fn capabilities(spec: &Fields<'_>, field: &'static str, policy: &mut Policy) -> Result<(), InputError> {
    const ADDED: &str = "defaultAddCapabilities";
    const DROPPED: &str = "requiredDropCapabilities";
    let (allowed, added, dropped) = (spec.texts(field)?, spec.texts(ADDED)?, spec.texts(DROPPED)?);
    if !dropped.is_empty() && allowed.contains(&"*") {
        return Err(spec.error(DROPPED, "must be empty if allowedCapabilities contains *"));
    }
    for (list, names) in [(field, &allowed), (ADDED, &added)] {
        if let Some(name) = names.iter().copied().find(|name| dropped.contains(name)) {
            return Err(spec.error(list, format!("{} is also in {DROPPED}", Value::from(name))));
        }
    }
    if allowed.contains(&"*") {
        policy.allowance.capabilities = Names::All;
    } else {
        let mut names: BTreeSet<String> =
            allowed.iter().chain(&added).map(|name| (*name).to_owned()).collect();
        if let Some(name) = names.iter().find(|name| name.contains(['*', '?'])).cloned() {
            names.retain(|name| !name.contains(['*', '?']));
            let problem =
                format!("{name} contains a wildcard of the module, so containers with it are refused");
            policy.refuses_more(spec.path(field), problem);
        }
        if !names.contains("NET_BIND_SERVICE") {
            let problem = "every level of the standards allows NET_BIND_SERVICE, so containers that add it are admitted";
            policy.leave_out(spec.path(field), problem);
        }
        policy.allowance.capabilities = Names::Only(names);
    }
    if !added.is_empty() {
        let problem = format!(
            "no manifest adds {} to containers; write them into capabilities.add of those that need them",
            added.join(", ")
        );
        policy.leave_out(spec.path(ADDED), problem);
    }
    if dropped.contains(&"ALL") {
        let problem = "the policy adds ALL to drop in every container, and the manifest refuses containers without it; \
                       write capabilities.drop: [ALL] into them";
        policy.leave_out(spec.path(DROPPED), problem);
    } else {
        policy.allow(Freedom::KeptCapabilities);
    }
    let others: Vec<&str> = dropped.into_iter().filter(|name| *name != "ALL").collect();
    if !others.is_empty() {
        let problem = format!(
            "the standards can only require that containers drop ALL; no manifest drops {}, nor refuses containers \
             that keep them",
            others.join(", ")
        );
        policy.leave_out(spec.path(DROPPED), problem);
    }
    Ok(())
}

fn proc_mounts(spec: &Fields<'_>, field: &'static str, policy: &mut Policy) -> Result<(), InputError> {
    let types = spec.texts(field)?;
    if let Some(unknown) = types.iter().find(|name| !["Default", "Unmasked"].contains(name)) {
        return Err(spec.error(field, format!("{} is neither Default nor Unmasked", Value::from(*unknown))));
    }
    if types.contains(&"Unmasked") {
        policy.allow(Freedom::UnmaskedProc);
        if !types.contains(&"Default") {
            let problem = "every level of the standards allows Default, so containers with it are admitted";
            policy.leave_out(spec.path(field), problem);
        }
    }
    Ok(())
}

fn sysctls(spec: &Fields<'_>, field: &'static str, policy: &mut Policy) -> Result<(), InputError> {
    const FORBIDDEN: &str = "forbiddenSysctls";
    let (allowed, forbidden) = (spec.texts(field)?, spec.texts(FORBIDDEN)?);
    let matches = |pattern: &str, name: &str| match pattern.strip_suffix('*') {
        Some(prefix) => name.starts_with(prefix),
        None => name == pattern,
    };
    for (list, patterns) in [(field, &allowed), (FORBIDDEN, &forbidden)] {
        let is_pattern = |text: &str| !text.strip_suffix('*').unwrap_or(text).contains(['*', '?']);
        if let Some(pattern) = patterns.iter().find(|pattern| pattern.is_empty() || !is_pattern(pattern)) {
            let problem =
                format!("{} is not a sysctl, nor the beginning of one with a final *", Value::from(*pattern));
            return Err(spec.error(list, problem));
        }
    }
    let safe: Vec<&str> = SAFE_SYSCTLS
        .into_iter()
        .filter(|name| forbidden.iter().any(|pattern| matches(pattern, name)))
        .collect();
    if !safe.is_empty() {
        let problem = format!(
            "every level of the standards allows {}, so pods that set them are admitted",
            safe.join(", ")
        );
        policy.leave_out(spec.path(FORBIDDEN), problem);
    }
    policy.allowance.sysctls = if allowed.contains(&"*") {
        Names::All
    } else {
        Names::Only(allowed.into_iter().map(str::to_owned).collect())
    };
    Ok(())
}

fn se_linux(spec: &Fields<'_>, field: &'static str, policy: &mut Policy) -> Result<(), InputError> {
    let strategy = spec.required_object(field)?;
    if rule(&strategy, &["RunAsAny", "MustRunAs"])? == "RunAsAny" {
        policy.allowance.se_linux = SeLinux::Any;
        return Ok(());
    }
    let Some(options) = strategy.object("seLinuxOptions")? else {
        policy.is_usable = false;
        policy.leave_out(strategy.path("seLinuxOptions"), UNUSABLE);
        return Ok(());
    };
    let mut fixed = BTreeMap::new();
    for key in ["user", "role", "type", "level"] {
        if let Some(value) = options.text(key)?.filter(|value| !value.is_empty()) {
            fixed.insert(key, value.to_owned());
        }
    }
    let problem = if fixed.is_empty() {
        "the policy allows only empty options, and the manifest also those that the standards allow"
    } else if fixed.contains_key("level") {
        "the manifest completes containers that set some of the options, which the policy refuses"
    } else {
        "the manifest completes containers that set some of the options and admits every level, which the policy \
         refuses"
    };
    policy.allowance.se_linux = SeLinux::Fixed(fixed);
    policy.leave_out(strategy.path("seLinuxOptions"), problem);
    Ok(())
}

fn run_as_user(spec: &Fields<'_>, field: &'static str, policy: &mut Policy) -> Result<(), InputError> {
    let strategy = spec.required_object(field)?;
    let rule = rule(&strategy, &["RunAsAny", "MustRunAs", "MustRunAsNonRoot"])?;
    let ranges = ranges(&strategy)?;
    policy.allowance.run_as = match rule {
        "RunAsAny" => RunAs::Any,
        "MustRunAsNonRoot" => {
            let problem = "the policy sets runAsNonRoot: true in containers without runAsNonRoot and runAsUser, which \
                           the manifest refuses; write it into them";
            policy.leave_out(strategy.path("rule"), problem);
            RunAs::NonRoot
        }
        _ if ranges.is_empty() => {
            policy.is_usable = false;
            policy.leave_out(strategy.path("ranges"), UNUSABLE);
            RunAs::Any
        }
        _ => {
            let (with_root, rest) =
                if contains(&ranges, 0) { (RunAs::Any, "") } else { (RunAs::NonZero, " except 0") };
            let problem = format!(
                "the standards restrict only the user 0: containers with users outside {}{rest} are admitted, and no \
                 manifest sets a user",
                listed(&ranges)
            );
            policy.leave_out(strategy.path("ranges"), problem);
            with_root
        }
    };
    Ok(())
}

/// Lists a rule about groups, which no control of the standards is about.
fn group(
    spec: &Fields<'_>,
    field: &'static str,
    is_optional: bool,
    policy: &mut Policy,
) -> Result<(), InputError> {
    let strategy = match spec.object(field)? {
        Some(strategy) => strategy,
        None if is_optional => return Ok(()),
        None => return Err(spec.missing(field)),
    };
    let rule = rule(&strategy, &["RunAsAny", "MayRunAs", "MustRunAs"])?;
    let ranges = ranges(&strategy)?;
    if rule == "RunAsAny" {
        return Ok(());
    }
    if ranges.is_empty() {
        policy.is_usable = false;
        policy.leave_out(strategy.path("ranges"), UNUSABLE);
        return Ok(());
    }
    let sets = match ranges.first() {
        Some((min, _)) if rule == "MustRunAs" => {
            format!(", and no manifest sets {min} where {field} is unset")
        }
        _ => String::new(),
    };
    let problem = format!(
        "no control of the standards is about {field}: groups outside {} are admitted{sets}",
        listed(&ranges)
    );
    policy.leave_out(spec.path(field), problem);
    Ok(())
}

fn read_only_root(spec: &Fields<'_>, field: &'static str, policy: &mut Policy) -> Result<(), InputError> {
    if spec.boolean(field)? == Some(true) {
        let problem = "no control of the standards is about it: containers that may write to their root are admitted, \
                       and no manifest sets it; write readOnlyRootFilesystem: true into them";
        policy.leave_out(spec.path(field), problem);
    }
    Ok(())
}

fn runtime_class(spec: &Fields<'_>, field: &'static str, policy: &mut Policy) -> Result<(), InputError> {
    const ALLOWED: &str = "allowedRuntimeClassNames";
    const DEFAULT: &str = "defaultRuntimeClassName";
    let Some(strategy) = spec.object(field)? else { return Ok(()) };
    let allowed = strategy.list(ALLOWED)?;
    let names = strategy.texts(ALLOWED)?;
    if names.contains(&"*") && allowed.len() > 1 {
        return Err(strategy.error(ALLOWED, "must not contain other names in addition to *"));
    }
    if !names.contains(&"*") {
        let which = if names.is_empty() {
            "every name is".to_owned()
        } else {
            format!("names other than {} are", names.join(", "))
        };
        let problem = format!("no module restricts runtimeClassName; {which} admitted");
        policy.leave_out(strategy.path(ALLOWED), problem);
    }
    if let Some(name) = strategy.text(DEFAULT)? {
        if !names.contains(&"*") && !names.contains(&name) {
            return Err(strategy.error(DEFAULT, format!("must be in {ALLOWED}")));
        }
        let problem =
            format!("no manifest sets {name} in pods that leave runtimeClassName unset; write it into them");
        policy.leave_out(strategy.path(DEFAULT), problem);
    }
    policy.problems.extend(strategy.unknown(&[ALLOWED, DEFAULT]));
    Ok(())
}

impl Policy {
    /// Adds a part because of which the manifest refuses more than the policy.
    fn refuses_more(&mut self, path: String, problem: impl Into<String>) {
        self.problems.push(FieldProblem { widens: true, ..FieldProblem::new(path, problem) });
    }
}

fn rule<'d>(strategy: &Fields<'d>, known: &[&str]) -> Result<&'d str, InputError> {
    let rule = strategy.required_text("rule")?;
    if known.contains(&rule) {
        Ok(rule)
    } else {
        Err(strategy.error("rule", format!("expected {}", known.join(", "))))
    }
}

fn ranges(strategy: &Fields<'_>) -> Result<Vec<(i64, i64)>, InputError> {
    let mut ranges = Vec::new();
    for range in strategy.objects("ranges")? {
        let (min, max) = (integer(&range, "min")?, integer(&range, "max")?);
        if min < 0 || min > max {
            return Err(range.error("min", "must not be negative or greater than max"));
        }
        ranges.push((min, max));
    }
    Ok(ranges)
}

fn contains(ranges: &[(i64, i64)], id: i64) -> bool {
    ranges.iter().any(|(min, max)| (*min..=*max).contains(&id))
}

fn listed(ranges: &[(i64, i64)]) -> String {
    let range = |(min, max): &(i64, i64)| if min == max { min.to_string() } else { format!("{min}-{max}") };
    ranges.iter().map(range).collect::<Vec<_>>().join(", ")
}

/// An integer; 0 if the field is absent.
fn integer(fields: &Fields<'_>, key: &str) -> Result<i64, InputError> {
    let Some(value) = fields.get(key) else { return Ok(0) };
    value.as_i64().ok_or_else(|| fields.error(key, format!("expected an integer, found {}", found(value))))
}

/// The name of a source in the API of volumes, which differs from its type for one.
fn api_name(name: &'static str) -> &'static str {
    if name == "cephFS" { "cephfs" } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::pod_security::standard::{Allowed, Check, Field};

    #[test]
    fn the_lists_are_those_of_the_standards() {
        let rule = |id: &str| Check::find(id).unwrap().at(24).unwrap().rules.first().unwrap();
        let volumes = rule("restrictedVolumes");
        let (Field::VolumeSource(refused), Allowed::Only(allowed)) = (volumes.field, volumes.allowed) else {
            panic!("{volumes:?}")
        };
        let refused: BTreeSet<&str> = refused.iter().copied().filter(|name| *name != "hostPath").collect();
        assert_eq!(REFUSED_VOLUMES.into_iter().map(api_name).collect::<BTreeSet<_>>(), refused);
        // PodSecurityPolicy ended before image volumes.
        let allowed: BTreeSet<&str> = allowed.iter().copied().filter(|name| *name != "image").collect();
        assert_eq!(BTreeSet::from(ALLOWED_VOLUMES), allowed);
        let Allowed::Only(safe) = rule("sysctls").allowed else { panic!("sysctls") };
        assert_eq!(BTreeSet::from(SAFE_SYSCTLS), safe.iter().copied().collect());
    }
}
