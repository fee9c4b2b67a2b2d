//! The constraints of the library: their parameters, and what they require.
//!
//! Source: open-policy-agent/gatekeeper-library at 5c441fb (July 2026), the Rego of the templates
//! in `library/pod-security-policy` and `library/general`. Gatekeeper evaluates the CEL of a
//! template by default, so that what the CEL evaluates otherwise is listed.

use super::parameters::{literal, prefixes, refuses_nothing, refuses_nothing_without};
use super::{se_linux, seccomp};
use crate::InputError;
use crate::controls::{
    HOST_PATHS, MINOR, MINOR_WITH_PROBES, Outcome, Requirement, allowed_values, forbid_type, patterns_below,
    port_patterns, port_range, require_types,
};
use crate::fields::Fields;

#[derive(Debug)]
pub(super) struct Kind {
    pub(super) name: &'static str,
    /// The keys of its parameters, other than `exemptImages`.
    pub(super) keys: &'static [&'static str],
    pub(super) exempts_images: bool,
    /// Whether it evaluates updates; the others evaluate the creation of pods alone.
    pub(super) evaluates_updates: bool,
    /// Adds what it requires with parameters and the patterns of exempt images.
    pub(super) require: fn(&Fields<'_>, &[String], &mut Outcome) -> Result<(), InputError>,
}

