//! Roles and bindings, which permit the use of policies.
//!
//! Source: `pkg/apis/rbac/v1/evaluation_helpers.go` and `isAuthorizedForPolicy` in
//! `plugin/pkg/admission/security/podsecuritypolicy` (kubernetes 1.20.2): the requesting user or
//! the service account of the pod may use a policy of either API group, in the namespace of the
//! pod.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::InputError;
use crate::conversion::{FieldProblem, NotConverted};
use crate::fields::Fields;
use crate::objects;

/// The API group of roles and bindings.
pub(super) const GROUP: &str = "rbac.authorization.k8s.io";

/// The group of users whom the API server authorizes for everything.
const MASTERS: &str = "system:masters";

/// The group of all users except anonymous ones.
const AUTHENTICATED: &str = "system:authenticated";

/// All roles and bindings of the input.
#[derive(Debug, Default)]
pub(super) struct Grants<'d> {
    roles: Vec<Role<'d>>,
    bindings: Vec<Binding<'d>>,
}

#[derive(Debug)]
struct Role<'d> {
    namespace: Option<&'d str>,
    name: &'d str,
    /// The rules that grant the use of policies: the names, empty for all.
    rules: Vec<Vec<&'d str>>,
}

#[derive(Debug)]
struct Binding<'d> {
    object: Fields<'d>,
    namespace: Option<&'d str>,
    is_cluster_role: bool,
    role: &'d str,
    subjects: Vec<Subject<'d>>,
}

#[derive(Clone, Copy, Debug)]
enum Subject<'d> {
    User(&'d str),
    Group(&'d str),
    Account(&'d str, &'d str),
}

/// The users and service accounts who may use a policy in some namespaces.
#[derive(Clone, Debug, Default, Eq, Ord, PartialEq, PartialOrd)]
pub(super) struct Users {
    pub(super) users: BTreeSet<String>,
    pub(super) groups: BTreeSet<String>,
}

/// Those who may use a policy: everywhere, and in single namespaces.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(super) struct Usage {
    pub(super) everywhere: Users,
    pub(super) in_namespaces: std::collections::BTreeMap<String, Users>,
}

impl<'d> Grants<'d> {
    /// Whether the input has no bindings.
    pub(super) fn are_empty(&self) -> bool {
        self.bindings.is_empty()
    }

    /// Adds an object of the API group of roles.
    ///
    /// # Errors
    /// An object that the API server would not accept.
    pub(super) fn add(&mut self, object: Fields<'d>) -> Result<(), InputError> {
        let (_, kind) = objects::group_and_kind(&object)?;
        let metadata = object.required_object("metadata")?;
        let namespace = metadata.text("namespace")?;
        match kind {
            "Role" | "ClusterRole" => {
                let mut rules = Vec::new();
                for rule in object.objects("rules")? {
                    let has = |field, names: &[&str]| -> Result<bool, InputError> {
                        Ok(rule.texts(field)?.iter().any(|text| *text == "*" || names.contains(text)))
                    };
                    if has("verbs", &["use"])?
                        && has("apiGroups", &["policy", "extensions"])?
                        && has("resources", &["podsecuritypolicies"])?
                    {
                        rules.push(rule.texts("resourceNames")?);
                    }
                }
                self.roles.push(Role { namespace, name: metadata.required_text("name")?, rules });
            }
            "RoleBinding" | "ClusterRoleBinding" => {
                if kind == "RoleBinding" && namespace.is_none() {
                    return Err(metadata.missing("namespace"));
                }
                let reference = object.required_object("roleRef")?;
                let is_cluster_role = reference.required_text("kind")? == "ClusterRole";
                let role = reference.required_text("name")?;
                let mut subjects = Vec::new();
                for subject in object.objects("subjects")? {
                    let name = subject.required_text("name")?;
                    subjects.push(match subject.required_text("kind")? {
                        "User" => Subject::User(name),
                        "Group" => Subject::Group(name),
                        "ServiceAccount" => {
                            let of_binding = || namespace.ok_or_else(|| subject.missing("namespace"));
                            Subject::Account(subject.text("namespace")?.map_or_else(of_binding, Ok)?, name)
                        }
                        _ => return Err(subject.error("kind", "expected User, Group or ServiceAccount")),
                    });
                }
                let namespace = namespace.filter(|_| kind == "RoleBinding");
                self.bindings.push(Binding { object, namespace, is_cluster_role, role, subjects });
            }
            _ => return Err(object.error("kind", "expected a role or a binding")),
        }
        Ok(())
    }

    /// The bindings to roles that the input does not contain.
    pub(super) fn unresolved(&self) -> Result<Vec<NotConverted>, InputError> {
        let mut unresolved = Vec::new();
        for binding in &self.bindings {
            if self.role(binding).is_none() {
                let problem = format!(
                    "the input does not contain the role {}, so the manifests may judge requests by the wrong policies and are in mode monitor; pass the role, too",
                    Value::from(binding.role)
                );
                let Binding { object, .. } = binding;
                let problem = FieldProblem::new(format!("{}.name", object.path("roleRef")), problem);
                unresolved.push(NotConverted::new(
                    object.document(),
                    &objects::title(object)?,
                    None,
                    problem,
                ));
            }
        }
        Ok(unresolved)
    }

    /// Those who may use a policy.
    pub(super) fn of(&self, policy: &str) -> Usage {
        let mut usage = Usage::default();
        usage.everywhere.groups.insert(MASTERS.to_owned());
        for binding in &self.bindings {
            let grants = |names: &Vec<&str>| names.is_empty() || names.contains(&policy);
            if !self.role(binding).is_some_and(|role| role.rules.iter().any(grants)) {
                continue;
            }
            let users = match binding.namespace {
                Some(namespace) => usage.in_namespaces.entry(namespace.to_owned()).or_default(),
                None => &mut usage.everywhere,
            };
            for subject in &binding.subjects {
                match subject {
                    Subject::User(name) => users.users.insert((*name).to_owned()),
                    Subject::Group(name) => users.groups.insert((*name).to_owned()),
                    Subject::Account(namespace, name) => {
                        users.users.insert(format!("system:serviceaccount:{namespace}:{name}"))
                    }
                };
            }
        }
        usage
    }

    fn role(&self, binding: &Binding<'_>) -> Option<&Role<'d>> {
        let namespace = if binding.is_cluster_role { None } else { binding.namespace };
        self.roles.iter().find(|role| role.name == binding.role && role.namespace == namespace)
    }
}

impl Users {
    /// Whether all users are among them, except anonymous ones, whom roles rarely allow to create
    /// pods.
    pub(super) fn are_all(&self) -> bool {
        self.groups.contains(AUTHENTICATED)
    }
}
