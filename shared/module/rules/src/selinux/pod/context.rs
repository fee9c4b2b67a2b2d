//! The facts about a pod that decide about all of its sites.

use admission::{Fault, Violation};

use super::findings::Findings;
use super::lookups::Lookups;
use super::owner::{self, Owner};
use super::site::Site;
use super::subject::{Subject, SubjectKind};
use crate::selinux::level::Level;
use crate::selinux::rule::NAMESPACE_WITHOUT_LEVEL;
use crate::selinux::settings::{
    HostNamespaceAction, HostNamespaceLevel, Lift, Mode, Settings, shares_host_processes,
};

pub(super) struct Context<'a, 'd> {
    pub(super) settings: &'a Settings,
    pub(super) subject: Subject<'a, 'd>,
    pub(super) owner: Owner,
    /// Whether the pod is in one of the host namespaces that the settings list.
    pub(super) in_host_namespace: bool,
    /// Whether all containers of the pod may set an unconfined type, because of its namespaces.
    pub(super) may_be_unconfined: bool,
    /// The type for options that set none.
    pub(super) default_type: Option<&'a str>,
    /// The level of the stored pod to which containers are added. It applies to them even if the
    /// pod would get another level today.
    pub(super) stored_level: Option<Level>,
    /// Whether an exemption that depends on images may have permitted the stored level.
    pub(super) doubts_stored_level: bool,
}

impl<'a, 'd> Context<'a, 'd> {
    /// Collects the facts. The owner of the level is looked up only if the verdict depends on it.
    pub(super) fn of(
        settings: &'a Settings,
        subject: Subject<'a, 'd>,
        pod_site: &Site<'d>,
        sites: &[Site<'d>],
        lookups: &mut Lookups<'a>,
        findings: &mut Findings<'d>,
    ) -> Result<Self, Fault> {
        let host_namespaces = &settings.host_namespaces;
        let spec = subject.pod.spec();
        let adds_containers = subject.adds_containers();
        let in_host_namespace = !host_namespaces.triggers(spec)?.is_empty();
        let may_be_unconfined = in_host_namespace && host_namespaces.action != HostNamespaceAction::Ignore
            || shares_host_processes(spec)?;
        let gets_host_type = in_host_namespace && host_namespaces.sets_type() && !adds_containers;
        let default_type =
            if gets_host_type { &host_namespaces.type_name } else { &settings.allocation.fixed.type_name };
        let stored_level = pod_site.level().filter(|_| adds_containers);
        let stored_level = stored_level.and_then(|level| Level::parse(level).ok());
        let sets_level =
            sites.iter().chain((!adds_containers).then_some(pod_site)).any(|site| site.level().is_some());
        // A new image changes nothing about a level unless an exemption lifted the rule for it.
        let evaluates_levels = !matches!(subject.kind, SubjectKind::NewImages(_))
            || sites.iter().any(|site| !site.lifts.has(Lift::Level));
        // The image of an added container may not be one of those for which an exemption permitted
        // the level of the pod.
        let doubts_stored_level = stored_level.is_some() && sites.iter().any(|site| site.loses_level);
        let needs_owner = sets_level && evaluates_levels && stored_level.is_none()
            || doubts_stored_level
            || matches!(subject.kind, SubjectKind::NewPod) && completes_levels(settings);
        let owner = if needs_owner {
            find_owner(settings, &subject, pod_site, lookups, findings)?
        } else {
            Owner::of(None, "nobody")
        };
        let default_type = default_type.as_deref();
        Ok(Self {
            settings,
            subject,
            owner,
            in_host_namespace,
            may_be_unconfined,
            default_type,
            stored_level,
            doubts_stored_level,
        })
    }

    /// Whether options with this type are unconfined; without a type, the default type decides.
    pub(super) fn is_unconfined(&self, type_name: Option<&str>) -> bool {
        type_name.or(self.default_type).is_some_and(|name| self.settings.types.is_unconfined(name))
    }

    /// The level that options with this type should have; `None` if the runtime chooses it.
    pub(super) fn expected_level(&self, type_name: Option<&str>) -> Option<Level> {
        let fixed = &self.settings.allocation.fixed.level;
        if fixed.is_some() {
            return fixed.clone();
        }
        if self.subject.adds_containers() {
            // A range is for privileged containers, which set it themselves.
            return self.stored_level.clone().filter(|level| !level.is_range());
        }
        if self.has_lowest_level(type_name) {
            return Some(Level::of(&[]));
        }
        self.owner.level.clone()
    }

    /// Whether the settings give options with this type the level without categories.
    pub(super) fn has_lowest_level(&self, type_name: Option<&str>) -> bool {
        self.in_host_namespace
            && self.settings.host_namespaces.level == HostNamespaceLevel::Lowest
            && self.is_unconfined(type_name)
    }

    /// The level of a site once the pod is complete; `None` if the runtime chooses it or if the
    /// level that is set is malformed.
    pub(super) fn final_level(&self, site: &Site<'d>) -> Option<Level> {
        let options = site.options.unwrap_or_default();
        let is_completed = match self.subject.kind {
            SubjectKind::NewPod => completes_levels(self.settings),
            SubjectKind::Template | SubjectKind::NewImages(_) => false,
            SubjectKind::AddedContainers(_) => site.container.is_some(),
        };
        match options.level {
            Some(level) => Level::parse(level).ok(),
            None if is_completed => self.expected_level(options.type_name),
            None => None,
        }
    }
}

/// Whether a pod without a level gets one or must have one.
fn completes_levels(settings: &Settings) -> bool {
    settings.mode == Mode::Mutate || settings.require_levels()
}

fn find_owner<'d>(
    settings: &Settings,
    subject: &Subject<'_, 'd>,
    pod_site: &Site<'d>,
    lookups: &mut Lookups<'_>,
    findings: &mut Findings<'d>,
) -> Result<Owner, Fault> {
    let allocation = &settings.allocation;
    if allocation.reads_namespace()
        && let Err(fault) = lookups.namespace.namespace(&|_| Ok(()))
    {
        findings.tolerate(fault)?;
        return Ok(Owner::unknown());
    }
    let owner = owner::find(allocation, subject, lookups, findings)?;
    if owner.is_refused {
        let rule = [owner.text().as_str(), " has no level"].concat();
        let key = allocation.annotations.first().map_or("", String::as_str);
        let remedy = ["ask one of allocation.annotationEditors to annotate it with ", key].concat();
        findings.violations.push(Violation::forbidden(
            NAMESPACE_WITHOUT_LEVEL,
            pod_site.at("level"),
            rule,
            remedy,
        ));
    }
    Ok(owner)
}