type Require = fn(&Fields<'_>, &[String], &mut Outcome) -> Result<(), InputError>;

const fn of_pods(name: &'static str, keys: &'static [&'static str], require: Require) -> Kind {
    Kind { name, keys, exempts_images: false, evaluates_updates: false, require }
}

const fn of_containers(name: &'static str, keys: &'static [&'static str], require: Require) -> Kind {
    Kind { exempts_images: true, ..of_pods(name, keys, require) }
}

const fn of_updates(name: &'static str, keys: &'static [&'static str], require: Require) -> Kind {
    Kind { evaluates_updates: true, ..of_containers(name, keys, require) }
}

pub(super) const KINDS: &[Kind] = &[
    of_containers("K8sPSPAllowPrivilegeEscalationContainer", &[], |_, images, outcome| {
        outcome.require(Requirement::of("allowPrivilegeEscalation").allow_images(images));
        Ok(())
    }),
    of_containers("K8sPSPAllowedUsers", &["runAsUser", "runAsGroup", "supplementalGroups", "fsGroup"], users),
    of_updates("K8sPSPAppArmor", &["allowedProfiles"], app_armor),
    of_pods("K8sPSPAutomountServiceAccountTokenPod", &[], |parameters, _, outcome| {
        no_control("refuses mounted tokens of service accounts", parameters, outcome);
        Ok(())
    }),
    of_containers("K8sPSPCapabilities", &["allowedCapabilities", "requiredDropCapabilities"], capabilities),
    of_pods("K8sPSPFSGroup", &["rule", "ranges"], file_system_groups),
    of_pods("K8sPSPFlexVolumes", &["allowedFlexVolumes"], flex_volumes),
    of_pods("K8sPSPForbiddenSysctls", &["forbiddenSysctls", "allowedSysctls"], sysctls),
    of_pods("K8sPSPHostFilesystem", &["allowedHostPaths"], host_paths),
    of_pods("K8sPSPHostNamespace", &[], |_, _, outcome| {
        outcome.require(Requirement::of("hostNamespaces").only(["spec.hostPID", "spec.hostIPC"]));
        Ok(())
    }),
    of_containers("K8sPSPHostNetworkingPorts", &["hostNetwork", "min", "max"], host_network_and_ports),
    of_containers("K8sPSPHostProbesLifecycle", &[], |_, images, outcome| {
        outcome.minor = MINOR_WITH_PROBES;
        outcome.require(Requirement::of("hostProbesAndHostLifecycle").allow_images(images));
        Ok(())
    }),
    of_containers("K8sPSPHostProcess", &[], |_, images, outcome| {
        outcome.require(Requirement::of("windowsHostProcess").allow_images(images));
        Ok(())
    }),
    of_containers("K8sPSPPrivilegedContainer", &[], |_, images, outcome| {
        outcome.require(Requirement::of("privileged").allow_images(images));
        Ok(())
    }),
    of_containers("K8sPSPProcMount", &["procMount"], proc_mount),
    of_containers("K8sPSPReadOnlyRootFilesystem", &[], |parameters, _, outcome| {
        no_control("requires readOnlyRootFilesystem", parameters, outcome);
        Ok(())
    }),
    of_containers("K8sPSPSELinuxV2", &["allowedSELinuxOptions"], se_linux::options),
    of_updates("K8sPSPSeccomp", &["allowedProfiles", "allowedLocalhostFiles"], seccomp::first),
    of_updates("K8sPSPSeccompV2", &["allowedProfiles", "allowedLocalhostFiles"], seccomp::second),
    of_pods("K8sPSPVolumeTypes", &["volumes"], |parameters, _, outcome| {
        const KEY: &str = "volumes";
        if parameters.get(KEY).is_none() {
            refuses_nothing_without(KEY, outcome);
        } else {
            require_types(&parameters.strings(KEY)?, &parameters.path(KEY), outcome);
        }
        Ok(())
    }),
];

/// The last words of a problem about a parameter that none of the standards has.
const NO_CONTROL: &str = "the Pod Security Standards have no such control; keep the constraint for it";

const ADD: &str = "spec.containers[*].securityContext.capabilities.add";
const DROP: &str = "spec.containers[*].securityContext.capabilities.drop";
const SYSCTLS: &str = "spec.securityContext.sysctls[*].name";
const APP_ARMOR: &str = "metadata.annotations[container.apparmor.security.beta.kubernetes.io/*]";

fn no_control(what: &str, parameters: &Fields<'_>, outcome: &mut Outcome) {
    outcome.lacks(parameters.whole(), format!("{what}, and {NO_CONTROL}"));
}

fn users(parameters: &Fields<'_>, images: &[String], outcome: &mut Outcome) -> Result<(), InputError> {
    for key in ["runAsGroup", "supplementalGroups", "fsGroup"] {
        let group = parameters.optional(key)?;
        if !matches!(group.text("rule")?, None | Some("RunAsAny")) {
            outcome.lacks(group.path("rule"), format!("restricts groups, and {NO_CONTROL}"));
        }
    }
    let user = parameters.optional("runAsUser")?;
    match user.text("rule")? {
        None | Some("RunAsAny") if outcome.problems.is_empty() => refuses_nothing(outcome),
        None | Some("RunAsAny") => {}
        Some("MustRunAsNonRoot") => {
            let problem = "admits pods that set a runAsUser other than 0 and not runAsNonRoot; the manifest requires \
                           runAsNonRoot: true of all pods, and refuses runAsUser: 0 for the pod even if its \
                           containers set another one";
            outcome.refuses(user.path("rule"), problem);
            outcome.require(Requirement::of("runAsNonRoot").allow_images(images));
            outcome.require(Requirement::of("runAsUser").allow_images(images));
        }
        Some("MustRunAs") => {
            outcome.lacks(user.path("rule"), format!("restricts users to ranges, and {NO_CONTROL}"));
        }
        Some(_) => return Err(user.error("rule", "expected MustRunAs, MustRunAsNonRoot or RunAsAny")),
    }
    Ok(())
}

fn app_armor(parameters: &Fields<'_>, images: &[String], outcome: &mut Outcome) -> Result<(), InputError> {
    const KEY: &str = "allowedProfiles";
    let profiles = parameters.strings(KEY)?;
    let is_listed = |profile: &str| profiles.iter().any(|listed| listed == profile);
    let path = parameters.path(KEY);
    if !is_listed("runtime/default") {
        outcome.admits(
            &path,
            "does not contain runtime/default, which the manifest admits, and with it pods without a profile",
        );
    }
    let problem = "profiles of nodes are compared as they are, localhost/* included; the manifest admits all of them, \
                   which nodes must have";
    outcome.admits(&path, problem);
    let mut check = Requirement::of("appArmorProfile").allow_images(images);
    if is_listed("unconfined") {
        for field in [
            "spec.securityContext.appArmorProfile.type",
            "spec.containers[*].securityContext.appArmorProfile.type",
        ] {
            check = check.allow(field, &["Unconfined".to_owned()]);
        }
        check = check.allow(APP_ARMOR, &["unconfined".to_owned()]);
    } else {
        let problem = "evaluates the profile that a container ends up with; the manifest refuses Unconfined also where \
                       each container has another profile or an exempt image";
        outcome.refuses(path, problem);
    }
    outcome.require(check);
    Ok(())
}

fn capabilities(parameters: &Fields<'_>, images: &[String], outcome: &mut Outcome) -> Result<(), InputError> {
    let (allowed_path, drop_path) =
        (parameters.path("allowedCapabilities"), parameters.path("requiredDropCapabilities"));
    let allowed = parameters.strings("allowedCapabilities")?;
    let dropped = parameters.strings("requiredDropCapabilities")?;
    let mut fields = Vec::new();
    let mut check = Requirement::of("capabilities_restricted").allow_images(images);
    if !allowed.iter().any(|capability| capability == "*") {
        fields.push(ADD);
        let in_lower_case = |name: &&String| name.bytes().any(|byte| byte.is_ascii_lowercase());
        let names: Vec<&str> = allowed.iter().filter(in_lower_case).map(String::as_str).collect();
        if !names.is_empty() {
            let problem = format!(
                "the CEL of the template compares with case, so that {} allows no capability of Kubernetes; the \
                 manifest admits it in upper case",
                names.join(", ")
            );
            outcome.admits(&allowed_path, problem);
        }
        // The Rego compares without case, and Kubernetes knows the names in upper case.
        let mut values = literal(allowed, &allowed_path, outcome);
        for value in &mut values {
            value.make_ascii_uppercase();
        }
        if !values.iter().any(|value| value == "NET_BIND_SERVICE") {
            let problem = "does not contain NET_BIND_SERVICE, which the Pod Security Standards allow at each level; \
                           the manifest admits it";
            outcome.admits(allowed_path, problem);
        }
        values.retain(|value| value != "NET_BIND_SERVICE");
        check = check.allow(ADD, &values);
    }
    if !dropped.is_empty() {
        if dropped.iter().all(|capability| capability.eq_ignore_ascii_case("ALL")) {
            fields.push(DROP);
            let problem = "the template compares without case, so that drop: [all] meets it; the manifest requires \
                           ALL, as the Pod Security Standards do";
            outcome.refuses(drop_path, problem);
        } else {
            let problem = format!(
                "requires pods to drop {} or ALL, and the Pod Security Standards can only require ALL; the manifest \
                 requires neither; write [ALL] here to require it",
                dropped.join(", ")
            );
            outcome.admits(drop_path, problem);
        }
    }
    if fields.is_empty() {
        if outcome.problems.is_empty() {
            refuses_nothing(outcome);
        }
        return Ok(());
    }
    outcome.require(check.only(fields));
    Ok(())
}

fn file_system_groups(
    parameters: &Fields<'_>,
    _: &[String],
    outcome: &mut Outcome,
) -> Result<(), InputError> {
    if matches!(parameters.text("rule")?, None | Some("RunAsAny")) {
        refuses_nothing(outcome);
    } else {
        outcome.lacks(parameters.path("rule"), format!("restricts fsGroup, and {NO_CONTROL}"));
    }
    Ok(())
}

fn flex_volumes(parameters: &Fields<'_>, _: &[String], outcome: &mut Outcome) -> Result<(), InputError> {
    const KEY: &str = "allowedFlexVolumes";
    if parameters.get(KEY).is_none() {
        refuses_nothing_without(KEY, outcome);
    } else if parameters.objects(KEY)?.is_empty() {
        forbid_type("flexVolume", outcome);
    } else {
        let problem = "allows flexVolumes by driver, which exclusions cannot tell apart; keep the constraint for it, \
                       or empty the list";
        outcome.lacks(parameters.path(KEY), problem);
    }
    Ok(())
}

fn sysctls(parameters: &Fields<'_>, _: &[String], outcome: &mut Outcome) -> Result<(), InputError> {
    let (forbidden_path, allowed_path) =
        (parameters.path("forbiddenSysctls"), parameters.path("allowedSysctls"));
    let forbidden = parameters.strings("forbiddenSysctls")?;
    let is_restricted = parameters.get("allowedSysctls").is_some();
    if forbidden.is_empty() && !is_restricted {
        refuses_nothing(outcome);
        return Ok(());
    }
    let allowed = prefixes(parameters.strings("allowedSysctls")?, &allowed_path, outcome);
    let covers = |pattern: &String, name: &str| match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => pattern == name,
    };
    let standard = allowed_values("sysctls", MINOR);
    let is_refused = |name: &&&str| {
        forbidden.iter().any(|pattern| covers(pattern, name))
            || is_restricted && !allowed.iter().any(|pattern| covers(pattern, name))
    };
    let admitted: Vec<&str> = standard.iter().filter(is_refused).copied().collect();
    if !admitted.is_empty() {
        let path = if is_restricted { &allowed_path } else { &forbidden_path };
        let problem = format!(
            "the Pod Security Standards allow {}, which the constraint refuses; the manifest admits it",
            admitted.join(", ")
        );
        outcome.admits(path, problem);
    }
    let mut values = Vec::new();
    for pattern in allowed.iter().filter(|pattern| !standard.contains(&pattern.as_str())) {
        let start = pattern.strip_suffix('*').unwrap_or(pattern);
        // A name that is equal to the start of a pattern covers only a part of the pattern.
        let covers_all = |forbidden: &String| {
            (forbidden.ends_with('*') || !pattern.ends_with('*')) && covers(forbidden, start)
        };
        if forbidden.iter().any(covers_all) {
            // The constraint refuses all that the pattern allows.
            continue;
        }
        if pattern.ends_with('*') && forbidden.iter().any(|forbidden| forbidden.starts_with(start)) {
            let problem = format!(
                "forbids a part of {pattern}, which exclusions cannot say; the manifest admits all of it"
            );
            outcome.admits(&forbidden_path, problem);
        }
        values.push(pattern.clone());
    }
    if !is_restricted && !forbidden.iter().any(|pattern| pattern == "*") {
        let problem = "allows all sysctls but these, which exclusions cannot say; the manifest refuses all but those \
                       of the Pod Security Standards; list the sysctls that pods need in allowedSysctls";
        outcome.refuses(forbidden_path, problem);
    }
    outcome.require(Requirement::of("sysctls").allow(SYSCTLS, &values));
    Ok(())
}

fn host_paths(parameters: &Fields<'_>, _: &[String], outcome: &mut Outcome) -> Result<(), InputError> {
    let mut check = Requirement::of(HOST_PATHS.0);
    for entry in parameters.objects("allowedHostPaths")? {
        let Some(prefix) = entry.text("pathPrefix")? else { continue };
        starts_of_paths(prefix, &entry.path("pathPrefix"), outcome);
        // For the Rego, an entry with an empty prefix matches no path.
        if prefix.is_empty() {
            continue;
        }
        let Some(patterns) = patterns_below(prefix, &entry.path("pathPrefix"), outcome) else { continue };
        check = if entry.boolean("readOnly")? == Some(true) {
            let problem = "the CEL of the template refuses pods with a container without volumeMounts if an entry is \
                           readOnly; the manifest admits them";
            outcome.admits(entry.path("readOnly"), problem);
            check.allow_read_only(HOST_PATHS.1, &patterns)
        } else {
            check.allow(HOST_PATHS.1, &patterns)
        };
    }
    outcome.require(check);
    Ok(())
}

/// Lists how the CEL of the template, which compares the start of the text, evaluates a prefix.
fn starts_of_paths(prefix: &str, path: &str, outcome: &mut Outcome) {
    let problem = "the CEL of the template compares the start of the text, so that /var/log also admits /var/logs; \
                   the manifest admits the path and what is below it";
    if prefix != "/" {
        outcome.refuses(path, problem);
    }
    let plain = prefix.trim_matches('/');
    if !plain.is_empty() && prefix != format!("/{plain}") {
        let problem = format!(
            "the CEL of the template compares slashes as text, so that {prefix:?} does not admit /{plain}; the \
             manifest does; write \"/{plain}\""
        );
        outcome.admits(path, problem);
    }
}

fn host_network_and_ports(
    parameters: &Fields<'_>,
    images: &[String],
    outcome: &mut Outcome,
) -> Result<(), InputError> {
    const HIGHEST: i64 = 65535;
    if parameters.boolean("hostNetwork")? != Some(true) {
        outcome.require(Requirement::of("hostNamespaces").only(["spec.hostNetwork"]));
    }
    let (min, max) = (parameters.integer("min")?, parameters.integer("max")?);
    if min.is_some() || max.is_some() {
        let problem = "the CEL of the template refuses a container only if all its ports are host ports below min, \
                       or all are above max; the manifest refuses each host port out of the range";
        outcome.refuses(parameters.path(if min.is_some() { "min" } else { "max" }), problem);
        let ports = port_patterns(port_range(min.unwrap_or(0), max.unwrap_or(HIGHEST)));
        let field = "spec.containers[*].ports[*].hostPort";
        outcome.require(Requirement::of("hostPorts").allow_images(images).allow(field, &ports));
    }
    if outcome.requirements.is_empty() {
        refuses_nothing(outcome);
    }
    Ok(())
}

fn proc_mount(parameters: &Fields<'_>, images: &[String], outcome: &mut Outcome) -> Result<(), InputError> {
    // Each value other than Unmasked is the default.
    if parameters.text("procMount")?.is_some_and(|kind| kind.eq_ignore_ascii_case("Unmasked")) {
        refuses_nothing(outcome);
        return Ok(());
    }
    outcome.require(Requirement::of("procMount").allow_images(images));
    Ok(())
}
