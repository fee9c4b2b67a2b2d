//! Values that a pod lacks.

use admission::{Change, Fault, Remedy, Violation};

use super::check::prefix;
use super::context::Context;
use super::findings::Findings;
use super::site::Site;
use super::subject::SubjectKind;
use crate::selinux::rule::TYPE;
use crate::selinux::settings::HostNamespaceAction;

const EVERY_POD: &str = "every pod must have one";

/// Adds the values that are missing in the options of the pod, if a container runs with them, and
/// in the options of containers, which replace those of the pod as a whole.
///
/// Nothing is removed: options that look empty can have fields that this version does not know.
pub(super) fn complete<'d>(
    context: &Context<'_, 'd>,
    findings: &mut Findings<'d>,
    pod_site: &Site<'d>,
    sites: &[Site<'d>],
) -> Result<(), Fault> {
    let is_inherited = sites.is_empty() || sites.iter().any(|site| site.options.is_none());
    match context.subject.kind {
        SubjectKind::Template | SubjectKind::NewImages(_) => return Ok(()),
        SubjectKind::NewPod if is_inherited => complete_site(context, findings, pod_site)?,
        SubjectKind::NewPod | SubjectKind::AddedContainers(_) => {}
    }
    for site in sites.iter().filter(|site| site.options.is_some()) {
        complete_site(context, findings, site)?;
    }
    Ok(())
}

fn complete_site<'d>(
    context: &Context<'_, 'd>,
    findings: &mut Findings<'d>,
    site: &Site<'d>,
) -> Result<(), Fault> {
    let fixed = &context.settings.allocation.fixed;
    let options = site.options.unwrap_or_default();
    for (field, value, wanted) in [("user", options.user, &fixed.user), ("role", options.role, &fixed.role)] {
        if let (None, Some(wanted)) = (value, wanted) {
            add_missing(findings, site, field, wanted.clone(), Some(EVERY_POD))?;
        }
    }
    if let (None, Some(type_name)) = (options.type_name, context.default_type) {
        complete_type(context, findings, site, type_name)?;
    }
    let level = context.expected_level(options.type_name).filter(|_| options.level.is_none());
    let Some(level) = level else { return Ok(()) };
    let of_owner;
    let rule = if context.stored_level.is_some() && fixed.level.is_none() {
        Some("all containers of a pod must have the same level")
    } else if !context.settings.require_levels() {
        None
    } else if fixed.level.is_some() {
        Some(EVERY_POD)
    } else if context.has_lowest_level(options.type_name) {
        Some("pods in host namespaces must have one")
    } else {
        of_owner = ["pods must have the level of ", &context.owner.text()].concat();
        Some(of_owner.as_str())
    };
    findings.lacks_level = true;
    add_missing(findings, site, "level", level.text(), rule)
}

fn complete_type<'d>(
    context: &Context<'_, 'd>,
    findings: &mut Findings<'d>,
    site: &Site<'d>,
    type_name: &str,
) -> Result<(), Fault> {
    let host_namespaces = &context.settings.host_namespaces;
    let is_host_type = context.in_host_namespace && host_namespaces.sets_type();
    if !is_host_type || context.subject.adds_containers() {
        return add_missing(findings, site, "type", type_name.to_owned(), Some(EVERY_POD));
    }
    let rule = "pods in host namespaces run unconfined and must declare it";
    if host_namespaces.action != HostNamespaceAction::Require {
        return add_missing(findings, site, "type", type_name.to_owned(), Some(rule));
    }
    let mut text = prefix(site)?;
    text.push_str(rule);
    let remedy = Remedy::from(Change::SetText(type_name.to_owned().into()));
    findings.violations.push(Violation::required(TYPE, site.at("type"), text, remedy));
    Ok(())
}

fn add_missing<'d>(
    findings: &mut Findings<'d>,
    site: &Site<'d>,
    field: &'static str,
    value: String,
    rule: Option<&str>,
) -> Result<(), Fault> {
    let rule = match rule {
        Some(rule) => {
            let mut text = prefix(site)?;
            text.push_str(rule);
            Some(text)
        }
        None => None,
    };
    findings.missing(field, site.at(field), value, rule);
    Ok(())
}
