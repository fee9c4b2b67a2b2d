//! The official policies for single controls: their settings, and what they require.
//!
//! Source: kubewarden/policies at 6a01a24 (August 2026), the folder `policies/<id>-policy` of each.

use super::host;
use super::settings::{literal, refuses_nothing};
use crate::InputError;
use crate::controls::{MINOR, Outcome, Requirement, allowed_values, forbid_type, require_types};
use crate::fields::Fields;

#[derive(Debug)]
pub(super) struct Module {
    /// The last part of the name of its image.
    pub(super) id: &'static str,
    pub(super) keys: &'static [&'static str],
    /// Whether it evaluates pods alone, and admits workloads.
    pub(super) evaluates_pods_alone: bool,
    /// Whether it refuses each `PodTemplate`, which none of the policies can read.
    pub(super) refuses_pod_templates: bool,
    /// Adds what it requires with settings.
    pub(super) require: fn(&Fields<'_>, &mut Outcome) -> Result<(), InputError>,
}

const fn of_pods(
    id: &'static str,
    keys: &'static [&'static str],
    require: fn(&Fields<'_>, &mut Outcome) -> Result<(), InputError>,
) -> Module {
    Module { id, keys, evaluates_pods_alone: true, refuses_pod_templates: false, require }
}

const fn of_workloads(
    id: &'static str,
    keys: &'static [&'static str],
    require: fn(&Fields<'_>, &mut Outcome) -> Result<(), InputError>,
) -> Module {
    Module { id, keys, evaluates_pods_alone: false, refuses_pod_templates: true, require }
}

/// All official policies about the Pod Security Standards and what `PodSecurityPolicy` restricted.
pub(super) const MODULES: &[Module] = &[
    of_workloads("allow-privilege-escalation-psp", &["default_allow_privilege_escalation"], escalation),
    of_pods("allowed-fsgroups-psp", &["rule", "ranges"], file_system_groups),
    of_pods("allowed-proc-mount-types-psp", &["allow_unmasked_proc_mount_type"], proc_mount),
    of_pods("apparmor-psp", &["allowed_profiles"], app_armor),
    of_workloads(
        "capabilities-psp",
        &["allowed_capabilities", "required_drop_capabilities", "default_add_capabilities"],
        capabilities,
    ),
    of_pods("flexvolume-drivers-psp", &["allowedFlexVolumes"], flex_volumes),
    Module {
        refuses_pod_templates: false,
        ..of_workloads(
            "host-namespaces-psp",
            &["allow_host_ipc", "allow_host_network", "allow_host_pid", "allow_host_ports"],
            host::namespaces_and_ports,
        )
    },
    of_workloads("hostpaths-psp", &["allowedHostPaths"], host::paths),
    of_workloads("pod-privileged", &["skip_init_containers", "skip_ephemeral_containers"], privileged),
    of_pods("readonly-root-filesystem-psp", &[], |settings, outcome| {
        outcome.lacks(settings.whole(), format!("requires readOnlyRootFilesystem, and {NO_CONTROL}"));
        Ok(())
    }),
    of_pods("seccomp-psp", &["allowed_profiles", "profile_types", "localhost_profiles"], seccomp),
    of_pods("selinux-psp", &["rule", "user", "role", "type", "level"], se_linux),
    of_workloads("share-pid-namespace-policy", &[], |settings, outcome| {
        outcome.lacks(settings.whole(), format!("refuses shareProcessNamespace, and {NO_CONTROL}"));
        Ok(())
    }),
    of_pods("sysctl-psp", &["allowedUnsafeSysctls", "forbiddenSysctls"], sysctls),
    of_workloads(
        "user-group-psp",
        &[
            "run_as_user",
            "run_as_group",
            "supplemental_groups",
            "validate_container_image_configuration",
            "validate_only",
        ],
        users_and_groups,
    ),
    of_pods("volumes-psp", &["allowedTypes", "ignoreInitContainersVolumes"], volume_types),
];

/// The last words of a problem about a setting that none of the standards has.
const NO_CONTROL: &str = "the Pod Security Standards have no such control; keep the policy for it";

