//! Resources that API servers treat as equivalent.

/// Resources that several groups serve from one storage, so that API servers treat them as
/// equivalent (`DefaultStorageFactory.AddCohabitatingResources` in
/// `pkg/kubeapiserver/default_storage_factory_builder.go` of Kubernetes): the resource and its
/// groups.
const COHABITING: &[(&str, &[&str])] = &[
    ("daemonsets", &["apps", "extensions"]),
    ("deployments", &["apps", "extensions"]),
    ("events", &["", "events.k8s.io"]),
    ("ingresses", &["networking.k8s.io", "extensions"]),
    ("networkpolicies", &["networking.k8s.io", "extensions"]),
    ("podsecuritypolicies", &["policy", "extensions"]),
    ("replicasets", &["apps", "extensions"]),
];

/// Versions of a group whose types have the same fields, so that a conversion only changes
/// `apiVersion`: the group, the resources (none for all) and the versions. The types are those in
/// k8s.io/api of Kubernetes 1.15 (`apps`) and 1.21 (`batch` and `rbac`).
const SAME_FIELDS: &[(&str, &[&str], &[&str])] = &[
    (
        "apps",
        &["controllerrevisions", "daemonsets", "deployments", "replicasets", "statefulsets"],
        &["v1", "v1beta2"],
    ),
    ("batch", &["cronjobs"], &["v1", "v1beta1"]),
    ("rbac.authorization.k8s.io", &[], &["v1", "v1beta1"]),
];

/// Returns the groups that serve a resource from one storage.
pub(crate) fn groups_of(plural: &str) -> Option<&'static [&'static str]> {
    COHABITING.iter().find(|(resource, _)| *resource == plural).map(|(_, groups)| *groups)
}

/// Returns whether no server since Kubernetes 1.16 has a resource, so that no request about it is
/// converted to a current version (the deprecation guide of Kubernetes).
pub(crate) fn is_gone(group: &str, version: &str, plural: &str) -> bool {
    match group {
        "apps" => version != "v1",
        "extensions" => plural != "ingresses",
        _ => false,
    }
}

pub(crate) fn has_same_fields(group: &str, plural: &str, one: &str, other: &str) -> bool {
    SAME_FIELDS.iter().any(|(of, resources, versions)| {
        *of == group
            && (resources.is_empty() || resources.contains(&plural))
            && versions.contains(&one)
            && versions.contains(&other)
    })
}
