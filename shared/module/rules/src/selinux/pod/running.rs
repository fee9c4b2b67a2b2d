//! The contexts that containers run with.

use admission::Fault;

use super::check::check;
use super::context::Context;
use super::findings::Findings;
use super::lookups::Lookups;
use super::site::{Site, is_privileged};
use crate::selinux::level::Level;
use crate::selinux::settings::Lift;
use crate::view::Container;

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum TypeOrigin<'d> {
    Object(&'d str),
    Default,
}

/// A container and the context that it runs with.
#[derive(Debug)]
pub(super) struct Running<'d> {
    pub(super) container: Container<'d>,
    /// The site of the options that apply to it.
    pub(super) site: Site<'d>,
    is_privileged: bool,
    /// Whether its type, set or by default, is unconfined.
    pub(super) is_unconfined: bool,
    pub(super) type_origin: Option<TypeOrigin<'d>>,
    /// `None` if the runtime chooses the level or if it is malformed.
    pub(super) level: Option<Level>,
    /// Whether its level must be that of the other containers: it is not already refused, and no
    /// exemption lifts the rule.
    pub(super) is_compared: bool,
}

impl Running<'_> {
    pub(super) fn is_confined(&self) -> bool {
        !self.is_privileged && !self.is_unconfined
    }
}

/// Checks the options of the pod and of its containers, and returns what the containers run with.
pub(super) fn running<'d>(
    context: &Context<'_, 'd>,
    lookups: &mut Lookups<'_>,
    findings: &mut Findings<'d>,
    pod_site: &Site<'d>,
    sites: &[Site<'d>],
) -> Result<Vec<Running<'d>>, Fault> {
    let mut is_pod_level_refused = false;
    if !context.subject.adds_containers() {
        let inheriting: Vec<Site<'d>> = sites.iter().filter(|site| site.options.is_none()).copied().collect();
        is_pod_level_refused = check(context, lookups, findings, pod_site, &inheriting)?;
    }
    let pod_level = context.final_level(pod_site);
    let mut running = Vec::new();
    for site in sites {
        let Some(container) = site.container else { continue };
        let (applied, level, is_level_refused) = if site.options.is_some() {
            let is_refused = check(context, lookups, findings, site, &[*site])?;
            (*site, context.final_level(site), is_refused)
        } else {
            (*pod_site, pod_level.clone(), is_pod_level_refused)
        };
        let type_name = applied.options.and_then(|options| options.type_name);
        running.push(Running {
            container,
            site: applied,
            is_privileged: is_privileged(&container)?,
            is_unconfined: context.is_unconfined(type_name),
            type_origin: type_name
                .map(TypeOrigin::Object)
                .or(context.default_type.map(|_| TypeOrigin::Default)),
            level,
            is_compared: !is_level_refused && !site.lifts.has(Lift::IntraPod),
        });
    }
    Ok(running)
}
