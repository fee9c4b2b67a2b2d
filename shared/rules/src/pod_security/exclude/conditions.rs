//! Further conditions of an entry, on the pod and on the request.

use admission::{Fault, Node, Request};

use crate::pattern::Pattern;
use crate::pod_security::namespace::Surroundings;
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

/// A request and its pod, and which entries were found to apply to them.
pub(in crate::pod_security) struct Circumstances<'a, 'd> {
    pub(in crate::pod_security) request: &'a Request<'d>,
    pub(in crate::pod_security) pod: Pod<'d>,
    pub(in crate::pod_security) surroundings: Surroundings<'a>,
    /// By the number of the entry.
    pub(in crate::pod_security) met: Vec<Option<Result<bool, Fault>>>,
}

impl Conditions {
    /// Whether they ask the cluster.
    pub(super) fn ask(&self) -> bool {
        self.namespace_selector.is_some()
    }
}

impl Circumstances<'_, '_> {
    /// Whether the conditions of an entry are met.
    ///
    /// # Errors
    /// What cannot be read or looked up.
    pub(super) fn meet(&mut self, entry: usize, conditions: &Conditions) -> Result<bool, Fault> {
        if let Some(Some(known)) = self.met.get(entry) {
            return known.clone();
        }
        let met = self.judge(conditions);
        if let Some(known) = self.met.get_mut(entry) {
            *known = Some(met.clone());
        }
        met
    }

    fn judge(&mut self, conditions: &Conditions) -> Result<bool, Fault> {
        let Conditions { pod_selector, namespaces, namespace_selector, .. } = conditions;
        if !conditions.users.is_empty() && !has(&conditions.users, self.request.username()?) {
            return Ok(false);
        }
        if !conditions.groups.is_empty()
            && !self.request.groups()?.iter().any(|group| has(&conditions.groups, group))
        {
            return Ok(false);
        }
        let namespace = self.surroundings.name.unwrap_or_default();
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
            account.push_str(service_account(self.pod)?);
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
            Some(selector) => self.surroundings.labels(&|labels: Node<'_>| selector.matches(labels)),
        }
    }
}

/// The service account of a pod, as the API server defaults it.
fn service_account(pod: Pod<'_>) -> Result<&str, Fault> {
    Ok(match pod.service_account_name().filled_text()? {
        Some(name) => name,
        None => pod.service_account().filled_text()?.unwrap_or("default"),
    })
}

fn fits(patterns: &[Pattern], text: &str) -> bool {
    patterns.is_empty() || patterns.iter().any(|pattern| pattern.matches(text))
}

fn has(names: &[String], name: &str) -> bool {
    names.iter().any(|known| known == name)
}
