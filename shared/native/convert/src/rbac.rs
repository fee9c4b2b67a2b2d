//! Roles and bindings, which permit the use of objects.
//!
//! Source: `pkg/apis/rbac/v1/evaluation_helpers.go` in kubernetes/kubernetes.

use serde_json::Value;

use crate::InputError;
use crate::conversion::{FieldProblem, NotConverted};
use crate::fields::Fields;
use crate::objects;

/// The API group of roles and bindings.
pub(crate) const GROUP: &str = "rbac.authorization.k8s.io";

/// The group of users whom the API server authorizes for everything.
pub(crate) const MASTERS: &str = "system:masters";

/// The beginning of the user names of service accounts.
pub(crate) const ACCOUNT: &str = "system:serviceaccount:";

/// All roles and bindings of the input.
#[derive(Debug)]
pub(crate) struct Grants<'d> {
    /// The API groups and the name of the resource whose use is permitted.
    groups: &'static [&'static str],
    resource: &'static str,
    roles: Vec<Role<'d>>,
    bindings: Vec<Binding<'d>>,
}

#[derive(Debug)]
struct Role<'d> {
    namespace: Option<&'d str>,
    name: &'d str,
    /// The names of the objects that each rule permits to use, empty for all.
    rules: Vec<Vec<&'d str>>,
}

/// Subjects with a role.
#[derive(Debug)]
pub(crate) struct Binding<'d> {
    object: Fields<'d>,
    /// `None` for the whole cluster.
    pub(crate) namespace: Option<&'d str>,
    role: &'d str,
    is_cluster_role: bool,
    pub(crate) subjects: Vec<Subject>,
}

/// A user or a group. A service account is a user.
#[derive(Clone, Debug)]
pub(crate) enum Subject {
    User(String),
    Group(String),
}

impl<'d> Grants<'d> {
    /// Starts without roles, which can permit the use of a resource.
    pub(crate) fn of_resource(groups: &'static [&'static str], resource: &'static str) -> Self {
        Self { groups, resource, roles: Vec::new(), bindings: Vec::new() }
    }

    /// Whether the input has bindings.
    pub(crate) fn have_bindings(&self) -> bool {
        !self.bindings.is_empty()
    }

    /// Adds a role or a binding.
    ///
    /// # Errors
    /// An object that the API server would not accept.
    pub(crate) fn add(&mut self, object: &Fields<'d>) -> Result<(), InputError> {
        let kind = object.text("kind")?.unwrap_or_default();
        let metadata = object.required_object("metadata")?;
        let namespace = metadata.text("namespace")?;
        match kind {
            "Role" | "ClusterRole" => {
                let mut rules = Vec::new();
                for rule in object.objects("rules")? {
                    let has = |field: &str, names: &[&str]| -> Result<bool, InputError> {
                        Ok(rule.texts(field)?.iter().any(|text| *text == "*" || names.contains(text)))
                    };
                    if has("verbs", &["use"])?
                        && has("apiGroups", self.groups)?
                        && has("resources", &[self.resource])?
                    {
                        rules.push(rule.texts("resourceNames")?);
                    }
                }
                let namespace = namespace.filter(|_| kind == "Role");
                self.roles.push(Role { namespace, name: metadata.required_text("name")?, rules });
            }
            "RoleBinding" | "ClusterRoleBinding" => {
                let namespace = match kind {
                    "RoleBinding" => Some(namespace.ok_or_else(|| metadata.missing("namespace"))?),
                    _ => None,
                };
                let reference = object.required_object("roleRef")?;
                self.bindings.push(Binding {
                    object: object.clone(),
                    namespace,
                    role: reference.required_text("name")?,
                    is_cluster_role: reference.required_text("kind")? == "ClusterRole",
                    subjects: subjects(object, namespace)?,
                });
            }
            _ => return Err(object.error("kind", "expected a role or a binding")),
        }
        Ok(())
    }

    /// The bindings to roles that the input does not contain, with what follows from it.
    ///
    /// # Errors
    /// Metadata of another type.
    pub(crate) fn unresolved(&self, consequence: &str) -> Result<Vec<NotConverted>, InputError> {
        let mut unresolved = Vec::new();
        for binding in &self.bindings {
            if self.role(binding).is_none() {
                let problem = format!(
                    "the input does not contain the role {}, so {consequence}; pass the role, too",
                    Value::from(binding.role)
                );
                let reference = binding.object.required_object("roleRef")?;
                let problem = FieldProblem::new(reference.path("name"), problem);
                let title = objects::title(&binding.object)?;
                unresolved.push(NotConverted::new(binding.object.document(), &title, None, problem));
            }
        }
        Ok(unresolved)
    }

    /// The bindings that permit the use of an object.
    pub(crate) fn of(&self, name: &str) -> impl Iterator<Item = &Binding<'d>> {
        let grants = move |names: &Vec<&str>| names.is_empty() || names.contains(&name);
        self.bindings
            .iter()
            .filter(move |binding| self.role(binding).is_some_and(|role| role.rules.iter().any(grants)))
    }

    fn role(&self, binding: &Binding<'_>) -> Option<&Role<'d>> {
        let namespace = if binding.is_cluster_role { None } else { binding.namespace };
        self.roles.iter().find(|role| role.name == binding.role && role.namespace == namespace)
    }
}

fn subjects(object: &Fields<'_>, namespace: Option<&str>) -> Result<Vec<Subject>, InputError> {
    let mut subjects = Vec::new();
    for subject in object.objects("subjects")? {
        let name = subject.required_text("name")?;
        subjects.push(match subject.required_text("kind")? {
            "User" => Subject::User(name.to_owned()),
            "Group" => Subject::Group(name.to_owned()),
            "ServiceAccount" => {
                let namespace = subject.text("namespace")?.or(namespace);
                let namespace = namespace.ok_or_else(|| subject.missing("namespace"))?;
                Subject::User(format!("{ACCOUNT}{namespace}:{name}"))
            }
            _ => return Err(subject.error("kind", "expected User, Group or ServiceAccount")),
        });
    }
    Ok(subjects)
}