const EPHEMERAL: &str = "Ephemeral";
const ESCALATION: &str = "spec.containers[*].securityContext.allowPrivilegeEscalation";
const ADD: &str = "spec.containers[*].securityContext.capabilities.add";
const NON_ROOT: &str = "spec.containers[*].securityContext.runAsNonRoot";
const PROFILE: &str = "seccompProfile.type";
const APP_ARMOR: &str = "metadata.annotations[container.apparmor.security.beta.kubernetes.io/*]";
const SYSCTLS: &str = "spec.securityContext.sysctls[*].name";

fn escalation(settings: &Fields<'_>, outcome: &mut Outcome) -> Result<(), InputError> {
    const KEY: &str = "default_allow_privilege_escalation";
    if settings.boolean(KEY)? == Some(false) {
        let problem = "sets allowPrivilegeEscalation to false where it is not set, and the manifest changes no pods: \
                       it admits them as they are; to require the field, remove the entries with values [\"\"]";
        outcome.admits(settings.path(KEY), problem);
    }
    let unset = [String::new()];
    let check = Requirement::of("allowPrivilegeEscalation").allow(ESCALATION, &unset);
    outcome.require(check.allow_containers(EPHEMERAL));
    Ok(())
}

fn file_system_groups(settings: &Fields<'_>, outcome: &mut Outcome) -> Result<(), InputError> {
    if matches!(settings.text("rule")?, None | Some("RunAsAny")) {
        refuses_nothing(outcome);
    } else {
        outcome.lacks(settings.path("rule"), format!("restricts fsGroup, and {NO_CONTROL}"));
    }
    Ok(())
}

fn proc_mount(settings: &Fields<'_>, outcome: &mut Outcome) -> Result<(), InputError> {
    if settings.boolean("allow_unmasked_proc_mount_type")? == Some(true) {
        refuses_nothing(outcome);
    } else {
        outcome.require(Requirement::of("procMount"));
    }
    Ok(())
}

fn app_armor(settings: &Fields<'_>, outcome: &mut Outcome) -> Result<(), InputError> {
    const KEY: &str = "allowed_profiles";
    let profiles = literal(settings, KEY, outcome)?;
    if !profiles.iter().any(|listed| listed == "runtime/default") {
        outcome.admits(settings.path(KEY), "does not contain runtime/default, which the manifest admits");
    }
    let problem = "only profiles in this list may start with localhost/; the manifest admits all of them, \
                   which nodes must have";
    outcome.admits(settings.path(KEY), problem);
    let others: Vec<String> = profiles
        .into_iter()
        .filter(|profile| profile != "runtime/default" && !profile.starts_with("localhost/"))
        .collect();
    outcome.require(Requirement::of("appArmorProfile").only([APP_ARMOR]).allow(APP_ARMOR, &others));
    Ok(())
}

fn capabilities(settings: &Fields<'_>, outcome: &mut Outcome) -> Result<(), InputError> {
    let allowed = settings.strings("allowed_capabilities")?;
    let dropped = settings.strings("required_drop_capabilities")?;
    let added = settings.strings("default_add_capabilities")?;
    if !dropped.is_empty() {
        let problem = format!(
            "drops {} where that is missing, and the manifest changes no pods: it admits them as they are; to require \
             that pods drop ALL, remove the entries of capabilities_restricted for drop",
            dropped.join(", ")
        );
        outcome.admits(settings.path("required_drop_capabilities"), problem);
    }
    if !added.is_empty() {
        let problem = format!(
            "adds {} to all containers, and the manifest changes no pods; write them into the pods that need them",
            added.join(", ")
        );
        outcome.admits(settings.path("default_add_capabilities"), problem);
    }
    if allowed.iter().any(|capability| capability == "*") {
        if dropped.is_empty() {
            refuses_nothing(outcome);
        } else {
            let problem = format!(
                "allows all but {}, which exclusions cannot say; list the allowed ones",
                dropped.join(", ")
            );
            outcome.admits(settings.path("allowed_capabilities"), problem);
        }
        return Ok(());
    }
    let mut values = literal(settings, "allowed_capabilities", outcome)?;
    if !allowed.iter().any(|capability| capability == "NET_BIND_SERVICE") {
        let problem = "does not contain NET_BIND_SERVICE, which the Pod Security Standards allow at each level; the \
                       manifest admits it";
        outcome.admits(settings.path("allowed_capabilities"), problem);
    }
    values.retain(|capability| capability != "NET_BIND_SERVICE");
    let check = Requirement::of("capabilities_restricted").only([ADD]).allow(ADD, &values);
    outcome.require(check.allow_containers(EPHEMERAL));
    Ok(())
}

