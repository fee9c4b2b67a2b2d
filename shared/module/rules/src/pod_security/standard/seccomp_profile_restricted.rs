//! Every container must run with a seccomp profile, which the container or the pod sets.
//!
//! **Control:** `Seccomp`, level `restricted`
//!
//! **Since v1.19**
//!
//! Restricted fields:
//! - `spec.securityContext.seccompProfile.type`
//!
//! Allowed values: `RuntimeDefault`, `Localhost`; may be unset
//!
//! Restricted fields:
//! - `container.securityContext.seccompProfile.type`
//!
//! Allowed values: `RuntimeDefault`, `Localhost`; may be unset if the pod sets it
//!
//! **Since v1.25**
//!
//! Not checked for pods with `spec.os.name: windows`
//!
//! Source: `policy/check_seccompProfile_restricted.go` in k8s.io/pod-security-admission,
//! <https://kubernetes.io/docs/concepts/security/pod-security-standards/>

use super::{Allowed, Check, Exception, Field, FieldRule, Level, Part, Remedy, Revision, Unset, ValueType};

const fn profile_type(field: Field) -> FieldRule {
    FieldRule::of(
        field,
        ValueType::RequiredText,
        Allowed::Only(&["RuntimeDefault", "Localhost"]),
        Remedy::set_text("RuntimeDefault"),
    )
}

const RULES: &[FieldRule] = &[
    profile_type(Field::PodSecurityContext(&["seccompProfile", "type"])),
    profile_type(Field::Container(Part::SecurityContext, &["seccompProfile", "type"]))
        .required_here_or_in_pod(Unset::Inherited),
];

pub(super) const CHECK: Check = Check {
    id: "seccompProfile_restricted",
    control: "Seccomp",
    level: Level::Restricted,
    superseded_by: None,
    revisions: &[Revision::since(19, RULES), Revision::since(25, RULES).unless(Exception::Windows)],
};
