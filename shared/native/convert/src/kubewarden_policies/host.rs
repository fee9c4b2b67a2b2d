//! Namespaces, ports and paths of the host.

use super::settings::refuses_nothing;
use crate::InputError;
use crate::controls::{HOST_PATHS, Outcome, Requirement, patterns_below, port_patterns, port_range};
use crate::fields::Fields;

pub(super) fn namespaces_and_ports(settings: &Fields<'_>, outcome: &mut Outcome) -> Result<(), InputError> {
    let mut fields = Vec::new();
    for (key, field) in [
        ("allow_host_ipc", "spec.hostIPC"),
        ("allow_host_network", "spec.hostNetwork"),
        ("allow_host_pid", "spec.hostPID"),
    ] {
        if settings.boolean(key)? != Some(true) {
            fields.push(field);
        }
    }
    if !fields.is_empty() {
        outcome.require(Requirement::of("hostNamespaces").only(fields));
    }
    let mut ports = Vec::new();
    for range in settings.objects("allow_host_ports")? {
        // A field that is absent is 0, as in the policy.
        let (min, max) = (range.integer("min")?.unwrap_or(0), range.integer("max")?.unwrap_or(0));
        if min > max {
            return Err(range.error("min", "must not be greater than max"));
        }
        ports.extend(port_range(min, max));
    }
    let field = "spec.containers[*].ports[*].hostPort";
    outcome.require(Requirement::of("hostPorts").allow(field, &port_patterns(ports)));
    Ok(())
}

pub(super) fn paths(settings: &Fields<'_>, outcome: &mut Outcome) -> Result<(), InputError> {
    const KEY: &str = "allowedHostPaths";
    let allowed = settings.objects(KEY)?;
    if allowed.is_empty() {
        refuses_nothing(outcome);
        return Ok(());
    }
    let mut check = Requirement::of(HOST_PATHS.0);
    let mut prefixes = Vec::new();
    for entry in &allowed {
        let Some(prefix) = entry.text("pathPrefix")? else {
            return Err(entry.error("pathPrefix", "is missing"));
        };
        let Some(read_only) = entry.boolean("readOnly")? else {
            return Err(entry.error("readOnly", "is missing"));
        };
        if !prefix.is_empty() && !prefix.starts_with('/') {
            // The policy compares such a prefix with absolute paths, so it allows none of them.
            continue;
        }
        prefixes.push((prefix, read_only));
        let path = entry.path("pathPrefix");
        let Some(patterns) = patterns_below(prefix, &path, outcome) else { continue };
        if read_only {
            check = check.allow_read_only(HOST_PATHS.1, &patterns);
        } else {
            check = check.allow(HOST_PATHS.1, &patterns);
            let problem = "readOnly: false refuses mounts that are read-only; the manifest admits them";
            outcome.admits(entry.path("readOnly"), problem);
        }
    }
    let is_below = |inner: &str, outer: &str| {
        let outer = outer.trim_end_matches('/');
        inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    for (inner, _) in prefixes.iter().filter(|(_, read_only)| *read_only) {
        if prefixes.iter().any(|(outer, read_only)| !read_only && outer != inner && is_below(inner, outer)) {
            let problem = format!(
                "{inner} has to be read-only below a path that may be written; the manifest admits writable mounts there"
            );
            outcome.admits(settings.path(KEY), problem);
        }
    }
    let problem = "only hostPath volumes that a container or an init container mounts are evaluated; the manifest refuses \
                   others as well, as a hostPath volume has effects on the node without a mount";
    outcome.refuses(settings.path(KEY), problem);
    outcome.require(check);
    Ok(())
}