fn flex_volumes(settings: &Fields<'_>, outcome: &mut Outcome) -> Result<(), InputError> {
    const KEY: &str = "allowedFlexVolumes";
    if settings.objects(KEY)?.is_empty() {
        forbid_type("flexVolume", outcome);
    } else {
        let problem = "allows flexVolumes by driver, which exclusions cannot tell apart; keep the policy for it, or \
                       empty the list";
        outcome.lacks(settings.path(KEY), problem);
    }
    Ok(())
}

fn privileged(settings: &Fields<'_>, outcome: &mut Outcome) -> Result<(), InputError> {
    let mut check = Requirement::of("privileged");
    for (key, kind) in [("skip_init_containers", "Init"), ("skip_ephemeral_containers", EPHEMERAL)] {
        if settings.boolean(key)? == Some(true) {
            check = check.allow_containers(kind);
        }
    }
    outcome.require(check);
    Ok(())
}

fn seccomp(settings: &Fields<'_>, outcome: &mut Outcome) -> Result<(), InputError> {
    let types = settings.strings("profile_types")?;
    let profiles = settings.strings("allowed_profiles")?;
    let has = |kind: &str, annotations: &[&str]| {
        types.iter().any(|listed| listed == kind)
            || profiles.iter().any(|listed| annotations.contains(&listed.as_str()))
    };
    let has_types = settings.get("profile_types").is_some();
    let path = settings.path(if has_types { "profile_types" } else { "allowed_profiles" });
    if !has("RuntimeDefault", &["runtime/default", "docker/default"]) {
        outcome.admits(&path, "does not contain RuntimeDefault, which the manifest admits");
    }
    let problem = "only profiles in localhost_profiles and allowed_profiles may be of type Localhost; the manifest \
                   admits all of them, which nodes must have";
    outcome.admits(path, problem);
    let mut check = Requirement::of("seccompProfile_baseline");
    if has("Unconfined", &["unconfined"]) {
        let value = ["Unconfined".to_owned()];
        check = check
            .allow(&format!("spec.securityContext.{PROFILE}"), &value)
            .allow(&format!("spec.containers[*].securityContext.{PROFILE}"), &value);
    }
    outcome.require(check);
    Ok(())
}

fn se_linux(settings: &Fields<'_>, outcome: &mut Outcome) -> Result<(), InputError> {
    match settings.text("rule")? {
        None | Some("RunAsAny") => refuses_nothing(outcome),
        // A manifest of the policy selinux has this rule.
        Some("MustRunAs") => {}
        Some(_) => return Err(settings.error("rule", "expected MustRunAs or RunAsAny")),
    }
    Ok(())
}

