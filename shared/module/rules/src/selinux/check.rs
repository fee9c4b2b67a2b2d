//! What a pod may set: users, roles, types and levels.

use admission::{Fault, Quoted, Violation};

use super::level::Level;
use super::options::{Options, Site, is_privileged};
use super::pod::{LevelContext, Review};
use super::profiles;
use super::settings::{LevelMatch, OnLookupFailure};
use super::types::is_of_files;
use crate::view::Container;

impl<'a, 'd> Review<'a, 'd> {
    /// Judges what is set at a place, for the containers that run with it. Whether a level is refused.
    ///
    /// # Errors
    /// What cannot be read or looked up.
    pub(super) fn check(
        &mut self,
        site: &Site<'d>,
        context: &LevelContext<'a, 'd>,
        containers: &[Container<'d>],
    ) -> Result<bool, Fault> {
        let Some(own) = site.own else { return Ok(false) };
        let policy = self.policy;
        let fixed = &policy.allocation.fixed;
        self.check_name(site, "user", own.user, fixed.user.as_deref(), &policy.users)?;
        self.check_name(site, "role", own.role, fixed.role.as_deref(), &policy.roles)?;
        self.check_type(site, own, context, containers)?;
        let remedy = match self.expected(own.kind, context) {
            Some(level) => ["use ", &level.text()].concat(),
            None => "remove it".to_owned(),
        };
        let Some(rule) = self.objection(own, context) else { return Ok(false) };
        self.refuse(site, "level", &rule, &remedy)?;
        Ok(true)
    }

    fn refuse(
        &mut self,
        site: &Site<'d>,
        field: &'static str,
        rule: &str,
        remedy: &str,
    ) -> Result<(), Fault> {
        let mut text = whose(site)?;
        text.push_str(rule);
        self.found.violations.push(Violation::invalid(site.at(field), text, remedy.to_owned()));
        Ok(())
    }

    /// Judges a user or a role.
    fn check_name(
        &mut self,
        site: &Site<'d>,
        field: &'static str,
        name: Option<&str>,
        fixed: Option<&str>,
        listed: &[String],
    ) -> Result<(), Fault> {
        let Some(name) = name else { return Ok(()) };
        if let Some(fixed) = fixed {
            return if name == fixed { Ok(()) } else { self.refuse_for(site, field, fixed) };
        }
        if listed.iter().any(|known| known == name) {
            return Ok(());
        }
        if name == "object_r" {
            return self.refuse(site, field, "is the role of files, and of no process", "remove it");
        }
        self.refuse_for_list(site, field, listed)
    }

    fn refuse_for(&mut self, site: &Site<'d>, field: &'static str, fixed: &str) -> Result<(), Fault> {
        self.refuse(site, field, "every pod has another one", &["set it to ", fixed].concat())
    }

    fn refuse_for_list(
        &mut self,
        site: &Site<'d>,
        field: &'static str,
        listed: &[String],
    ) -> Result<(), Fault> {
        if listed.is_empty() {
            return self.refuse(site, field, "may not be set", "remove it");
        }
        let rule = ["is none of ", &listed.join(", ")].concat();
        self.refuse(site, field, &rule, "remove it or use one of them")
    }

    fn check_type(
        &mut self,
        site: &Site<'d>,
        own: Options<'d>,
        context: &LevelContext<'a, 'd>,
        containers: &[Container<'d>],
    ) -> Result<(), Fault> {
        let Some(kind) = own.kind else { return Ok(()) };
        let policy = self.policy;
        if let Some(fixed) = policy.allocation.fixed.kind.as_deref() {
            let of_trigger = policy.host_namespaces.kind.as_deref();
            let is_one = kind == fixed || context.trigger.is_some() && of_trigger == Some(kind);
            return if is_one { Ok(()) } else { self.refuse_for(site, "type", fixed) };
        }
        if policy.types.is_unconfined(kind) {
            if self.may_be_unconfined(site, context, containers)? {
                return Ok(());
            }
            let rule =
                "confines nothing, and is for pods with hostPID or hostIPC and for privileged containers";
            return self.refuse(site, "type", rule, "remove it");
        }
        if is_of_files(kind) {
            return self.refuse(site, "type", "is a type of files, and of no process", "remove it");
        }
        if policy.types.allow(kind) || policy.types.from_profiles && self.is_of_a_profile(kind)? {
            return Ok(());
        }
        self.refuse_for_list(site, "type", &policy.types.allowed)
    }

    fn may_be_unconfined(
        &self,
        site: &Site<'d>,
        context: &LevelContext<'a, 'd>,
        containers: &[Container<'d>],
    ) -> Result<bool, Fault> {
        if context.may_be_unconfined {
            return Ok(true);
        }
        // A pod whose containers all have options of their own has none that is privileged with the pod's.
        let mut all = site.container.is_some() || !containers.is_empty();
        for container in containers {
            all &= is_privileged(container)? || self.policy.exempt.unconfined.cover_image(container.image()?);
        }
        Ok(all)
    }

    fn is_of_a_profile(&mut self, kind: &str) -> Result<bool, Fault> {
        let known = match self.profiles.take() {
            Some(known) => known,
            None => match profiles::installed(self.cluster, self.asked.namespace) {
                Err(fault) if self.policy.on_lookup_failure == OnLookupFailure::Warn => {
                    self.found.could_not(&fault);
                    return Ok(true);
                }
                other => other?,
            },
        };
        let known = self.profiles.insert(known);
        Ok(known.iter().any(|known| known == kind))
    }

    /// What is wrong with a level.
    fn objection(&self, own: Options<'d>, context: &LevelContext<'a, 'd>) -> Option<String> {
        let policy = self.policy;
        let fixed = &policy.allocation.fixed.level;
        if policy.levels.matching == LevelMatch::Any && fixed.is_none() {
            return None;
        }
        let level = match Level::parse(own.level?) {
            Ok(level) => level,
            Err(problem) => return Some(problem.to_owned()),
        };
        let owner = &context.owner;
        if let Some(fixed) = fixed {
            return (level != *fixed).then(|| "every pod has another one".to_owned());
        }
        if let Some(of_pod) = &context.of_pod {
            return (level != *of_pod).then(|| "is not the level of its pod".to_owned());
        }
        let is_lowest = !level.is_range() && !level.has_categories();
        let is_unconfined = self.is_unconfined(own.kind, context);
        if owner.level.as_ref() == Some(&level)
            || policy.levels.extra.contains(&level)
            || is_unconfined && is_lowest
        {
            return None;
        }
        let is_exact = policy.levels.matching == LevelMatch::Exact;
        let rule = if level.is_range() {
            "is a range, which reaches the files of others"
        } else if is_lowest {
            "has no categories, so that every container reaches its files"
        } else if level.categories() > usize::from(policy.allocation.pool.per_level) {
            "has more categories than levels have here, and reaches the files of all who have some of them"
        } else if is_exact && owner.level.is_some() {
            return Some(["is not the level of ", &owner.text()].concat());
        } else if is_exact && owner.is_nobody {
            "is the level of a pod without a lasting name, which is for the runtime to choose"
        } else {
            return None;
        };
        Some(rule.to_owned())
    }
}

/// How a sentence about a place begins: `container "app": `; nothing for the pod.
pub(super) fn whose(site: &Site<'_>) -> Result<String, Fault> {
    let Some(container) = site.container else { return Ok(String::new()) };
    Ok([container.kind.noun(), " ", &Quoted(container.name()?).to_string(), ": "].concat())
}
