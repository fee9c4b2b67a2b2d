//! `SecurityContextConstraints` of `OpenShift`, with the roles that grant their use.
//!
//! A pod needs one of the constraints that its service account or the requesting user may use.
//! Constraints for everyone become what the manifests allow to all pods; those of single subjects
//! become exclusions with conditions. Constraints that allow everything become a match condition.
//!
//! Sources: `pkg/securitycontextconstraints` in openshift/apiserver-library-go (a8019f3),
//! `security/v1/types.go` in openshift/api.

mod access;
mod constraints;
mod contexts;
mod lifts;
mod manifests;

use std::collections::BTreeSet;

use crate::conversion::{Conversion, FieldProblem, NotConverted};
use crate::fields::Fields;
use crate::{Document, InputError};
use crate::{objects, rbac};
use access::Access;
use constraints::Constraints;

/// The expected content of a document.
const EXPECTED: &str = "expected SecurityContextConstraints";

/// The API group of the constraints.
const GROUP: &str = "security.openshift.io";

/// The kind of the constraints.
const KIND: &str = "SecurityContextConstraints";

/// The problem with constraints whose users are unknown.
const NO_ROLES: &str = "the input has no bindings, so only users and groups of the constraints count; without the others, the \
                        policies refuse more pods and are in mode monitor. Pass ClusterRoles, ClusterRoleBindings, Roles \
                        and RoleBindings, too";

/// The problem with constraints that nobody may use.
const UNUSED: &str = "no user, group or binding of the input may use it, so it allows nothing";

/// The problem with pods for which there are no constraints.
const NOBODY_ELSE: &str = "only some subjects may use constraints; OpenShift refuses the pods of all others, and the policies \
                           refuse only those that are not restricted";

/// The problem with a subject that may use several constraints.
const UNION: &str = "a pod has to meet one of the constraints that it may use, and is admitted here if each of its fields \
                     meets one of them";

/// Constraints, and who may use them.
struct Usable<'d> {
    constraints: Constraints<'d>,
    access: Access,
}

/// Whether a document has constraints.
pub(crate) fn recognises(api_version: &str, kind: &str) -> bool {
    api_version.starts_with("security.openshift.io/") && kind == KIND
}

/// Converts `SecurityContextConstraints` into policies of `pod-security` and `selinux`.
///
/// The documents are the constraints, the roles and bindings that grant their use, and lists of
/// them. Returns a [`Conversion`] with what is not converted and the first manifest, and one for
/// each further manifest. Without bindings, the manifests are in mode monitor.
///
/// # Errors
/// The first document that the API server would not accept, and input without constraints.
pub fn convert(documents: &[Document]) -> Result<Vec<Conversion>, InputError> {
    let objects = objects::of(documents, EXPECTED)?;
    let mut missing = Vec::new();
    let mut found = Vec::new();
    let mut grants = access::grants();
    for object in &objects {
        match objects::group_and_kind(object)? {
            (GROUP, KIND) => found.push(Constraints::read(object)?),
            (rbac::GROUP, _) => grants.add(object)?,
            _ => {
                let problem = "is neither SecurityContextConstraints nor a role or a binding";
                let problem = FieldProblem::new(object.path("kind"), problem);
                missing.push(NotConverted::new(object.document(), &objects::title(object)?, None, problem));
            }
        }
    }
    let Some(first) = found.first() else { return no_constraints(&objects, missing) };
    let about = |path: &str, problem: &str| {
        let problem = FieldProblem::new(first.path(path), problem);
        NotConverted::new(first.document(), first.title(), None, problem)
    };
    let widens = !grants.have_bindings();
    if widens {
        missing.push(about("users", NO_ROLES));
    }
    missing.extend(grants.unresolved("the binding grants nothing")?);
    let usable: Vec<Usable<'_>> = found
        .iter()
        .map(|constraints| Usable {
            access: Access::of(constraints, &grants),
            constraints: constraints.clone(),
        })
        .collect();
    let is_open = usable.iter().any(|usable| usable.access.is_everyone());
    if !is_open {
        missing.push(about("groups", NOBODY_ELSE));
    }
    let several: BTreeSet<&str> = usable
        .iter()
        .filter(|usable| !usable.access.is_nobody() && !usable.constraints.allow_everything())
        .map(|usable| usable.constraints.name())
        .collect();
    if several.len() > 1 {
        missing.push(about("groups", UNION));
    }
    for Usable { constraints, access } in &usable {
        let problems = if access.is_nobody() {
            vec![FieldProblem::new(constraints.path("users"), UNUSED)]
        } else {
            constraints.problems().to_vec()
        };
        let listed = |problem| NotConverted::new(constraints.document(), constraints.title(), None, problem);
        missing.extend(problems.into_iter().map(listed));
    }
    manifests::write(first, &usable, missing, widens)
}

/// The result for input without constraints.
fn no_constraints(objects: &[Fields<'_>], missing: Vec<NotConverted>) -> Result<Vec<Conversion>, InputError> {
    match objects.first() {
        Some(object) if missing.is_empty() => Err(object.error("kind", EXPECTED)),
        _ => Ok(vec![Conversion { not_converted: missing, ..Conversion::default() }]),
    }
}