fn sysctls(settings: &Fields<'_>, outcome: &mut Outcome) -> Result<(), InputError> {
    /// The sysctls that the policy allows without settings.
    const SAFE: [&str; 4] = [
        "kernel.shm_rmid_forced",
        "net.ipv4.ip_local_port_range",
        "net.ipv4.tcp_syncookies",
        "net.ipv4.ping_group_range",
    ];
    let allowed = literal(settings, "allowedUnsafeSysctls", outcome)?;
    let forbidden = settings.strings("forbiddenSysctls")?;
    let is_refused = |name: &&&str| {
        let is_allowed = allowed.iter().any(|listed| listed == **name);
        let is_forbidden = forbidden.iter().any(|listed| match listed.strip_suffix('*') {
            Some(start) => name.starts_with(start) && !is_allowed,
            None => listed == **name,
        });
        is_forbidden || !is_allowed && !SAFE.contains(name)
    };
    let standard = allowed_values("sysctls", MINOR);
    let admitted: Vec<&str> = standard.iter().filter(is_refused).copied().collect();
    if !admitted.is_empty() {
        let key = if forbidden.is_empty() { "allowedUnsafeSysctls" } else { "forbiddenSysctls" };
        let problem = format!(
            "the Pod Security Standards allow {}, which the policy refuses; the manifest admits it",
            admitted.join(", ")
        );
        outcome.admits(settings.path(key), problem);
    }
    let values: Vec<String> = allowed.into_iter().filter(|name| !standard.contains(&name.as_str())).collect();
    outcome.require(Requirement::of("sysctls").allow(SYSCTLS, &values));
    Ok(())
}

fn users_and_groups(settings: &Fields<'_>, outcome: &mut Outcome) -> Result<(), InputError> {
    const IMAGES: &str = "validate_container_image_configuration";
    // The policy reads the images before it looks at the rules.
    if settings.boolean(IMAGES)? == Some(true) {
        let problem =
            "the manifest does not read images; the policy also refuses images whose user or group is a name";
        outcome.admits(settings.path(IMAGES), problem);
    }
    for key in ["run_as_group", "supplemental_groups"] {
        let rule = settings.optional(key)?;
        if !matches!(rule.text("rule")?, None | Some("RunAsAny")) {
            outcome.lacks(rule.path("rule"), format!("restricts groups, and {NO_CONTROL}"));
        }
    }
    let user = settings.optional("run_as_user")?;
    match user.text("rule")? {
        None | Some("RunAsAny") => {}
        Some("MustRunAs") => {
            outcome.lacks(user.path("rule"), format!("restricts users to ranges, and {NO_CONTROL}"));
        }
        Some("MustRunAsNonRoot") if settings.boolean("validate_only")? == Some(true) => {
            let problem = "refuses each pod, as the policy does with MustRunAsNonRoot; remove validate_only, or set \
                           the level restricted";
            outcome.admits(settings.path("validate_only"), problem);
        }
        Some("MustRunAsNonRoot") => {
            let problem = "sets runAsNonRoot to true where it is not set, and the manifest changes no pods: it admits \
                           them as they are; to require the field, remove the entries with values [\"\"]";
            outcome.admits(user.path("rule"), problem);
            let non_root = Requirement::of("runAsNonRoot").allow(NON_ROOT, &[String::new()]);
            outcome.require(non_root.allow_containers(EPHEMERAL));
            outcome.require(Requirement::of("runAsUser").allow_containers(EPHEMERAL));
        }
        Some(_) => {
            return Err(user.error("rule", "expected MustRunAs, MustRunAsNonRoot or RunAsAny"));
        }
    }
    if outcome.requirements.is_empty() && outcome.problems.is_empty() {
        refuses_nothing(outcome);
    }
    Ok(())
}

fn volume_types(settings: &Fields<'_>, outcome: &mut Outcome) -> Result<(), InputError> {
    const KEY: &str = "allowedTypes";
    const IGNORES: &str = "ignoreInitContainersVolumes";
    let types = settings.strings(KEY)?;
    if types.is_empty() {
        outcome
            .admits(settings.path(KEY), "is empty, and refuses each pod; list the types that pods may have");
        return Ok(());
    }
    if types.iter().any(|kind| kind == "*") && types.iter().any(|kind| kind != "*") {
        return Err(settings.error(KEY, "must not contain other types than \"*\" if it contains \"*\""));
    }
    if settings.boolean(IGNORES)? == Some(true) {
        let problem = "volumes of init containers alone are not evaluated, which exclusions cannot say; the manifest \
                       refuses their types as well";
        outcome.refuses(settings.path(IGNORES), problem);
    }
    require_types(&types, &settings.path(KEY), outcome);
    Ok(())
}
