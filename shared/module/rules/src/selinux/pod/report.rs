//! Warnings and audit annotations about confinement.

use admission::Fault;

use super::context::Context;
use super::findings::Findings;
use super::running::Running;
use crate::selinux::settings::{HostNamespaceAction, shares_host_network};

/// Reports the containers that run unconfined, and the effects of shared namespaces on confinement.
pub(super) fn report<'d>(
    context: &Context<'_, 'd>,
    findings: &mut Findings<'d>,
    running: &[Running<'d>],
) -> Result<(), Fault> {
    let spec = context.subject.pod.spec();
    let unconfined = names(running, &|container| container.is_unconfined)?;
    if !unconfined.is_empty() {
        findings.annotate("unconfined", "containers", &unconfined);
    }
    let is_ignored = context.settings.host_namespaces.action == HostNamespaceAction::Ignore;
    if context.in_host_namespace && !is_ignored {
        let warning = "containers in host namespaces run unconfined";
        findings.warn_of(warning, &names(running, &|container| !container.is_confined())?);
        let warning = "CRI-O ignores the type of containers in host namespaces";
        let is_typed = &|container: &Running<'d>| container.is_confined() && container.type_origin.is_some();
        findings.warn_of(warning, &names(running, is_typed)?);
    } else if !is_ignored && shares_host_network(spec)? {
        let warning = "by default, CRI-O does not confine containers with hostNetwork";
        findings.warn_of(warning, &names(running, &Running::is_confined)?);
    }
    if let Some(at) = spec.entry("shareProcessNamespace")?
        && at.boolean()? == Some(true)
    {
        let first = running.first().and_then(|container| container.type_origin);
        let warning = "containers that share a process namespace have different types";
        findings.warn_of(warning, &names(running, &|container| container.type_origin != first)?);
    }
    Ok(())
}

fn names<'d>(
    running: &[Running<'d>],
    is_selected: &dyn Fn(&Running<'d>) -> bool,
) -> Result<Vec<&'d str>, Fault> {
    let mut names = Vec::new();
    for container in running.iter().filter(|container| is_selected(container)) {
        names.push(container.container.name()?);
    }
    Ok(names)
}
