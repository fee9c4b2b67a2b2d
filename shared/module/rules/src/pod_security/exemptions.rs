//! Who and what is not judged at all.
//!
//! Source: `PodSecurityConfiguration.exemptions`, whose names are exact: no patterns, and the user who asks, not
//! the service account of the pod.

use admission::{Fault, Kind, Node, Request, Setting, SettingsError};

use crate::name::{is_label, is_subdomain};
use crate::view::Pod;

/// The keys of the exemptions.
pub(super) const EXEMPTIONS: &[Setting] = &[
    Setting::new("usernames", Kind::List(&Kind::Text)),
    Setting::new("namespaces", Kind::List(&Kind::Text)),
    Setting::new("runtimeClasses", Kind::List(&Kind::Text)),
];

/// Names of what is not judged.
#[derive(Debug)]
pub(super) struct Exemptions {
    usernames: Vec<String>,
    namespaces: Vec<String>,
    runtime_classes: Vec<String>,
}

impl Exemptions {
    /// Reads the exemptions.
    ///
    /// # Errors
    /// A name that nobody has, and one that is there twice.
    pub(super) fn read(setting: Node<'_>) -> Result<Self, SettingsError> {
        Ok(Self {
            usernames: names(setting.at("usernames"), &|name| {
                !name.bytes().all(|byte| byte.is_ascii_whitespace()) && !name.bytes().any(|byte| byte == b'*')
            })?,
            namespaces: names(setting.at("namespaces"), &is_label)?,
            runtime_classes: names(setting.at("runtimeClasses"), &is_subdomain)?,
        })
    }

    /// Why a request is not judged, as the audit annotation `exempt` says it, if it is for who asks or where.
    ///
    /// # Errors
    /// When the user cannot be read.
    pub(super) fn of_request(
        &self,
        request: &Request<'_>,
        namespace: Option<&str>,
    ) -> Result<Option<&'static str>, Fault> {
        if namespace.is_some_and(|namespace| has(&self.namespaces, namespace)) {
            return Ok(Some("namespace"));
        }
        Ok(has(&self.usernames, request.username()?).then_some("user"))
    }

    /// The same for what runs the pod.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(super) fn of_pod(&self, pod: Pod<'_>) -> Result<Option<&'static str>, Fault> {
        let class = pod.runtime_class_name().filled_text()?;
        Ok(class.is_some_and(|class| has(&self.runtime_classes, class)).then_some("runtimeClass"))
    }
}

/// Whether a name is one of some.
pub(super) fn has(names: &[String], name: &str) -> bool {
    names.iter().any(|known| known == name)
}

fn names(setting: Node<'_>, is_name: &dyn Fn(&str) -> bool) -> Result<Vec<String>, SettingsError> {
    let mut names: Vec<String> = Vec::new();
    for (item, name) in setting.texts()? {
        let problem = if !is_name(name) {
            "is nothing's name; write it in full, without patterns"
        } else if has(&names, name) {
            "is there twice; remove one"
        } else {
            names.push(name.to_owned());
            continue;
        };
        return Err(SettingsError::about(item, name, problem));
    }
    Ok(names)
}
