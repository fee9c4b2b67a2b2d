//! The settings of `exempt`: requests that are not judged, and pods that may run unconfined.

use admission::{Fault, Kind, Node, Request, Setting, SettingsError};

use super::names::{account_problem, names, namespace_problem};
use crate::pattern::Pattern;
use crate::subject::users;
use crate::view::Pod;

/// The keys of `exempt`.
pub(super) const EXEMPT: &[Setting] = &[
    Setting::new("namespaces", Kind::List(&Kind::Text)),
    Setting::new("users", Kind::List(&Kind::Text)),
    Setting::new("unconfined", Kind::Object(UNCONFINED)),
];

const UNCONFINED: &[Setting] = &[
    Setting::new("serviceAccounts", Kind::List(&Kind::Text)),
    Setting::new("images", Kind::List(&Kind::Text)),
    Setting::new("namespaces", Kind::List(&Kind::Text)),
];

/// The exemptions.
#[derive(Debug, Default)]
pub(in crate::selinux) struct Exempt {
    namespaces: Vec<String>,
    users: Vec<String>,
    /// Pods that may run unconfined without host namespaces and without privileges.
    pub(in crate::selinux) unconfined: Unconfined,
}

/// Pods and containers that may set an unconfined type.
#[derive(Debug, Default)]
pub(in crate::selinux) struct Unconfined {
    service_accounts: Vec<String>,
    images: Vec<String>,
    namespaces: Vec<String>,
}

impl Exempt {
    /// Reads `exempt`.
    ///
    /// # Errors
    /// A name that is not valid, and an image pattern that could match other images.
    pub(super) fn read(&mut self, setting: Node<'_>) -> Result<(), SettingsError> {
        if !setting.object()? {
            return Ok(());
        }
        self.namespaces = names(setting.at("namespaces"), &namespace_problem)?;
        let exempt_users = setting.at("users");
        if exempt_users.items()?.next().is_some() {
            self.users = users(exempt_users)?;
        }
        let unconfined = setting.at("unconfined");
        self.unconfined.service_accounts = names(unconfined.at("serviceAccounts"), &account_problem)?;
        self.unconfined.images = images(unconfined.at("images"))?;
        self.unconfined.namespaces = names(unconfined.at("namespaces"), &namespace_problem)?;
        Ok(())
    }

    /// Whether a Namespace is exempt.
    pub(in crate::selinux) fn has_namespace(&self, namespace: &str) -> bool {
        contains(&self.namespaces, namespace)
    }

    /// Whether a request is exempt because of its Namespace or its user.
    ///
    /// # Errors
    /// A user that cannot be read.
    pub(in crate::selinux) fn covers(&self, request: &Request<'_>) -> Result<bool, Fault> {
        if request.namespace()?.is_some_and(|namespace| self.has_namespace(namespace)) {
            return Ok(true);
        }
        Ok(!self.users.is_empty() && contains(&self.users, request.username()?))
    }
}

impl Unconfined {
    /// Whether all containers of a pod may set an unconfined type.
    ///
    /// # Errors
    /// A service account that cannot be read.
    pub(in crate::selinux) fn cover(&self, namespace: &str, pod: Pod<'_>) -> Result<bool, Fault> {
        if contains(&self.namespaces, namespace) {
            return Ok(true);
        }
        Ok(!self.service_accounts.is_empty()
            && contains(&self.service_accounts, &[namespace, "/", pod.account()?].concat()))
    }

    /// Whether a container with this image may set an unconfined type.
    pub(in crate::selinux) fn cover_image(&self, image: &str) -> bool {
        self.images.iter().any(|pattern| Pattern::of(pattern).matches(image))
    }
}

fn contains(names: &[String], name: &str) -> bool {
    names.iter().any(|known| known == name)
}

fn images(setting: Node<'_>) -> Result<Vec<String>, SettingsError> {
    names(setting, &|text| {
        let prefix = text.strip_suffix('*');
        if text.is_empty() || text.bytes().any(|byte| byte.is_ascii_whitespace()) {
            Some("is not an image; correct or remove it")
        } else if prefix.unwrap_or(text).bytes().any(|byte| b"*?".contains(&byte)) {
            Some("has a wildcard before its end; write a name, or end it in /*, :* or @*")
        } else if prefix.is_some_and(|prefix| !prefix.ends_with(['/', ':', '@'])) {
            Some("matches images with other names; end it in /*, :* or @*")
        } else {
            None
        }
    })
}
