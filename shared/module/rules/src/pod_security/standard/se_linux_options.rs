//! Pods may use only the `SELinux` types for containers, and must not set a user or role. The level
//! is not restricted.
//!
//! **Control:** `SELinux`, level `baseline`
//!
//! **Since v1.0**
//!
//! Restricted fields:
//! - `spec.securityContext.seLinuxOptions.type`
//! - `container.securityContext.seLinuxOptions.type`
//!
//! Allowed values: `container_t`, `container_init_t`, `container_kvm_t`; may be unset or empty
//!
//! Restricted fields:
//! - `spec.securityContext.seLinuxOptions.user`
//! - `spec.securityContext.seLinuxOptions.role`
//! - `container.securityContext.seLinuxOptions.user`
//! - `container.securityContext.seLinuxOptions.role`
//!
//! Allowed values: none; must be unset or empty
//!
//! **Since v1.31**
//!
//! Allowed values: also `container_engine_t`
//!
//! Source: `policy/check_seLinuxOptions.go` in k8s.io/pod-security-admission,
//! <https://kubernetes.io/docs/concepts/security/pod-security-standards/>

use super::{Allowed, Check, Field, FieldRule, Level, Part, Remedy, Revision, ValueType, extended};

const fn one_of(field: Field, types: &'static [&'static str]) -> FieldRule {
    FieldRule::of(field, ValueType::Text, Allowed::Only(types), Remedy::REMOVE.and(" or use one of these"))
}

const fn none(field: Field) -> FieldRule {
    FieldRule::of(field, ValueType::Text, Allowed::Only(&[""]), Remedy::REMOVE)
}

const POD_TYPE: Field = Field::PodSecurityContext(&["seLinuxOptions", "type"]);
const POD_USER: Field = Field::PodSecurityContext(&["seLinuxOptions", "user"]);
const POD_ROLE: Field = Field::PodSecurityContext(&["seLinuxOptions", "role"]);
const TYPE: Field = Field::Container(Part::SecurityContext, &["seLinuxOptions", "type"]);
const USER: Field = Field::Container(Part::SecurityContext, &["seLinuxOptions", "user"]);
const ROLE: Field = Field::Container(Part::SecurityContext, &["seLinuxOptions", "role"]);

const fn rules(types: &'static [&'static str]) -> [FieldRule; 6] {
    [one_of(POD_TYPE, types), none(POD_USER), none(POD_ROLE), one_of(TYPE, types), none(USER), none(ROLE)]
}

const V1_0: &[&str] = &["", "container_t", "container_init_t", "container_kvm_t"];
const V1_31: &[&str] = &extended::<5>(V1_0, &["container_engine_t"]);

const RULES_1_0: &[FieldRule] = &rules(V1_0);
const RULES_1_31: &[FieldRule] = &rules(V1_31);

pub(super) const CHECK: Check = Check {
    id: "seLinuxOptions",
    control: "SELinux",
    level: Level::Baseline,
    superseded_by: None,
    revisions: &[Revision::since(0, RULES_1_0), Revision::since(31, RULES_1_31)],
};
