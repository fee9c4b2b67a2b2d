//! Pods: what they would run with, and what follows from it.

use admission::{Cluster, Fault, Lookup, Node, Quoted, Violation};

use super::Selinux;
use super::findings::Findings;
use super::host_namespaces::{HostNamespaceAction, is_unconfinable};
use super::level::Level;
use super::options::{Site, is_privileged};
use super::owner::{self, Asked, Owner};
use super::settings::{IntraPod, LevelMatch, Mode, OnLookupFailure};
use crate::namespace_lookup::NamespaceLookup;
use crate::view::{Container, ContainerKind, Pod};

/// Which containers of a pod are judged, and whether it can be completed.
#[derive(Clone, Copy, Debug)]
pub(super) enum ReviewKind<'d> {
    /// A pod that is created.
    Pod,
    /// The template of one, of which nothing is demanded.
    Template,
    /// A pod that is there, and as it would be with more ephemeral containers. They alone are judged, and of the new pod
    /// they alone are read: the API server drops all else, but only once webhooks have changed it.
    Ephemeral(Pod<'d>),
}

/// A pod under review.
pub(super) struct Review<'a, 'd> {
    pub(super) policy: &'a Selinux,
    pub(super) asked: Asked<'a, 'd>,
    pub(super) what: ReviewKind<'d>,
    pub(super) lookup: NamespaceLookup<'a>,
    pub(super) cluster: &'a dyn Cluster,
    pub(super) found: Findings<'d>,
    /// The types of the profiles that are installed, once they were asked for.
    pub(super) profiles: Option<Vec<String>>,
}

/// What decides about all places of a pod.
pub(super) struct LevelContext<'a, 'd> {
    pub(super) owner: Owner,
    /// The first namespace of the node that the pod is in, of those that the settings name.
    pub(super) trigger: Option<Node<'d>>,
    /// Whether unconfined types are for all its containers.
    pub(super) may_be_unconfined: bool,
    /// The type of options that have none.
    pub(super) kind: Option<&'a str>,
    /// The level of the pod to which containers are added: whoever owned it when it was made, they belong to it.
    pub(super) of_pod: Option<Level>,
}

/// Where a type comes from.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Kind<'d> {
    /// The object.
    Set(&'d str),
    /// The settings; there is one.
    Given,
}

/// A container with what it would run with.
#[derive(Debug)]
pub(super) struct Running<'d> {
    pub(super) container: Container<'d>,
    /// The options that it runs with.
    site: Site<'d>,
    is_privileged: bool,
    /// Whether its type, set or given, is an unconfined one.
    is_unconfined: bool,
    kind: Option<Kind<'d>>,
    /// `None` if the runtime chooses it, or if it cannot be understood.
    pub(super) level: Option<Level>,
    /// Whether its level is refused already.
    is_refused: bool,
}

impl Running<'_> {
    /// Whether SELinux confines it.
    pub(super) fn is_confined(&self) -> bool {
        !self.is_privileged && !self.is_unconfined
    }
}

