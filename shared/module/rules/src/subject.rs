//! Users and groups in settings.

use admission::{Fault, Kind, Node, Request, Setting, SettingsError};

use crate::name::{is_label, is_subdomain};

pub(crate) const USERS: Setting = Setting::new("users", Kind::List(&Kind::Text));
pub(crate) const GROUPS: Setting = Setting::new("groups", Kind::List(&Kind::Text));

/// A set of users and groups, each given by its full name.
#[derive(Debug, Default)]
pub(crate) struct Subjects {
    users: Vec<String>,
    groups: Vec<String>,
}

impl Subjects {
    /// Reads `users` and `groups` from a settings object. Returns `None` if both are absent.
    pub(crate) fn read(setting: Node<'_>) -> Result<Option<Self>, SettingsError> {
        if !setting.object()? {
            return Ok(None);
        }
        let users = users(setting.at("users"))?;
        let groups = groups(setting.at("groups"))?;
        Ok((!users.is_empty() || !groups.is_empty()).then_some(Self { users, groups }))
    }

    pub(crate) fn of(users: Vec<String>, groups: Vec<String>) -> Self {
        Self { users, groups }
    }

    /// Returns whether the set has the requesting user or one of its groups. It never has the user
    /// of the audit scanner, which is empty.
    pub(crate) fn contain(&self, request: &Request<'_>) -> Result<bool, Fault> {
        let user = request.username()?;
        if has(&self.users, user) {
            return Ok(true);
        }
        Ok(!self.groups.is_empty() && request.groups()?.iter().any(|group| has(&self.groups, group)))
    }
}

pub(crate) fn has(names: &[String], name: &str) -> bool {
    names.iter().any(|known| known == name)
}

/// Reads a list of full user names, such as `system:serviceaccount:NAMESPACE:NAME`. A name that no
/// user can have is an error, and so is an empty list, which could mean all users or none.
pub(crate) fn users(setting: Node<'_>) -> Result<Vec<String>, SettingsError> {
    names(setting, |name| {
        let account = name.strip_prefix("system:serviceaccount:")?;
        let valid = account
            .split_once(':')
            .is_some_and(|(namespace, name)| is_label(namespace) && is_subdomain(name));
        (!valid).then_some("is not a service account; write system:serviceaccount:NAMESPACE:NAME")
    })
}

/// Reads a list of full group names, as [`users`] does.
pub(crate) fn groups(setting: Node<'_>) -> Result<Vec<String>, SettingsError> {
    names(setting, |_| None)
}

/// Refuses `users` and `groups` with users that a setting cannot mean to trust: everyone, and the
/// service accounts of all namespaces, of which everyone has one who may create a pod.
pub(crate) fn refuse_everyone(setting: Node<'_>) -> Result<(), SettingsError> {
    for key in ["users", "groups"] {
        for (item, name) in setting.at(key).texts()? {
            let problem = match name {
                "system:anonymous" | "system:unauthenticated" => "has no credentials; remove it",
                "system:authenticated" => "has every user; name those that are trusted",
                "system:serviceaccounts" => {
                    "has the service accounts of all pods; write system:serviceaccounts:NAMESPACE, or name \
                     the accounts that are trusted"
                }
                _ => continue,
            };
            return Err(SettingsError::about(item, name, problem));
        }
    }
    Ok(())
}

/// Returns the problem with a text that is not a service account in the form `namespace/name`.
pub(crate) fn account_problem(account: &str) -> Option<&'static str> {
    let is_valid =
        account.split_once('/').is_some_and(|(namespace, name)| is_label(namespace) && is_subdomain(name));
    (!is_valid).then_some("is not a service account; write NAMESPACE/NAME")
}

fn names(setting: Node<'_>, problem: fn(&str) -> Option<&'static str>) -> Result<Vec<String>, SettingsError> {
    let mut names = Vec::new();
    for (item, name) in
        not_empty(setting, "the empty list is ambiguous; remove the key or add at least one name")?
    {
        let mut bytes = name.bytes();
        let problem = if name.bytes().all(|byte| byte.is_ascii_whitespace()) {
            Some("is blank; remove it")
        } else if [bytes.next(), bytes.next_back()].into_iter().flatten().any(|b| b.is_ascii_whitespace()) {
            Some("starts or ends with white space; remove it")
        } else if name.contains('*') {
            Some("is a pattern; write the full name")
        } else {
            problem(name)
        };
        if let Some(problem) = problem {
            return Err(SettingsError::about(item, name, problem));
        }
        names.push(name.to_owned());
    }
    Ok(names)
}

/// Reads a list of strings, with the place of each. The list may be absent but not empty.
pub(crate) fn not_empty<'d>(
    setting: Node<'d>,
    problem: &str,
) -> Result<Vec<(Node<'d>, &'d str)>, SettingsError> {
    let texts = setting.texts()?;
    if texts.is_empty() && setting.is_present()? {
        return Err(SettingsError::at(setting, problem));
    }
    Ok(texts)
}
