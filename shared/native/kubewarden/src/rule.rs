//! Rules of webhooks and look-ups, as metadata, deployments and policy manifests have them.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;

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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    scope: Option<Scope>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
enum Scope {
    #[default]
    #[serde(rename = "*")]
    Any,
    Cluster,
    Namespaced,
}

/// The operation of a request.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
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
#[derive(Clone, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ContextAwareResource {
    /// The API version, such as `v1` or `apps/v1`.
    pub api_version: String,
    /// The kind, such as `Namespace`.
    pub kind: String,
}

impl Operation {
    /// Returns the name, such as `CREATE`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Create => "CREATE",
            Self::Update => "UPDATE",
            Self::Delete => "DELETE",
            Self::Connect => "CONNECT",
            Self::All => "*",
        }
    }

    fn is(self, name: &str) -> bool {
        matches!(self, Self::All) || self.name() == name
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Target<'r> {
    pub(crate) operation: &'r str,
    pub(crate) group: &'r str,
    pub(crate) version: &'r str,
    pub(crate) resource: &'r str,
    pub(crate) subresource: &'r str,
    pub(crate) namespace: &'r str,
}

impl<'r> Target<'r> {
    pub(crate) fn of(request: &'r Value) -> Self {
        let text = |value: Option<&'r Value>| value.and_then(Value::as_str).unwrap_or_default();
        let resource = request.get("resource");
        let part = |name| text(resource.and_then(|resource| resource.get(name)));
        Self {
            operation: text(request.get("operation")),
            group: part("group"),
            version: part("version"),
            resource: part("resource"),
            subresource: text(request.get("subResource")),
            namespace: text(request.get("namespace")),
        }
    }

    /// Returns whether the resource is cluster-scoped. The `namespace` of a request about a
    /// Namespace is its name.
    pub(crate) fn is_cluster_scoped(&self) -> bool {
        let is_namespace = (self.group, self.version, self.resource) == ("", "v1", "namespaces");
        self.namespace.is_empty() || is_namespace
    }
}

impl RuleWithOperations {
    pub(crate) fn namespaced(mut self) -> Self {
        self.scope = Some(Scope::Namespaced);
        self
    }

    /// Returns the path of the first field that API servers refuse, and the problem.
    ///
    /// Source: `validateRuleWithOperations` in `pkg/apis/admissionregistration/validation` of
    /// Kubernetes 1.37.
    pub(crate) fn problem(&self) -> Option<(String, String)> {
        let operations: Vec<&str> = self.operations.iter().map(|operation| operation.name()).collect();
        let lists = [
            ("apiGroups", texts(&self.api_groups)),
            ("apiVersions", texts(&self.api_versions)),
            ("resources", texts(&self.resources)),
            ("operations", operations),
        ];
        for (name, list) in &lists {
            if list.is_empty() {
                let problem = "Required value: an empty list matches nothing; list at least one value";
                return Some(((*name).to_owned(), problem.to_owned()));
            }
            if *name != "resources" && list.len() > 1 && list.contains(&"*") {
                let problem = "Invalid value: '*' stands for every value; remove it or the others";
                return Some(((*name).to_owned(), problem.to_owned()));
            }
            let empty = list.iter().position(|one| one.is_empty());
            if let Some(at) = empty.filter(|_| *name != "apiGroups") {
                let problem = "Required value: the value is empty; write or remove it";
                return Some((format!("{name}[{at}]"), problem.to_owned()));
            }
        }
        self.problem_of_resources()
    }

    fn problem_of_resources(&self) -> Option<(String, String)> {
        let (mut with_all_subresources, mut of_all_resources) = (BTreeSet::new(), BTreeSet::new());
        // API servers look at the last resource without a subresource only.
        let mut ends_with_a_name = false;
        for (at, name) in self.resources.iter().enumerate() {
            let Some((resource, subresource)) = name.split_once('/') else {
                ends_with_a_name = name != "*";
                continue;
            };
            let covered = if with_all_subresources.contains(resource) {
                Some(format!("{resource}/*"))
            } else {
                of_all_resources.contains(subresource).then(|| format!("*/{subresource}"))
            };
            if let Some(covered) = covered {
                let problem =
                    format!("Invalid value: {name:?}: {covered} covers it already; remove one of them");
                return Some((format!("resources[{at}]"), problem));
            }
            if subresource == "*" {
                with_all_subresources.insert(resource);
            }
            if resource == "*" {
                of_all_resources.insert(subresource);
            }
        }
        let has = |name: &str| self.resources.iter().any(|one| one == name);
        let problem = if self.resources.len() > 1 && has("*/*") {
            "Invalid value: '*/*' stands for every resource; remove it or the others"
        } else if has("*") && ends_with_a_name {
            "Invalid value: '*' stands for every resource; remove it or those without a subresource"
        } else {
            return None;
        };
        Some(("resources".to_owned(), problem.to_owned()))
    }

    /// Returns a warning about the first API group or resource that Kubernetes does not have. A
    /// server accepts it, and no request matches it.
    pub(crate) fn misspelt(&self) -> Option<String> {
        let mut problems =
            self.api_groups.iter().filter_map(|group| kubernetes::kinds::misspelt_group(group));
        if let Some(problem) = problems.next() {
            return Some(format!("apiGroups: {problem}"));
        }
        let groups: Vec<&str> = self.api_groups.iter().map(String::as_str).collect();
        self.resources.iter().find_map(|resource| {
            let plural = resource.split_once('/').map_or(resource.as_str(), |(plural, _)| plural);
            let problem = kubernetes::kinds::misspelt_resource(&groups, plural).filter(|_| plural != "*")?;
            Some(format!("resources: {problem}"))
        })
    }

