//! Pods must not disable seccomp: in annotations before v1.19, in fields since.
//!
//! **Control:** `Seccomp`, level `baseline`, superseded by `seccompProfile_restricted` at
//! `restricted`
//!
//! **Since v1.0**
//!
//! Restricted fields:
//! - `metadata.annotations[seccomp.security.alpha.kubernetes.io/pod]`
//! - `metadata.annotations[container.seccomp.security.alpha.kubernetes.io/*]`
//!
//! Allowed values: `runtime/default`, `docker/default`, `localhost/*`; may be unset
//!
//! **Since v1.19**
//!
//! Restricted fields:
//! - `spec.securityContext.seccompProfile.type`
//! - `container.securityContext.seccompProfile.type`
//!
//! Allowed values: `RuntimeDefault`, `Localhost`; may be unset
//!
//! Source: `policy/check_seccompProfile_baseline.go` in k8s.io/pod-security-admission,
//! <https://kubernetes.io/docs/concepts/security/pod-security-standards/>

use super::{
    Allowed, Check, Field, FieldRule, Level, Part, Remedy, Revision, ValueType, seccomp_profile_restricted,
};

const fn profile_annotation(field: Field) -> FieldRule {
    FieldRule::of(
        field,
        ValueType::Text,
        Allowed::Only(&["runtime/default", "docker/default", "localhost/*"]),
        Remedy::REMOVE.and(" or use one of these"),
    )
}

const fn profile_type(field: Field) -> FieldRule {
    FieldRule::of(
        field,
        ValueType::RequiredText,
        Allowed::Only(&["RuntimeDefault", "Localhost"]),
        Remedy::set_text("RuntimeDefault").and(" or remove the profile"),
    )
}

pub(super) const CHECK: Check = Check {
    id: "seccompProfile_baseline",
    control: "Seccomp",
    level: Level::Baseline,
    superseded_by: Some(&seccomp_profile_restricted::CHECK),
    revisions: &[
        Revision::since(
            0,
            &[
                profile_annotation(Field::Annotation("seccomp.security.alpha.kubernetes.io/pod")),
                profile_annotation(Field::ContainerAnnotations(
                    "container.seccomp.security.alpha.kubernetes.io/",
                )),
            ],
        ),
        Revision::since(
            19,
            &[
                profile_type(Field::PodSecurityContext(&["seccompProfile", "type"])),
                profile_type(Field::Container(Part::SecurityContext, &["seccompProfile", "type"])),
            ],
        ),
    ],
};
