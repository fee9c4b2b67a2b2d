//! The conditions of an entry on the pod and the request.

use admission::{Fault, Request};

use crate::namespace_lookup::NamespaceLookup;
use crate::pattern::Pattern;
use crate::pod_security::exemptions::has;
use crate::selector::Selector;
use crate::view::Pod;

/// Conditions that must all be met. An empty list is not a condition.
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

/// A pod and its request, and the entries whose conditions are known to be met or not.
pub(in crate::pod_security) struct EvalContext<'a, 'd> {
    /// The request, or `None` for the pod before an update, whose requesting user is not known.
    request: Option<&'a Request<'d>>,
    pod: Pod<'d>,
    /// By the number of the entry.
    met: Vec<Option<Result<bool, Fault>>>,
}

impl Conditions {
    /// Whether the conditions need a look-up.
    pub(super) fn need_lookup(&self) -> bool {
        self.namespace_selector.is_some()
    }
}

impl<'a, 'd> EvalContext<'a, 'd> {
    /// Returns the context of a pod, for a number of entries.
    pub(in crate::pod_security) fn of(
        request: Option<&'a Request<'d>>,
        pod: Pod<'d>,
        entries: usize,
    ) -> Self {
        Self { request, pod, met: vec![None; entries] }
    }

    /// Whether the conditions of an entry are met. Each entry is evaluated once.
    ///
    /// # Errors
    /// When a field of the pod or the request cannot be read, or the Namespace cannot be looked up.
    pub(super) fn meets(
        &mut self,
        entry: usize,
        conditions: &Conditions,
        lookup: &mut NamespaceLookup<'_>,
    ) -> Result<bool, Fault> {
        if let Some(Some(known)) = self.met.get(entry) {
            return known.clone();
        }
        let met = self.evaluate(conditions, lookup);
        if let Some(known) = self.met.get_mut(entry) {
            *known = Some(met.clone());
        }
        met
    }

    fn evaluate(&self, conditions: &Conditions, lookup: &mut NamespaceLookup<'_>) -> Result<bool, Fault> {
        let Conditions { pod_selector, namespaces, namespace_selector, users, groups, .. } = conditions;
        if let Some(request) = self.request {
            let is_user = users.is_empty() || has(users, request.username()?);
            if !is_user || !groups.is_empty() && !request.groups()?.iter().any(|group| has(groups, group)) {
                return Ok(false);
            }
        }
        let namespace = lookup.name.unwrap_or_default();
        if !match_any(namespaces, namespace) {
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
            if !match_any(&conditions.service_accounts, &account) {
                return Ok(false);
            }
        }
        if !conditions.runtime_classes.is_empty() {
            match self.pod.runtime_class_name().filled_text()? {
                Some(name) if match_any(&conditions.runtime_classes, name) => {}
                _ => return Ok(false),
            }
        }
        // The look-up comes last, so that it happens only if the verdict depends on it.
        match namespace_selector {
            None => Ok(true),
            Some(selector) => lookup.namespace(&|namespace| selector.matches(namespace.metadata().labels())),
        }
    }
}

/// Whether one of the patterns matches a text, or there are none.
fn match_any(patterns: &[Pattern], text: &str) -> bool {
    patterns.is_empty() || patterns.iter().any(|pattern| pattern.matches(text))
}
