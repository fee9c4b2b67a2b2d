//! Containers must keep the masks that the container runtime applies to parts of `/proc`, in pods
//! with a user namespace as well.
//!
//! **Control:** `/proc Mount Type`, level `restricted`
//!
//! **Since v1.35**
//!
//! Restricted fields:
//! - `container.securityContext.procMount`
//!
//! Allowed values: `Default`; may be unset
//!
//! Source: `policy/check_procMount_restricted.go` in k8s.io/pod-security-admission,
//! <https://kubernetes.io/docs/concepts/security/pod-security-standards/>

use super::{Allowed, Check, Field, FieldRule, Level, Part, Remedy, Revision, ValueType};

/// The rules of both levels.
pub(super) const RULES: &[FieldRule] = &[FieldRule::of(
    Field::Container(Part::SecurityContext, &["procMount"]),
    ValueType::Text,
    Allowed::Only(&["Default"]),
    Remedy::REMOVE,
)];

pub(super) const CHECK: Check = Check {
    id: "procMount_restricted",
    control: "/proc Mount Type",
    level: Level::Restricted,
    superseded_by: None,
    revisions: &[Revision::since(35, RULES)],
};
