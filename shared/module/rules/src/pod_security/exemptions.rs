//! Exemptions: requests and pods that are not evaluated.
//!
//! Source: `PodSecurityConfiguration.exemptions` of k8s.io/pod-security-admission. Names are exact,
//! without patterns, and usernames are those of requesting users, not of the pods' service
//! accounts.

use admission::{Fault, Kind, Node, Request, Setting, SettingsError};

use crate::name::{is_label, is_subdomain};
use crate::subject::has;
use crate::view::Pod;

pub(super) const EXEMPTIONS: &[Setting] = &[
    Setting::new("usernames", Kind::List(&Kind::Text)),
    Setting::new("namespaces", Kind::List(&Kind::Text)),
    Setting::new("runtimeClasses", Kind::List(&Kind::Text)),
];

#[derive(Debug)]
pub(super) struct Exemptions {
    usernames: Vec<String>,
    namespaces: Vec<String>,
    runtime_classes: Vec<String>,
}

impl Exemptions {
    pub(super) fn read(setting: Node<'_>) -> Result<Self, SettingsError> {
        Ok(Self {
            usernames: names(setting.at("usernames"), &|name| {
                !name.bytes().all(|byte| byte.is_ascii_whitespace()) && !name.bytes().any(|byte| byte == b'*')
            })?,
            namespaces: names(setting.at("namespaces"), &is_label)?,
            runtime_classes: names(setting.at("runtimeClasses"), &is_subdomain)?,
        })
    }

    /// Returns the reason why a request is exempt, as the audit annotation `exempt` gives it:
    /// `namespace` or `user`.
    pub(super) fn of_request(
        &self,
        request: &Request<'_>,
        namespace: Option<&str>,
    ) -> Result<Option<&'static str>, Fault> {
        if namespace.is_some_and(|namespace| self.has_namespace(namespace)) {
            return Ok(Some("namespace"));
        }
        Ok(has(&self.usernames, request.username()?).then_some("user"))
    }

    pub(super) fn has_namespace(&self, namespace: &str) -> bool {
        has(&self.namespaces, namespace)
    }

    /// Returns the reason why a pod is exempt: `runtimeClass`.
    pub(super) fn of_pod(&self, pod: Pod<'_>) -> Result<Option<&'static str>, Fault> {
        let class = pod.runtime_class_name().filled_text()?;
        Ok(class.is_some_and(|class| has(&self.runtime_classes, class)).then_some("runtimeClass"))
    }
}

fn names(setting: Node<'_>, is_name: &dyn Fn(&str) -> bool) -> Result<Vec<String>, SettingsError> {
    let mut names: Vec<String> = Vec::new();
    for (item, name) in setting.texts()? {
        let problem = if !is_name(name) {
            "is not a valid name; write the full name, without patterns"
        } else if has(&names, name) {
            "is a duplicate; remove one"
        } else {
            names.push(name.to_owned());
            continue;
        };
        return Err(SettingsError::about(item, name, problem));
    }
    Ok(names)
}
