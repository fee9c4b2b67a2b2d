//! The conditions of an entry on the pod and the request.

use admission::{Fault, Lookup, Node, Request, SettingsError};

use super::settings::{
    IMPOSSIBLE, is_pattern_of_label, is_pattern_of_subdomain, name_patterns, selector, some,
};
use super::workload::{self, Subject};
use crate::namespace_lookup::NamespaceLookup;
use crate::pattern::Patterns;
use crate::selector::Selector;
use crate::subject::{groups, has, users};
use crate::view::Pod;

/// Conditions on a pod and its request that must all be met. An empty list is not a condition.
#[derive(Debug, Default)]
pub(crate) struct PodConditions {
    pod_selector: Option<Selector>,
    namespaces: Patterns,
    namespace_selector: Option<Selector>,
    service_accounts: Patterns,
    runtime_classes: Patterns,
    workloads: Patterns,
    users: Vec<String>,
    groups: Vec<String>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Asker<'a, 'd> {
    /// The user of a request.
    Of(&'a Request<'d>),
    /// Any user instead of that of a request: conditions on the user are met.
    AnyUserIn(&'a Request<'d>),
    /// A user who is not known: that of the pod before an update. Conditions on the user and on
    /// workloads are met.
    Unknown,
    /// None: the pod was looked up. Conditions on the user are not met.
    Nobody,
}

/// A pod and its request, and the entries whose conditions are known to be met or not.
#[derive(Debug)]
pub(crate) struct EvalContext<'a, 'd> {
    asker: Asker<'a, 'd>,
    pod: Pod<'d>,
    /// The volumes that a container may write to, once they are asked for.
    writable: Option<Result<Lookup<&'d str>, Fault>>,
    /// Whether all labels meet the selectors of pods.
    ignores_labels: bool,
    /// By the number of the entry.
    met: Vec<Option<Result<bool, Fault>>>,
}

impl PodConditions {
    /// Reads the keys `podSelector`, `namespaces`, `namespaceSelector`, `serviceAccounts`,
    /// `runtimeClasses`, `workloads`, `users` and `groups` of an entry.
    pub(crate) fn read(entry: Node<'_>) -> Result<Self, SettingsError> {
        Ok(Self {
            pod_selector: selector(entry.at("podSelector"))?,
            namespaces: name_patterns(entry.at("namespaces"), IMPOSSIBLE, &is_pattern_of_label)?,
            namespace_selector: selector(entry.at("namespaceSelector"))?,
            service_accounts: name_patterns(entry.at("serviceAccounts"), IMPOSSIBLE, &is_pattern_of_account)?,
            runtime_classes: name_patterns(entry.at("runtimeClasses"), IMPOSSIBLE, &is_pattern_of_subdomain)?,
            workloads: name_patterns(entry.at("workloads"), NOT_A_WORKLOAD, &|workload| {
                workload
                    .split_once('/')
                    .is_some_and(|(kind, name)| workload::is_kind(kind) && is_pattern_of_subdomain(name))
            })?,
            users: some(entry.at("users"), users)?,
            groups: some(entry.at("groups"), groups)?,
        })
    }

    pub(crate) fn depend_on_user(&self) -> bool {
        !(self.users.is_empty() && self.groups.is_empty())
    }

    pub(crate) fn need_lookup(&self) -> bool {
        self.namespace_selector.is_some()
    }
}

impl<'a, 'd> EvalContext<'a, 'd> {
    /// Returns the context of a pod, for a number of entries.
    pub(crate) fn of(asker: Asker<'a, 'd>, pod: Pod<'d>, entries: usize) -> Self {
        Self { asker, pod, writable: None, ignores_labels: false, met: vec![None; entries] }
    }

    /// Returns the context with labels that meet every `podSelector`: for conditions that a pod met
    /// at some time, as its labels can change.
    pub(crate) fn ignoring_labels(mut self) -> Self {
        self.ignores_labels = true;
        self
    }

    /// Returns whether the conditions of an entry are met. Each entry is evaluated once.
    pub(crate) fn meets(
        &mut self,
        entry: usize,
        conditions: &PodConditions,
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

    pub(crate) fn mounts_read_only(&mut self, volume: &str) -> Result<bool, Fault> {
        let pod = self.pod;
        let writable = self.writable.get_or_insert_with(|| pod.writable_volumes().map(Lookup::of));
        writable.as_ref().map(|names| names.position(&volume).is_none()).map_err(Clone::clone)
    }

    fn is_of(&self, workloads: &Patterns) -> Result<bool, Fault> {
        let (kind, metadata, user) = match self.asker {
            Asker::Of(request) | Asker::AnyUserIn(request) => {
                (request.kind, Pod::of(request.object()?).metadata(), request.username()?)
            }
            Asker::Unknown => return Ok(true),
            Asker::Nobody => ("Pod", self.pod.metadata(), ""),
        };
        workload::is_of(workloads, &Subject { kind, metadata, pod: self.pod, user })
    }

    fn evaluate(&self, conditions: &PodConditions, lookup: &mut NamespaceLookup<'_>) -> Result<bool, Fault> {
        let PodConditions { pod_selector, namespaces, namespace_selector, users, groups, .. } = conditions;
        let is_asked_by_one = match self.asker {
            Asker::Of(request) => {
                (users.is_empty() || has(users, request.username()?))
                    && (groups.is_empty() || request.groups()?.iter().any(|group| has(groups, group)))
            }
            Asker::Nobody => !conditions.depend_on_user(),
            Asker::AnyUserIn(_) | Asker::Unknown => true,
        };
        if !is_asked_by_one {
            return Ok(false);
        }
        let namespace = lookup.name.unwrap_or_default();
        if !namespaces.are_met_by(namespace) {
            return Ok(false);
        }
        if let Some(selector) = pod_selector
            && !self.ignores_labels
            && !selector.matches(self.pod.metadata().labels())?
        {
            return Ok(false);
        }
        if !conditions.service_accounts.are_empty() {
            let mut account = namespace.to_owned();
            account.push('/');
            account.push_str(self.pod.account()?);
            if !conditions.service_accounts.are_met_by(&account) {
                return Ok(false);
            }
        }
        if !conditions.runtime_classes.are_empty() {
            match self.pod.runtime_class_name().filled_text()? {
                Some(name) if conditions.runtime_classes.are_met_by(name) => {}
                _ => return Ok(false),
            }
        }
        if !conditions.workloads.are_empty() && !self.is_of(&conditions.workloads)? {
            return Ok(false);
        }
        // The look-up comes last, so that it happens only if the verdict depends on it.
        match namespace_selector {
            None => Ok(true),
            Some(selector) => lookup.namespace(&|namespace| selector.matches(namespace.metadata().labels())),
        }
    }
}

const NOT_A_WORKLOAD: &str =
    "is not a workload of Kubernetes; write KIND/NAME, such as Deployment/web or DaemonSet/node-*";

/// Returns whether a pattern can match a service account, `namespace/name`.
fn is_pattern_of_account(account: &str) -> bool {
    match account.split_once('/') {
        Some((namespace, name)) => is_pattern_of_label(namespace) && is_pattern_of_subdomain(name),
        // A star can also stand for the slash.
        None => account.contains('*') && is_pattern_of_subdomain(account),
    }
}
