//! Who and what is not judged, and who may be unconfined.

use admission::{Fault, Kind, Node, Request, Setting, SettingsError};

use super::allocation::no_account;
use super::lists::names;
use crate::name::is_label;
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

/// Who and what is exempt.
#[derive(Debug, Default)]
pub(super) struct Exempt {
    namespaces: Vec<String>,
    users: Vec<String>,
    /// What may be unconfined without the namespaces of the node and without privileges.
    pub(super) unconfined: Unconfined,
}

/// Who may run unconfined.
#[derive(Debug, Default)]
pub(super) struct Unconfined {
    service_accounts: Vec<String>,
    images: Vec<String>,
    namespaces: Vec<String>,
}

impl Exempt {
    /// Reads `exempt`.
    ///
    /// # Errors
    /// A name that nothing has, and a pattern that fits more than it seems to.
    pub(super) fn read(&mut self, setting: Node<'_>) -> Result<(), SettingsError> {
        if !setting.object()? {
            return Ok(());
        }
        self.namespaces = names(setting.at("namespaces"), &no_namespace)?;
        let who = setting.at("users");
        if who.items()?.next().is_some() {
            self.users = users(who)?;
        }
        let unconfined = setting.at("unconfined");
        self.unconfined.service_accounts = names(unconfined.at("serviceAccounts"), &no_account)?;
        self.unconfined.images = images(unconfined.at("images"))?;
        self.unconfined.namespaces = names(unconfined.at("namespaces"), &no_namespace)?;
        Ok(())
    }

    /// Whether a Namespace is exempt.
    pub(super) fn has_namespace(&self, namespace: &str) -> bool {
        has(&self.namespaces, namespace)
    }

    /// Whether a request is not judged for who asks or where.
    ///
    /// # Errors
    /// When the user cannot be read.
    pub(super) fn covers(&self, request: &Request<'_>) -> Result<bool, Fault> {
        if request.namespace()?.is_some_and(|namespace| self.has_namespace(namespace)) {
            return Ok(true);
        }
        Ok(!self.users.is_empty() && has(&self.users, request.username()?))
    }
}

impl Unconfined {
    /// Whether all containers of a pod may.
    ///
    /// # Errors
    /// When its service account cannot be read.
    pub(super) fn cover(&self, namespace: &str, pod: Pod<'_>) -> Result<bool, Fault> {
        if has(&self.namespaces, namespace) {
            return Ok(true);
        }
        Ok(!self.service_accounts.is_empty()
            && has(&self.service_accounts, &[namespace, "/", pod.account()?].concat()))
    }

    /// Whether a container may for its image.
    pub(super) fn cover_image(&self, image: &str) -> bool {
        self.images.iter().any(|pattern| Pattern::of(pattern).matches(image))
    }
}

fn has(names: &[String], name: &str) -> bool {
    names.iter().any(|known| known == name)
}

/// Why a text is no name of a Namespace, if it is none.
pub(super) fn no_namespace(name: &str) -> Option<&'static str> {
    (!is_label(name)).then_some("is no name of a Namespace; write it in full, without patterns")
}

fn images(setting: Node<'_>) -> Result<Vec<String>, SettingsError> {
    names(setting, &|text| {
        let prefix = text.strip_suffix('*');
        if text.is_empty() || text.bytes().any(|byte| byte.is_ascii_whitespace()) {
            Some("is no image; correct or remove it")
        } else if prefix.unwrap_or(text).bytes().any(|byte| b"*?".contains(&byte)) {
            Some("has a pattern in its middle; write a name, or one that ends in /*, :* or @*")
        } else if prefix.is_some_and(|prefix| !prefix.ends_with(['/', ':', '@'])) {
            Some("fits images of other names; end it in /*, :* or @*")
        } else {
            None
        }
    })
}