    /// Returns the problem of a rule that Kubewarden refuses in a namespaced policy.
    ///
    /// Source: `checkRulesArrayForWildcardUsage` and
    /// `checkRulesArrayForSensitiveResourcesBeingTargeted`, which compare the API versions where
    /// their messages speak of API groups.
    pub(crate) fn problem_in_a_namespaced_policy(&self) -> Option<String> {
        let has = |list: &[String], names: &[&str]| list.iter().any(|one| names.contains(&one.as_str()));
        let has_all = has(&self.resources, &["*", "*/*"]);
        if has(&self.api_versions, &["*"]) && has_all {
            return Some(
                "resources: Forbidden: a namespaced policy has no wildcards for both apiVersions and resources; list \
                 the resources or the versions"
                    .to_owned(),
            );
        }
        let has_reports = has_all
            || self.resources.iter().any(|one| one == "policyreports" || one.starts_with("policyreports/"));
        (has(&self.api_versions, &["*", "wgpolicyk8s.io"]) && has_reports).then(|| {
            "resources: Forbidden: a namespaced policy does not receive policyreports; remove them or list the \
             versions"
                .to_owned()
        })
    }

    pub(crate) fn names_group(&self, group: &str) -> bool {
        has(&self.api_groups, group)
    }

    pub(crate) fn matches(&self, target: &Target<'_>) -> bool {
        self.matches_but_version(target) && has(&self.api_versions, target.version)
    }

    pub(crate) fn matches_but_version(&self, target: &Target<'_>) -> bool {
        let scope = match self.scope.unwrap_or_default() {
            Scope::Any => true,
            Scope::Cluster => target.is_cluster_scoped(),
            Scope::Namespaced => !target.is_cluster_scoped(),
        };
        scope
            && self.operations.iter().any(|operation| operation.is(target.operation))
            && has(&self.api_groups, target.group)
            && self.resources.iter().any(|resource| {
                let (resource, subresource) = resource.split_once('/').unwrap_or((resource, ""));
                is(resource, target.resource) && is(subresource, target.subresource)
            })
    }
}

fn texts(list: &[String]) -> Vec<&str> {
    list.iter().map(String::as_str).collect()
}

fn has(names: &[String], name: &str) -> bool {
    names.iter().any(|known| is(known, name))
}

fn is(known: &str, name: &str) -> bool {
    known == "*" || known == name
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn matches(rule: Value, target: &Target<'_>) -> bool {
        serde_json::from_value::<RuleWithOperations>(rule).unwrap().matches(target)
    }

    const POD: Target<'static> = Target {
        operation: "CREATE",
        group: "",
        version: "v1",
        resource: "pods",
        subresource: "",
        namespace: "shop",
    };

    #[test]
    fn resources_and_subresources_are_matched_apart() {
        let status = Target { operation: "UPDATE", subresource: "status", ..POD };
        for (resource, pod, of_status) in [
            ("pods", true, false),
            ("pods/status", false, true),
            // A wildcard for subresources also matches their absence.
            ("pods/*", true, true),
            ("*", true, false),
            ("*/*", true, true),
            ("*/status", false, true),
            ("services", false, false),
        ] {
            let rule = json!({ "apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": [resource] });
            assert_eq!(matches(rule.clone(), &POD), pod, "{resource}");
            assert_eq!(matches(rule, &status), of_status, "{resource}");
        }
    }

    #[test]
    fn groups_versions_and_operations_have_to_match() {
        let rule = json!({ "apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"] });
        assert!(matches(rule.clone(), &POD));
        for other in [
            Target { operation: "UPDATE", ..POD },
            Target { group: "apps", ..POD },
            Target { version: "v2", ..POD },
        ] {
            assert!(!matches(rule.clone(), &other), "{other:?}");
        }
        for operation in ["CREATE", "UPDATE", "DELETE", "CONNECT"] {
            for listed in ["CREATE", "UPDATE", "DELETE", "CONNECT"] {
                let rule = json!({ "apiGroups": [""], "apiVersions": ["v1"], "operations": [listed], "resources": ["pods"] });
                assert_eq!(matches(rule, &Target { operation, ..POD }), operation == listed);
            }
        }
    }

    #[test]
    fn a_namespace_is_cluster_scoped() {
        let namespace = Target { resource: "namespaces", namespace: "shop", ..POD };
        let node = Target { resource: "nodes", namespace: "", ..POD };
        // A resource of another group with the same name is not a Namespace.
        let custom = Target { group: "example.com", ..namespace };
        for (scope, pod, cluster) in
            [("*", true, true), ("Cluster", false, true), ("Namespaced", true, false)]
        {
            let rule = json!({ "apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": ["*"], "scope": scope });
            assert_eq!(matches(rule.clone(), &POD), pod, "{scope}");
            assert_eq!(matches(rule.clone(), &custom), pod, "{scope}");
            assert_eq!(matches(rule.clone(), &namespace), cluster, "{scope}");
            assert_eq!(matches(rule, &node), cluster, "{scope}");
        }
    }
}
