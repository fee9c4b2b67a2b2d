//! Further conditions of an entry, on the pod and on the request.

use admission::{Fault, Request};

use crate::namespace_lookup::NamespaceLookup;
use crate::pattern::Pattern;
use crate::pod_security::exemptions::has;
use crate::selector::Selector;
use crate::view::Pod;

/// All of which have to be met; an empty list is no condition.
#[derive(Debug)]
pub(in crate::pod_security) struct Conditions {
    pub(super) pod_selector: Option<Selector>,
    pub(super) namespaces: Vec<Pattern>,
    pub(super) namespace_selector: Option<Selector>,
    pub(super) service_accounts: Vec<Pattern>,
    pub(super) runtime_classes: Vec<Pattern>,
    pub(super) users: Vec<String>,
    pub(super) groups: Vec<String>,
}

/// A pod and who asks for it, and which entries were found to apply to them.
pub(in crate::pod_security) struct EvalContext<'a, 'd> {
    /// Who asks; `None` of a pod that is there already, for which anybody may have asked.
    request: Option<&'a Request<'d>>,
    pod: Pod<'d>,
    /// By the number of the entry.
    met: Vec<Option<Result<bool, Fault>>>,
}

impl Conditions {
    /// Whether they ask the cluster.
    pub(super) fn ask(&self) -> bool {
        self.namespace_selector.is_some()
    }
}

impl<'a, 'd> EvalContext<'a, 'd> {
    /// Those of a pod, as far as so many entries depend on them.
    pub(in crate::pod_security) fn of(
        request: Option<&'a Request<'d>>,
        pod: Pod<'d>,
        entries: usize,
    ) -> Self {
        Self { request, pod, met: vec![None; entries] }
    }

    /// Whether the conditions of an entry are met.
    ///
    /// # Errors
    /// What cannot be read or looked up.
    pub(super) fn meet(
        &mut self,
        entry: usize,
        conditions: &Conditions,
        lookup: &mut NamespaceLookup<'_>,
    ) -> Result<bool, Fault> {
        if let Some(Some(known)) = self.met.get(entry) {
            return known.clone();
        }
        let met = self.judge(conditions, lookup);
        if let Some(known) = self.met.get_mut(entry) {
            *known = Some(met.clone());
        }
        met
    }

    fn judge(&self, conditions: &Conditions, lookup: &mut NamespaceLookup<'_>) -> Result<bool, Fault> {
        let Conditions { pod_selector, namespaces, namespace_selector, users, groups, .. } = conditions;
        if let Some(request) = self.request {
            let is_one = users.is_empty() || has(users, request.username()?);
            if !is_one || !groups.is_empty() && !request.groups()?.iter().any(|group| has(groups, group)) {
                return Ok(false);
            }
        }
        let namespace = lookup.name.unwrap_or_default();
        if !fits(namespaces, namespace) {
            return Ok(false);
        }
        if let Some(selector) = pod_selector
            && !selector.matches(self.pod.metadata().labels())?
        {
            return Ok(false);
        }
        if !conditions.service_accounts.is_empty() {
            let mut account = namespace.to_owned();
            account.push('/');
            account.push_str(self.pod.account()?);
            if !fits(&conditions.service_accounts, &account) {
                return Ok(false);
            }
        }
        if !conditions.runtime_classes.is_empty() {
            match self.pod.runtime_class_name().filled_text()? {
                Some(name) if fits(&conditions.runtime_classes, name) => {}
                _ => return Ok(false),
            }
        }
        // Last, as it asks the cluster.
        match namespace_selector {
            None => Ok(true),
            Some(selector) => lookup.namespace(&|namespace| selector.matches(namespace.metadata().labels())),
        }
    }
}

fn fits(patterns: &[Pattern], text: &str) -> bool {
    patterns.is_empty() || patterns.iter().any(|pattern| pattern.matches(text))
}
