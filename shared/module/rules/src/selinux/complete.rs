//! What a pod lacks.

use admission::{Fault, Violation};

use super::check::whose;
use super::host_namespaces::{HostNamespaceAction, HostNamespaceLevel};
use super::level::Level;
use super::options::Site;
use super::pod::{LevelContext, Review, ReviewKind};

impl<'a, 'd> Review<'a, 'd> {
    /// Notes what is missing: in the pod's options if a container runs with them, and in those of containers, which take
    /// their place as a whole. Nothing is taken away: options that look empty may have fields that nobody knows yet.
    ///
    /// # Errors
    /// What cannot be read.
    pub(super) fn complete(
        &mut self,
        of_pod: &Site<'d>,
        sites: &[Site<'d>],
        context: &LevelContext<'a, 'd>,
    ) -> Result<(), Fault> {
        let inherits = sites.is_empty() || sites.iter().any(|site| site.own.is_none());
        match self.what {
            ReviewKind::Template => return Ok(()),
            ReviewKind::Pod if inherits => self.complete_site(of_pod, context)?,
            ReviewKind::Pod | ReviewKind::Ephemeral(_) => {}
        }
        for site in sites.iter().filter(|site| site.own.is_some()) {
            self.complete_site(site, context)?;
        }
        Ok(())
    }

    /// The level of options with a type; `None` if the runtime chooses it.
    pub(super) fn expected(&self, kind: Option<&str>, context: &LevelContext<'a, 'd>) -> Option<Level> {
        let fixed = &self.policy.allocation.fixed.level;
        if fixed.is_some() {
            return fixed.clone();
        }
        if self.adds() {
            return context.of_pod.clone();
        }
        if self.is_lowest(kind, context) {
            return Some(Level::of(&[]));
        }
        context.owner.level.clone()
    }

    /// Whether settings give options with a type the level that has no categories.
    fn is_lowest(&self, kind: Option<&str>, context: &LevelContext<'a, 'd>) -> bool {
        context.trigger.is_some()
            && self.policy.host_namespaces.level == HostNamespaceLevel::Lowest
            && self.is_unconfined(kind, context)
    }

    fn complete_site(&mut self, site: &Site<'d>, context: &LevelContext<'a, 'd>) -> Result<(), Fault> {
        let policy = self.policy;
        let fixed = &policy.allocation.fixed;
        let own = site.own.unwrap_or_default();
        for (field, value, wanted) in [("user", own.user, &fixed.user), ("role", own.role, &fixed.role)] {
            if let (None, Some(wanted)) = (value, wanted) {
                self.miss(site, field, wanted.clone(), Some("every pod has one"))?;
            }
        }
        if let (None, Some(kind)) = (own.kind, context.kind) {
            self.complete_type(site, kind, context)?;
        }
        let level = self.expected(own.kind, context).filter(|_| own.level.is_none());
        let Some(level) = level else { return Ok(()) };
        let of_owner;
        let demand = if fixed.level.is_some() {
            Some("every pod has one")
        } else if context.of_pod.is_some() {
            Some("containers of a pod have one level")
        } else if !policy.demands_levels() {
            None
        } else if self.is_lowest(own.kind, context) {
            Some("a pod in a namespace of the node has one")
        } else {
            of_owner = ["a pod has the level of ", &context.owner.text()].concat();
            Some(of_owner.as_str())
        };
        self.found.lacks_level = true;
        self.miss(site, "level", level.text(), demand)
    }

    fn complete_type(
        &mut self,
        site: &Site<'d>,
        kind: &str,
        context: &LevelContext<'a, 'd>,
    ) -> Result<(), Fault> {
        let host_namespaces = &self.policy.host_namespaces;
        if context.trigger.is_none() || !host_namespaces.wants_type() || self.adds() {
            return self.miss(site, "type", kind.to_owned(), Some("every pod has one"));
        }
        let demand = "a pod in a namespace of the node runs unconfined, and has to say so";
        if host_namespaces.action != HostNamespaceAction::Require {
            return self.miss(site, "type", kind.to_owned(), Some(demand));
        }
        let mut rule = whose(site)?;
        rule.push_str(demand);
        let remedy = ["set it to ", kind].concat();
        self.found.violations.push(Violation::required(site.at("type"), rule, remedy));
        Ok(())
    }

    /// Notes a missing value, and why a guard demands it, if it does.
    fn miss(
        &mut self,
        site: &Site<'d>,
        field: &'static str,
        value: String,
        demand: Option<&str>,
    ) -> Result<(), Fault> {
        let demand = match demand {
            Some(demand) => {
                let mut text = whose(site)?;
                text.push_str(demand);
                Some(text)
            }
            None => None,
        };
        self.found.miss(site.at(field), value, demand);
        Ok(())
    }
}
