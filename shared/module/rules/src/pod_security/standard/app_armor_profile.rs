//! A pod must not run without the AppArmor profile that the container runtime applies by default.
//! The annotations, which preceded the fields, are restricted at every version.
//!
//! **Control:** `AppArmor`, level `baseline`
//!
//! **Since v1.0**
//!
//! Restricted fields:
//! - `spec.securityContext.appArmorProfile.type`
//! - `container.securityContext.appArmorProfile.type`
//!
//! Allowed values: `RuntimeDefault`, `Localhost`; may be unset
//!
//! Restricted fields:
//! - `metadata.annotations[container.apparmor.security.beta.kubernetes.io/*]`
//!
//! Allowed values: `runtime/default`, `localhost/*`; may be unset or empty
//!
//! Source: `policy/check_appArmorProfile.go` in k8s.io/pod-security-admission,
//! <https://kubernetes.io/docs/concepts/security/pod-security-standards/>

use super::{Allowed, Check, Field, FieldRule, Level, Part, Remedy, Revision, ValueType};

const fn profile_type(field: Field) -> FieldRule {
    FieldRule::of(
        field,
        ValueType::RequiredText,
        Allowed::Only(&["RuntimeDefault", "Localhost"]),
        Remedy::set_text("RuntimeDefault").and(" or remove the profile"),
    )
}

pub(super) const CHECK: Check = Check {
    id: "appArmorProfile",
    control: "AppArmor",
    level: Level::Baseline,
    superseded_by: None,
    revisions: &[Revision::since(
        0,
        &[
            profile_type(Field::PodSecurityContext(&["appArmorProfile", "type"])),
            profile_type(Field::Container(Part::SecurityContext, &["appArmorProfile", "type"])),
            FieldRule::of(
                Field::Annotations("container.apparmor.security.beta.kubernetes.io/"),
                ValueType::Text,
                Allowed::Only(&["", "runtime/default", "localhost/*"]),
                Remedy::REMOVE.and(" or use one of these"),
            ),
        ],
    )],
};
