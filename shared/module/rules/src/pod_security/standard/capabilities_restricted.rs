//! Containers must drop all capabilities and may add only `NET_BIND_SERVICE`.
//!
//! **Control:** `Capabilities`, level `restricted`
//!
//! **Since v1.22**
//!
//! Restricted fields:
//! - `container.securityContext.capabilities.drop`
//!
//! Allowed values: a list that contains `ALL`
//!
//! Restricted fields:
//! - `container.securityContext.capabilities.add`
//!
//! Allowed values: `NET_BIND_SERVICE`; may be unset
//!
//! **Since v1.25**
//!
//! Not checked for pods with `spec.os.name: windows`
//!
//! Source: `policy/check_capabilities_restricted.go` in k8s.io/pod-security-admission,
//! <https://kubernetes.io/docs/concepts/security/pod-security-standards/>

use super::{Allowed, Change, Check, Exception, Field, FieldRule, Level, Part, Remedy, Revision, ValueType};

const RULES: &[FieldRule] = &[
    FieldRule::of(
        Field::Container(Part::SecurityContext, &["capabilities", "drop"]),
        ValueType::Texts,
        Allowed::Dropping("ALL"),
        Remedy::of(Change::Insert("ALL")),
    )
    .required(),
    FieldRule::of(
        Field::Container(Part::SecurityContext, &["capabilities", "add"]),
        ValueType::Texts,
        Allowed::Only(&["NET_BIND_SERVICE"]),
        Remedy::REMOVE,
    ),
];

pub(super) const CHECK: Check = Check {
    id: "capabilities_restricted",
    control: "Capabilities",
    level: Level::Restricted,
    superseded_by: None,
    revisions: &[Revision::since(22, RULES), Revision::since(25, RULES).unless(Exception::Windows)],
};
