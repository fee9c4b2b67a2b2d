//! Users, groups and service accounts who may use constraints.
//!
//! Source: `ConstraintAppliesTo` and `allowedForType` in openshift/apiserver-library-go: the
//! service account of the pod or the requesting user is in `users` or `groups` of the constraints,
//! or may `use` them in the namespace of the pod.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::constraints::Constraints;
use crate::cel::{self, CelExpression};
use crate::rbac::{ACCOUNT, Grants, MASTERS, Subject};

/// The groups that each pod belongs to by its service account.
const EVERYONE: [&str; 2] = ["system:authenticated", "system:serviceaccounts"];

/// The condition of an entry that names service accounts.
const ACCOUNTS: &str = "serviceAccounts";

const ACCOUNTS_OF: &str = "system:serviceaccounts:";

/// The service account of a pod. The API server writes its name before it calls webhooks.
const POD_ACCOUNT: &str =
    "(has(object.spec.serviceAccountName) ? object.spec.serviceAccountName : 'default')";

/// The roles and bindings for constraints.
pub(super) fn grants<'d>() -> Grants<'d> {
    Grants::of_resource(&[super::GROUP], "securitycontextconstraints")
}

/// The subjects of constraints: in the whole cluster (`None`), and in single namespaces.
#[derive(Clone, Debug, Default)]
pub(super) struct Access(BTreeMap<Option<String>, Subjects>);

#[derive(Clone, Debug, Default)]
struct Subjects {
    users: BTreeSet<String>,
    groups: BTreeSet<String>,
}

impl Subjects {
    /// Whether every pod has a service account among them.
    fn are_everyone(&self) -> bool {
        EVERYONE.iter().any(|group| self.groups.contains(*group))
    }

    /// The service accounts of pods, as patterns `namespace/name`.
    fn accounts(&self, namespace: Option<&str>) -> Vec<String> {
        let of_user = self.users.iter().filter_map(|user| {
            let (of, name) = user.strip_prefix(ACCOUNT)?.split_once(':')?;
            Some((of, name))
        });
        let of_group = self.groups.iter().filter_map(|group| Some((group.strip_prefix(ACCOUNTS_OF)?, "*")));
        // A pod has a service account of its own namespace.
        let all =
            of_user.chain(of_group).filter(|(of, _)| namespace.is_none_or(|namespace| namespace == *of));
        all.map(|(of, name)| format!("{of}/{name}")).collect()
    }
}

impl Access {
    /// The subjects who may use constraints.
    pub(super) fn of(constraints: &Constraints<'_>, grants: &Grants<'_>) -> Self {
        let mut access = Self::default();
        let everywhere = access.0.entry(None).or_default();
        everywhere.users.extend(constraints.users().iter().map(|user| (*user).to_owned()));
        everywhere.groups.extend(constraints.groups().iter().map(|group| (*group).to_owned()));
        for binding in grants.of(constraints.name()) {
            let subjects = access.0.entry(binding.namespace.map(str::to_owned)).or_default();
            for subject in &binding.subjects {
                match subject {
                    Subject::User(name) => subjects.users.insert(name.clone()),
                    Subject::Group(name) => subjects.groups.insert(name.clone()),
                };
            }
        }
        access.0.retain(|_, subjects| !(subjects.users.is_empty() && subjects.groups.is_empty()));
        if !access.0.is_empty() && grants.have_bindings() {
            access.0.entry(None).or_default().groups.insert(MASTERS.to_owned());
        }
        access
    }

    /// Whether all pods may use the constraints, in all namespaces.
    pub(super) fn is_everyone(&self) -> bool {
        self.0.get(&None).is_some_and(Subjects::are_everyone)
    }

    pub(super) fn is_nobody(&self) -> bool {
        self.0.is_empty()
    }

    /// The access without those who have another one.
    pub(super) fn without(&self, other: &Self) -> Self {
        let everywhere = other.0.get(&None).cloned().unwrap_or_default();
        let mut rest = Self::default();
        for (namespace, subjects) in &self.0 {
            let here = other.0.get(namespace).cloned().unwrap_or_default();
            let (all, local) = (&everywhere, &here);
            let keeps = |name: &&String, all: &BTreeSet<String>, local: &BTreeSet<String>| {
                !all.contains(*name) && !local.contains(*name)
            };
            let users = subjects.users.iter().filter(|name| keeps(name, &all.users, &local.users));
            let groups = subjects.groups.iter().filter(|name| keeps(name, &all.groups, &local.groups));
            let left = Subjects { users: users.cloned().collect(), groups: groups.cloned().collect() };
            if !(left.users.is_empty() && left.groups.is_empty()) {
                rest.0.insert(namespace.clone(), left);
            }
        }
        rest
    }

    /// Adds those who have another access.
    pub(super) fn extend(&mut self, other: &Self) {
        for (namespace, subjects) in &other.0 {
            let here = self.0.entry(namespace.clone()).or_default();
            here.users.extend(subjects.users.iter().cloned());
            here.groups.extend(subjects.groups.iter().cloned());
        }
    }

    /// The conditions of entries that together cover the pods of the access: alternatives.
    pub(super) fn conditions(&self) -> Vec<Map<String, Value>> {
        let mut conditions = Vec::new();
        for (namespace, subjects) in &self.0 {
            let mut add = |key: &str, names: Vec<String>| {
                let mut condition = Map::new();
                if !key.is_empty() {
                    if names.is_empty() {
                        return;
                    }
                    condition.insert(key.to_owned(), json!(names));
                }
                // The names of service accounts have the namespace.
                if let Some(namespace) = namespace.as_ref().filter(|_| key != ACCOUNTS) {
                    condition.insert("namespaces".to_owned(), json!([namespace]));
                }
                conditions.push(condition);
            };
            if subjects.are_everyone() {
                add("", Vec::new());
                continue;
            }
            add(ACCOUNTS, subjects.accounts(namespace.as_deref()));
            add("users", subjects.users.iter().cloned().collect());
            add("groups", subjects.groups.iter().cloned().collect());
        }
        conditions
    }

    /// Whether a request is about a pod of the access, or from one of its users.
    pub(super) fn expression(&self) -> CelExpression {
        let mut alternatives = Vec::new();
        for (namespace, subjects) in &self.0 {
            let mut parts = Vec::new();
            if let Some(namespace) = namespace {
                parts.push(cel::matches_any("request.namespace", &[namespace]));
            }
            if !subjects.are_everyone() {
                let users: Vec<&str> = subjects.users.iter().map(String::as_str).collect();
                let groups: Vec<&str> = subjects.groups.iter().map(String::as_str).collect();
                let accounts = subjects.accounts(namespace.as_deref());
                let accounts: Vec<&str> = accounts.iter().map(String::as_str).collect();
                let mut any = Vec::new();
                if !accounts.is_empty() {
                    any.push(cel::matches_any(
                        &format!("(request.namespace + '/' + {POD_ACCOUNT})"),
                        &accounts,
                    ));
                }
                any.push(cel::is_requested_by(&users, &groups));
                parts.push(CelExpression::Any(any));
            }
            alternatives.push(CelExpression::All(parts));
        }
        CelExpression::Any(alternatives)
    }
}
