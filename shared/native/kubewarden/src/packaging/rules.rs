//! The rules, look-ups and host capabilities of a policy, and their checks.
//!
//! They are the checks of the API server and the host, which otherwise refuse the policy only when
//! it is deployed.

use serde::{Deserialize, Serialize};
use text::Quoted;

use crate::packaging::PackagingError;

/// A rule of a webhook: requests for some resources.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RuleWithOperations {
    /// The API groups, empty for the core group.
    pub api_groups: Vec<String>,
    /// The versions of the API groups.
    pub api_versions: Vec<String>,
    /// The resources, in the plural; a subresource as in `pods/ephemeralcontainers`.
    pub resources: Vec<String>,
    /// The operations.
    pub operations: Vec<Operation>,
}

/// The operation of a request.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Operation {
    /// An object is created.
    Create,
    /// An object is changed.
    Update,
    /// An object is deleted.
    Delete,
    /// A client connects to a subresource such as `pods/exec`.
    Connect,
    /// Any of these operations.
    #[serde(rename = "*")]
    All,
}

/// A kind of object that a policy looks up.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ContextAwareResource {
    /// The API version, such as `v1` or `apps/v1`.
    pub api_version: String,
    /// The kind, such as `Namespace`.
    pub kind: String,
}

/// Checks that the API server accepts rules in a webhook configuration.
pub(crate) fn check(rules: &[RuleWithOperations]) -> Result<(), PackagingError> {
    if rules.is_empty() {
        return Err(PackagingError::new("rules", "is empty; name at least one rule"));
    }
    for (index, rule) in rules.iter().enumerate() {
        let path = |name: &str| format!("rules[{index}].{name}");
        check_names(&path("apiGroups"), &rule.api_groups, true)?;
        check_names(&path("apiVersions"), &rule.api_versions, false)?;
        check_names(&path("resources"), &rule.resources, false)?;
        check_list(&path("operations"), &rule.operations, &Operation::All)?;
    }
    Ok(())
}

/// Checks the kinds of objects that a policy looks up.
pub(crate) fn check_reads(resources: &[ContextAwareResource]) -> Result<(), PackagingError> {
    for (index, ContextAwareResource { api_version, kind }) in resources.iter().enumerate() {
        for (name, value) in [("apiVersion", api_version), ("kind", kind)] {
            if value.trim().is_empty() {
                return Err(PackagingError::new(
                    format!("contextAwareResources[{index}].{name}"),
                    "is empty",
                ));
            }
        }
    }
    Ok(())
}

/// Checks that the host understands the patterns for host capabilities.
pub(crate) fn check_capabilities(patterns: &[String]) -> Result<(), PackagingError> {
    for (index, pattern) in patterns.iter().enumerate() {
        let exact = pattern.strip_suffix("/*").unwrap_or(pattern);
        let named = exact.split('/').all(|part| !part.is_empty() && !part.contains(['*', ' ']));
        let whole = exact != pattern || pattern.contains('/');
        if pattern != "*" && !(named && whole) {
            let problem = format!(
                "{} is not a host capability; write it as kubernetes/get_resource, oci/v1/* or *",
                Quoted(pattern)
            );
            return Err(PackagingError::new(format!("hostCapabilities[{index}]"), problem));
        }
    }
    Ok(())
}

fn check_names(path: &str, names: &[String], may_be_empty: bool) -> Result<(), PackagingError> {
    check_list(path, names, &"*".to_owned())?;
    match names.iter().position(|name| name.trim() != name || name.is_empty() && !may_be_empty) {
        None => Ok(()),
        Some(index) => {
            Err(PackagingError::new(format!("{path}[{index}]"), "is empty or starts or ends with a space"))
        }
    }
}

/// Checks that a list is not empty and contains nothing next to `*`.
fn check_list<T: PartialEq>(path: &str, list: &[T], all: &T) -> Result<(), PackagingError> {
    if list.is_empty() {
        return Err(PackagingError::new(path, "is empty; name at least one"));
    }
    if list.len() > 1 && list.contains(all) {
        return Err(PackagingError::new(path, "* includes all others; remove it or the others"));
    }
    Ok(())
}
