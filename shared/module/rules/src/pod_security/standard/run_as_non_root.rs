//! Containers must not run as root, in case they reach anything outside of themselves.
//!
//! **Control:** `Running as Non-root`, level `restricted`
//!
//! **Since v1.0**
//!
//! Restricted fields:
//! - `spec.securityContext.runAsNonRoot`
//!
//! Allowed values: `true`; may be unset
//!
//! Restricted fields:
//! - `container.securityContext.runAsNonRoot`
//!
//! Allowed values: `true`; may be unset if the pod sets it
//!
//! **Since v1.35**
//!
//! Not checked for pods with `spec.hostUsers: false`
//!
//! Source: `policy/check_runAsNonRoot.go` in k8s.io/pod-security-admission,
//! <https://kubernetes.io/docs/concepts/security/pod-security-standards/>

use super::{Allowed, Check, Exception, Field, FieldRule, Level, Part, Remedy, Revision, Unset, ValueType};

const fn flag(field: Field) -> FieldRule {
    FieldRule::of(field, ValueType::Flag, Allowed::Only(&["true"]), Remedy::set_flag(true))
}

const RULES: &[FieldRule] = &[
    flag(Field::PodSecurityContext(&["runAsNonRoot"])),
    flag(Field::Container(Part::SecurityContext, &["runAsNonRoot"]))
        .required_here_or_in_pod(Unset::LeftToPod),
];

pub(super) const CHECK: Check = Check {
    id: "runAsNonRoot",
    control: "Running as Non-root",
    level: Level::Restricted,
    superseded_by: None,
    revisions: &[Revision::since(0, RULES), Revision::since(35, RULES).unless(Exception::UserNamespace)],
};
