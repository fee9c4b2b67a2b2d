//! Permissions in settings: what a user must be allowed to do in the cluster, by RBAC or another
//! authorizer.

use admission::{CanI, Cluster, Fault, Kind, Node, Request, Setting, SettingsError};

pub(crate) const PERMISSION: &[Setting] = &[
    Setting::new("verb", Kind::Text),
    Setting::new("group", Kind::Text),
    Setting::new("resource", Kind::Text),
    Setting::new("subresource", Kind::Text),
    Setting::new("name", Kind::Text),
];

/// A permission in the namespace of a request. The resource need not exist.
#[derive(Debug)]
pub(crate) struct Permission {
    verb: String,
    group: String,
    resource: String,
    subresource: String,
    name: String,
}

impl Permission {
    /// Reads a permission. A text that no authorizer compares in the way it reads is an error: a
    /// pattern, white space, or several parts in one.
    pub(crate) fn read(setting: Node<'_>) -> Result<Option<Self>, SettingsError> {
        if !setting.object()? {
            return Ok(None);
        }
        Ok(Some(Self {
            verb: required(setting.at("verb"), "is missing; write a verb, such as create")?,
            group: part(setting.at("group"))?,
            resource: required(setting.at("resource"), "is missing; write a resource, such as services")?,
            subresource: part(setting.at("subresource"))?,
            name: part(setting.at("name"))?,
        }))
    }

    /// Returns whether the requesting user has the permission. The user of the audit scanner, which
    /// is empty, has none.
    pub(crate) fn is_granted(&self, request: &Request<'_>, cluster: &dyn Cluster) -> Result<bool, Fault> {
        let user = request.username()?;
        if user.is_empty() {
            return Ok(false);
        }
        let Self { verb, group, resource, subresource, name } = self;
        let groups = &request.groups()?;
        let namespace = request.namespace()?.unwrap_or_default();
        CanI { user, groups, verb, group, resource, subresource, name, namespace }.ask(cluster)
    }
}

fn required(setting: Node<'_>, problem: &str) -> Result<String, SettingsError> {
    let text = part(setting)?;
    if text.is_empty() { Err(SettingsError::at(setting, problem)) } else { Ok(text) }
}

fn part(setting: Node<'_>) -> Result<String, SettingsError> {
    let text = setting.text()?.unwrap_or_default();
    let problem = if text.bytes().any(|byte| byte.is_ascii_whitespace()) {
        "contains white space; remove it"
    } else if text.contains('*') {
        "is a pattern; write the full name"
    } else if text.contains('/') {
        "has several parts; write the API group under group without its version, and the subresource under subresource"
    } else {
        return Ok(text.to_owned());
    };
    Err(SettingsError::about(setting, text, problem))
}
