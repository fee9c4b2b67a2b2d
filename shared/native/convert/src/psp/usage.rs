//! Those who may use a policy.
//!
//! Source: `isAuthorizedForPolicy` in `plugin/pkg/admission/security/podsecuritypolicy` (kubernetes
//! 1.20.2): the requesting user or the service account of the pod may use a policy of either API
//! group, in the namespace of the pod.

use std::collections::{BTreeMap, BTreeSet};

use crate::rbac::{Grants, MASTERS, Subject};

/// The group of all users except anonymous ones.
const AUTHENTICATED: &str = "system:authenticated";

/// The roles and bindings for policies.
pub(super) fn grants<'d>() -> Grants<'d> {
    Grants::of_resource(&["policy", "extensions"], "podsecuritypolicies")
}

/// The users and service accounts who may use a policy in some namespaces.
#[derive(Clone, Debug, Default, Eq, Ord, PartialEq, PartialOrd)]
pub(super) struct Users {
    pub(super) users: BTreeSet<String>,
    pub(super) groups: BTreeSet<String>,
}

/// Those who may use a policy: everywhere, and in single namespaces.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(super) struct Usage {
    pub(super) everywhere: Users,
    pub(super) in_namespaces: BTreeMap<String, Users>,
}

impl Usage {
    /// Those who may use a policy that no binding is about.
    pub(super) fn without_bindings() -> Self {
        let mut usage = Self::default();
        usage.everywhere.groups.insert(MASTERS.to_owned());
        usage
    }

    /// Those who may use a policy.
    pub(super) fn of(policy: &str, grants: &Grants<'_>) -> Self {
        let mut usage = Self::without_bindings();
        for binding in grants.of(policy) {
            let users = match binding.namespace {
                Some(namespace) => usage.in_namespaces.entry(namespace.to_owned()).or_default(),
                None => &mut usage.everywhere,
            };
            for subject in &binding.subjects {
                match subject {
                    Subject::User(name) => users.users.insert(name.clone()),
                    Subject::Group(name) => users.groups.insert(name.clone()),
                };
            }
        }
        usage
    }
}

impl Users {
    /// Whether all users are among them, except anonymous ones, whom roles rarely allow to create
    /// pods.
    pub(super) fn are_all(&self) -> bool {
        self.groups.contains(AUTHENTICATED)
    }
}
