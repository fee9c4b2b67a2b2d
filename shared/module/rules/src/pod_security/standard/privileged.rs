//! A privileged container disables most security mechanisms and has root access to the node.
//!
//! **Control:** `Privileged Containers`, level `baseline`
//!
//! **Since v1.0**
//!
//! Restricted fields:
//! - `container.securityContext.privileged`
//!
//! Allowed values: `false`; may be unset
//!
//! Source: `policy/check_privileged.go` in k8s.io/pod-security-admission,
//! <https://kubernetes.io/docs/concepts/security/pod-security-standards/>

use super::{Allowed, Check, Field, FieldRule, Level, Part, Remedy, Revision, ValueType};

pub(super) const CHECK: Check = Check {
    id: "privileged",
    control: "Privileged Containers",
    level: Level::Baseline,
    superseded_by: None,
    revisions: &[Revision::since(
        0,
        &[FieldRule::of(
            Field::Container(Part::SecurityContext, &["privileged"]),
            ValueType::Flag,
            Allowed::Only(&["false"]),
            Remedy::REMOVE.and(" and add the capabilities that the container needs"),
        )],
    )],
};
