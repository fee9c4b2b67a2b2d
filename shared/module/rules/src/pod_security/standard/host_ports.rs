//! Containers must not listen on ports of the node.
//!
//! **Control:** `Host Ports`, level `baseline`
//!
//! **Since v1.0**
//!
//! Restricted fields:
//! - `container.ports[*].hostPort`
//!
//! Allowed values: `0`; may be unset
//!
//! Source: `policy/check_hostPorts.go` in k8s.io/pod-security-admission,
//! <https://kubernetes.io/docs/concepts/security/pod-security-standards/>

use super::{Allowed, Check, Field, FieldRule, Level, Part, Remedy, Revision, ValueType};

pub(super) const CHECK: Check = Check {
    id: "hostPorts",
    control: "Host Ports",
    level: Level::Baseline,
    superseded_by: None,
    revisions: &[Revision::since(
        0,
        &[FieldRule::of(
            Field::Container(Part::Ports, &["*", "hostPort"]),
            ValueType::Integer,
            Allowed::Only(&["0"]),
            Remedy::REMOVE.and(" and use a Service"),
        )],
    )],
};
