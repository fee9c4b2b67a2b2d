//! Containers must not run with the user ID 0, which is root.
//!
//! **Control:** `Running as Non-root user`, level `restricted`
//!
//! **Since v1.23**
//!
//! Restricted fields:
//! - `spec.securityContext.runAsUser`
//! - `container.securityContext.runAsUser`
//!
//! Allowed values: any value except `0`; may be unset
//!
//! **Since v1.35**
//!
//! Not checked for pods with `spec.hostUsers: false`
//!
//! Source: `policy/check_runAsUser.go` in k8s.io/pod-security-admission,
//! <https://kubernetes.io/docs/concepts/security/pod-security-standards/>

use super::{Allowed, Check, Exception, Field, FieldRule, Level, Part, Remedy, Revision, ValueType};

const fn user(field: Field) -> FieldRule {
    FieldRule::of(
        field,
        ValueType::Integer,
        Allowed::Except("0"),
        Remedy::REMOVE.and(" or use another user ID"),
    )
}

const RULES: &[FieldRule] = &[
    user(Field::PodSecurityContext(&["runAsUser"])),
    user(Field::Container(Part::SecurityContext, &["runAsUser"])),
];

pub(super) const CHECK: Check = Check {
    id: "runAsUser",
    control: "Running as Non-root user",
    level: Level::Restricted,
    superseded_by: None,
    revisions: &[Revision::since(23, RULES), Revision::since(35, RULES).unless(Exception::UserNamespace)],
};
