//! Users and groups in settings.

use admission::{Fault, Kind, Node, Request, Setting, SettingsError};

use crate::name::{is_label, is_subdomain};

/// The setting `users`.
pub const USERS: Setting = Setting::new("users", Kind::List(&Kind::Text));

/// The setting `groups`.
pub const GROUPS: Setting = Setting::new("groups", Kind::List(&Kind::Text));

/// Users or groups, by exact name.
#[derive(Debug, Default)]
pub struct Subjects {
    users: Vec<String>,
    groups: Vec<String>,
}

impl Subjects {
    /// Reads `users` and `groups` of a settings object; `None` where neither is there.
    ///
    /// # Errors
    /// An empty list, which could mean nobody or everybody, and names that nobody has.
    pub fn read(setting: Node<'_>) -> Result<Option<Self>, SettingsError> {
        if !setting.object()? {
            return Ok(None);
        }
        let users = users(setting.at("users"))?;
        let groups = groups(setting.at("groups"))?;
        Ok((!users.is_empty() || !groups.is_empty()).then_some(Self { users, groups }))
    }

    /// The users and groups with these names.
    #[must_use]
    pub fn of(users: Vec<String>, groups: Vec<String>) -> Self {
        Self { users, groups }
    }

    /// Whether the user of a request is one of them. The audit scanner asks for nobody and is none of them.
    ///
    /// # Errors
    /// When the user cannot be read.
    pub fn contain(&self, request: &Request<'_>) -> Result<bool, Fault> {
        let user = request.username()?;
        if self.users.iter().any(|known| known == user) {
            return Ok(true);
        }
        Ok(!self.groups.is_empty()
            && request.groups()?.iter().any(|group| self.groups.iter().any(|g| g == group)))
    }
}

/// Reads full names of users.
///
/// # Errors
/// An empty list, which could mean nobody or everybody, and names that nobody has.
pub fn users(setting: Node<'_>) -> Result<Vec<String>, SettingsError> {
    names(setting, |name| {
        let account = name.strip_prefix("system:serviceaccount:")?;
        let known = account
            .split_once(':')
            .is_some_and(|(namespace, name)| is_label(namespace) && is_subdomain(name));
        (!known).then_some("is no service account; write system:serviceaccount:NAMESPACE:NAME")
    })
}

/// Reads full names of groups.
///
/// # Errors
/// An empty list, which could mean nobody or everybody, and names that no group has.
pub fn groups(setting: Node<'_>) -> Result<Vec<String>, SettingsError> {
    names(setting, |_| None)
}

fn names(setting: Node<'_>, problem: fn(&str) -> Option<&'static str>) -> Result<Vec<String>, SettingsError> {
    let mut names = Vec::new();
    for (item, name) in
        not_empty(setting, "an empty list means nobody or everybody; leave the key out or name somebody")?
    {
        let mut bytes = name.bytes();
        let problem = if name.bytes().all(|byte| byte.is_ascii_whitespace()) {
            Some("is blank, which is nobody's name; remove it")
        } else if [bytes.next(), bytes.next_back()].into_iter().flatten().any(|b| b.is_ascii_whitespace()) {
            Some("has white space around it, which no name has; remove it")
        } else if name.contains('*') {
            Some("is a pattern, which matches nobody; write the full name")
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

/// The strings of a list that may be absent but not empty.
///
/// # Errors
/// The list is there and empty: `problem` tells what it could mean.
pub fn not_empty<'d>(setting: Node<'d>, problem: &str) -> Result<Vec<(Node<'d>, &'d str)>, SettingsError> {
    let texts = setting.texts()?;
    if texts.is_empty() && setting.is_present()? {
        return Err(SettingsError::at(setting, problem));
    }
    Ok(texts)
}
