//! Permissions by RBAC, evaluated over the roles and their bindings among the objects.
//!
//! Source: k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac and pkg/apis/rbac/v1
//! (`evaluation_helpers.go`); for `system:masters`, the privileged group of the API server.

use admission::CanI;
use serde_json::Value;

use crate::objects::LookupFailure;
use crate::objects::Objects;

const API: &str = "rbac.authorization.k8s.io/v1";

/// The group that every authorizer of the API server lets through.
const MASTERS: &str = "system:masters";

/// Returns whether a binding for the user refers to a role that grants the permission.
pub(crate) fn grants(cluster: &Objects, wanted: &CanI<'_>) -> Result<bool, LookupFailure> {
    let of_kind = |kind| cluster.of_kind(API, kind);
    if wanted.groups.contains(&MASTERS) {
        return Ok(true);
    }
    let (cluster_roles, roles) = (of_kind("ClusterRole")?, of_kind("Role")?);
    let of_the_cluster = of_kind("ClusterRoleBinding")?.iter();
    let of_the_namespace = of_kind("RoleBinding")?.iter().filter(|binding| {
        !wanted.namespace.is_empty() && binding.namespace.as_deref() == Some(wanted.namespace)
    });
    for binding in of_the_cluster.chain(of_the_namespace) {
        let namespace = binding.namespace.as_deref();
        if !items(&binding.value, "subjects").any(|subject| is_user(subject, namespace, wanted)) {
            continue;
        }
        let Some(reference) = binding.value.get("roleRef") else { continue };
        let name = text(reference, "name");
        // A reference to a role that does not exist grants nothing.
        let role = match text(reference, "kind") {
            "ClusterRole" => cluster_roles.iter().find(|role| role.name == name),
            "Role" => roles.iter().find(|role| role.name == name && role.namespace.as_deref() == namespace),
            _ => None,
        };
        if role.is_some_and(|role| items(&role.value, "rules").any(|rule| allows(rule, wanted))) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn is_user(subject: &Value, namespace: Option<&str>, wanted: &CanI<'_>) -> bool {
    let name = text(subject, "name");
    match text(subject, "kind") {
        "User" => name == wanted.user,
        "Group" => wanted.groups.contains(&name),
        "ServiceAccount" => {
            let own = Some(text(subject, "namespace")).filter(|own| !own.is_empty());
            own.or(namespace)
                .is_some_and(|namespace| wanted.user == format!("system:serviceaccount:{namespace}:{name}"))
        }
        _ => false,
    }
}

fn allows(rule: &Value, wanted: &CanI<'_>) -> bool {
    let CanI { verb, group, resource, subresource, name, .. } = *wanted;
    let any = |field, matches: &dyn Fn(&str) -> bool| {
        items(rule, field).filter_map(Value::as_str).any(|text| text == "*" || matches(text))
    };
    let combined =
        if subresource.is_empty() { resource.to_owned() } else { format!("{resource}/{subresource}") };
    let resource_matches = |text: &str| {
        text == combined || !subresource.is_empty() && text.strip_prefix("*/") == Some(subresource)
    };
    let mut names = items(rule, "resourceNames").peekable();
    any("verbs", &|text| text == verb)
        && any("apiGroups", &|text| text == group)
        && any("resources", &resource_matches)
        && (names.peek().is_none() || names.any(|known| known == name))
}

fn items<'v>(value: &'v Value, field: &str) -> impl Iterator<Item = &'v Value> + use<'v> {
    value.get(field).and_then(Value::as_array).into_iter().flatten()
}

fn text<'v>(value: &'v Value, field: &str) -> &'v str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn cluster() -> Objects {
        Objects::from_values(serde_json::from_str(include_str!("rbac.json")).unwrap()).unwrap()
    }

    fn asks<'a>(user: &'a str, groups: &'a [&'a str], what: [&'a str; 6]) -> CanI<'a> {
        let [verb, group, resource, subresource, name, namespace] = what;
        CanI { user, groups, verb, group, resource, subresource, name, namespace }
    }

    #[test]
    fn roles_are_bound_to_users_groups_and_service_accounts() {
        let claim = ["create", "example.com", "services", "addresses", "", "shop"];
        let pool = ["use", "example.com", "pools", "", "blue", "shop"];
        let cluster = cluster();
        for (user, groups, what, granted) in [
            ("alice", &[][..], claim, true),
            ("alice", &[], ["create", "example.com", "services", "addresses", "", "bank"], false),
            ("alice", &[], ["create", "example.com", "services", "addresses", "", ""], false),
            ("alice", &[], ["create", "example.com", "services", "", "", "shop"], false),
            ("alice", &[], ["create", "", "services", "addresses", "", "shop"], false),
            ("alice", &[], ["delete", "example.com", "services", "addresses", "", "shop"], false),
            ("bob", &[], claim, false),
            ("bob", &["dev"], ["use", "", "services", "addresses", "", "shop"], true),
            ("bob", &["dev"], ["use", "", "services", "", "", "shop"], false),
            ("bob", &["system:masters"], claim, true),
            ("system:serviceaccount:shop:web", &[], pool, true),
            ("system:serviceaccount:bank:web", &[], pool, false),
            (
                "system:serviceaccount:shop:web",
                &[],
                ["use", "example.com", "pools", "", "red", "shop"],
                false,
            ),
            ("system:serviceaccount:shop:web", &[], ["use", "example.com", "pools", "", "", "shop"], false),
            ("system:serviceaccount:ops:root", &[], claim, true),
            ("root", &[], claim, false),
        ] {
            assert_eq!(
                grants(&cluster, &asks(user, groups, what)),
                Ok(granted),
                "{user} {groups:?} {what:?}"
            );
        }
    }

    #[test]
    fn an_unreachable_cluster_grants_nothing() {
        let wanted = asks("alice", &["system:authenticated"], ["create", "", "services", "", "", ""]);
        assert!(grants(&Objects::unreachable("no route"), &wanted).is_err());
        assert!(Objects::unreachable("no route").can_i(&wanted).is_err());
        assert_eq!(cluster().can_i(&wanted), Ok(json!({ "allowed": false })));
    }
}