impl<'a, 'd> Review<'a, 'd> {
    /// Judges the pod.
    ///
    /// # Errors
    /// What cannot be read or looked up.
    pub(super) fn judge(mut self) -> Result<Findings<'d>, Fault> {
        let of_pod = Site::of_pod(self.asked.pod)?;
        let sites = self.sites()?;
        let context = self.context(&of_pod, &sites)?;
        let mut is_refused = false;
        if !self.adds() {
            self.reject()?;
            let inheriting = sites.iter().filter(|site| site.own.is_none());
            let inheriting: Vec<Container<'d>> = inheriting.filter_map(|site| site.container).collect();
            is_refused = self.check(&of_pod, &context, &inheriting)?;
        }
        let level = self.level(&of_pod, &context);
        let mut running = Vec::new();
        for site in &sites {
            let Some(container) = site.container else { continue };
            let (site, level, is_refused) = if site.own.is_some() {
                let is_refused = self.check(site, &context, &[container])?;
                (*site, self.level(site, &context), is_refused)
            } else {
                (of_pod, level.clone(), is_refused)
            };
            let own = site.own.unwrap_or_default();
            running.push(Running {
                container,
                site,
                is_privileged: is_privileged(&container)?,
                is_unconfined: self.is_unconfined(own.kind, &context),
                kind: own.kind.map(Kind::Set).or(context.kind.map(|_| Kind::Given)),
                level,
                is_refused,
            });
        }
        self.compare(&running, &context)?;
        self.complete(&of_pod, &sites, &context)?;
        self.tell(&running, &context)?;
        if !self.adds() {
            self.volumes(&running)?;
        }
        Ok(self.found)
    }

    /// Whether containers are added to a pod that is there.
    pub(super) fn adds(&self) -> bool {
        matches!(self.what, ReviewKind::Ephemeral(_))
    }

    /// The containers that are judged, each with its options.
    fn sites(&self) -> Result<Vec<Site<'d>>, Fault> {
        let pod = self.asked.pod;
        let containers = match self.what {
            ReviewKind::Pod | ReviewKind::Template => pod.all_containers()?,
            ReviewKind::Ephemeral(new_pod) => {
                let mut known = Vec::new();
                for container in pod.containers(ContainerKind::Ephemeral)? {
                    known.push(container.name()?);
                }
                let known = Lookup::of(known);
                let mut new = Vec::new();
                for container in new_pod.containers(ContainerKind::Ephemeral)? {
                    if known.position(&container.name()?).is_none() {
                        new.push(container);
                    }
                }
                new
            }
        };
        containers.into_iter().map(Site::of_container).collect()
    }

    fn context(&mut self, of_pod: &Site<'d>, sites: &[Site<'d>]) -> Result<LevelContext<'a, 'd>, Fault> {
        let policy = self.policy;
        let spec = self.asked.pod.spec();
        let trigger = policy.host_namespaces.triggers(spec)?.into_iter().next();
        let acts = policy.host_namespaces.action != HostNamespaceAction::Ignore;
        let may_be_unconfined = trigger.is_some() && acts
            || is_unconfinable(spec)?
            || policy.exempt.unconfined.cover(self.asked.namespace, self.asked.pod)?;
        let is_triggered = trigger.is_some() && policy.host_namespaces.wants_type() && !self.adds();
        let kind = if is_triggered { &policy.host_namespaces.kind } else { &policy.allocation.fixed.kind };
        let level = of_pod.own.and_then(|own| own.level).filter(|_| self.adds());
        let level = level.and_then(|level| Level::parse(level).ok());
        let mut places = sites.iter().chain((!self.adds()).then_some(of_pod));
        let is_set = places.any(|site| site.own.is_some_and(|own| own.level.is_some()));
        // No look-up for what decides nothing.
        let depends = is_set && level.is_none() || matches!(self.what, ReviewKind::Pod) && self.completes();
        let owner = if depends { self.owner()? } else { Owner::of(None, "nobody") };
        Ok(LevelContext { owner, trigger, may_be_unconfined, kind: kind.as_deref(), of_pod: level })
    }

    fn owner(&mut self) -> Result<Owner, Fault> {
        let policy = self.policy;
        let allocation = &policy.allocation;
        if policy.on_lookup_failure == OnLookupFailure::Warn
            && allocation.asks()
            && let Err(fault) = self.lookup.namespace(&|_| Ok(()))
        {
            self.found.could_not(&fault);
            return Ok(Owner::of(None, "an owner that is not known"));
        }
        let owner = owner::find(allocation, &self.asked, &mut self.lookup)?;
        if owner.is_refused {
            let mut rule = owner.text();
            rule.push_str(" has no level");
            let key = allocation.annotations.first().map_or("", String::as_str);
            let remedy =
                ["have it annotated with ", key, " by somebody of allocation.annotationEditors"].concat();
            let at = Site::of_pod(self.asked.pod)?.at("level");
            self.found.violations.push(Violation::forbidden(at, rule, remedy));
        }
        Ok(owner)
    }

    /// Refuses namespaces of the node, where the settings want it so.
    fn reject(&mut self) -> Result<(), Fault> {
        let policy = self.policy;
        if policy.host_namespaces.action == HostNamespaceAction::Reject {
            for trigger in policy.host_namespaces.triggers(self.asked.pod.spec())? {
                let rule = "pods may not be in namespaces of the node, where SELinux confines nothing";
                self.found.violations.forbid(trigger, rule, "remove it");
            }
        }
        Ok(())
    }

    /// Whether options with a type, set or given, confine nothing.
    pub(super) fn is_unconfined(&self, kind: Option<&str>, context: &LevelContext<'a, 'd>) -> bool {
        kind.or(context.kind).is_some_and(|kind| self.policy.types.is_unconfined(kind))
    }

    /// Whether a pod gets what it lacks, or has to have it.
    fn completes(&self) -> bool {
        self.policy.mode == Mode::Mutate || self.policy.demands_levels()
    }

    /// The level at a place once the pod is complete; `None` where the runtime chooses it.
    fn level(&self, site: &Site<'d>, context: &LevelContext<'a, 'd>) -> Option<Level> {
        let own = site.own.unwrap_or_default();
        let is_completed = match self.what {
            ReviewKind::Pod => self.completes(),
            ReviewKind::Template => false,
            ReviewKind::Ephemeral(_) => site.container.is_some(),
        };
        match own.level {
            Some(level) => Level::parse(level).ok(),
            None if is_completed => self.expected(own.kind, context),
            None => None,
        }
    }

    /// Holds the levels of the containers against each other: they share volumes, which have one.
    fn compare(&mut self, running: &[Running<'d>], context: &LevelContext<'a, 'd>) -> Result<(), Fault> {
        let policy = self.policy;
        if policy.levels.matching == LevelMatch::Any || self.adds() && context.of_pod.is_none() {
            return Ok(());
        }
        // What a template does not say, its pods may get.
        let is_open = matches!(self.what, ReviewKind::Template);
        let mut comparable =
            running.iter().filter(|one| !one.is_refused && (one.level.is_some() || !is_open));
        let Some(first) = comparable.next() else { return Ok(()) };
        for other in comparable.filter(|other| other.level != first.level) {
            let names = [first.container.name()?, other.container.name()?];
            match policy.intra_pod {
                IntraPod::Ignore => {}
                IntraPod::Warn => {
                    self.found.warn("containers of one pod run at different levels", &names);
                    return Ok(());
                }
                IntraPod::Enforce => {
                    let [one, two] = names.map(|name| Quoted(name).to_string());
                    let [of_one, of_two] = [first, other].map(|one| match &one.level {
                        Some(level) => level.text(),
                        None => "one of the runtime".to_owned(),
                    });
                    let rule = [
                        "containers ",
                        &one,
                        " and ",
                        &two,
                        " run at different levels, ",
                        &of_one,
                        " and ",
                        &of_two,
                        ", and share volumes",
                    ];
                    let at = other.site.at("level");
                    let remedy = "give all containers one level";
                    self.found.violations.push(if at.is_present()? {
                        Violation::invalid(at, rule.concat(), remedy)
                    } else {
                        Violation::required(at, rule.concat(), remedy)
                    });
                }
            }
        }
        Ok(())
    }

    /// Says what is not confined, and what namespaces mean for it.
    fn tell(&mut self, running: &[Running<'d>], context: &LevelContext<'a, 'd>) -> Result<(), Fault> {
        let spec = self.asked.pod.spec();
        let unconfined = names(running, &|one| one.is_unconfined)?;
        if !unconfined.is_empty() {
            self.found.annotate("unconfined", "containers", &unconfined);
        }
        let acts = self.policy.host_namespaces.action != HostNamespaceAction::Ignore;
        if context.trigger.is_some() && acts {
            let what = "in a namespace of the node, these containers run unconfined";
            self.found.warn_of(what, &names(running, &|one| !one.is_confined())?);
            if is_unconfinable(spec)? {
                let what = "CRI-O ignores the type of containers with hostPID or hostIPC";
                let is_one = &|one: &Running<'d>| one.is_confined() && one.kind.is_some();
                self.found.warn_of(what, &names(running, is_one)?);
            }
        }
        if let Some(at) = spec.entry("shareProcessNamespace")?
            && at.boolean()? == Some(true)
        {
            let first = running.first().and_then(|one| one.kind);
            let what = "containers that share processes have different types";
            self.found.warn_of(what, &names(running, &|one| one.kind != first)?);
        }
        Ok(())
    }
}

/// The names of some containers.
fn names<'d>(running: &[Running<'d>], is_one: &dyn Fn(&Running<'d>) -> bool) -> Result<Vec<&'d str>, Fault> {
    let mut names = Vec::new();
    for one in running.iter().filter(|one| is_one(one)) {
        names.push(one.container.name()?);
    }
    Ok(names)
}
