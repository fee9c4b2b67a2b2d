//! Checks of the rules, look-ups and host capabilities of a policy.
//!
//! They are the checks of the API server and the host, which otherwise refuse the policy only when
//! it is deployed.

use text::Quoted;

use crate::packaging::PackagingError;
use crate::rule::{ContextAwareResource, RuleWithOperations};

/// Checks that the API server accepts rules in a webhook configuration.
pub(crate) fn check(rules: &[RuleWithOperations]) -> Result<(), PackagingError> {
    if rules.is_empty() {
        return Err(PackagingError::new("rules", "is empty; name at least one rule"));
    }
    for (index, rule) in rules.iter().enumerate() {
        if let Some((path, problem)) = rule.problem() {
            return Err(PackagingError::new(format!("rules[{index}].{path}"), problem));
        }
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
