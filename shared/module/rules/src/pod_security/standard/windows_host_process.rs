//! Pods on Windows must not run as `HostProcess` containers, which have the rights of a user of the
//! node.
//!
//! **Control:** `HostProcess`, level `baseline`
//!
//! **Since v1.0**
//!
//! Restricted fields:
//! - `spec.securityContext.windowsOptions.hostProcess`
//! - `container.securityContext.windowsOptions.hostProcess`
//!
//! Allowed values: `false`; may be unset
//!
//! Source: `policy/check_windowsHostProcess.go` in k8s.io/pod-security-admission,
//! <https://kubernetes.io/docs/concepts/security/pod-security-standards/>

use super::{Allowed, Check, Field, FieldRule, Level, Part, Remedy, Revision, ValueType};

const fn flag(field: Field) -> FieldRule {
    FieldRule::of(field, ValueType::Flag, Allowed::Only(&["false"]), Remedy::REMOVE)
}

pub(super) const CHECK: Check = Check {
    id: "windowsHostProcess",
    control: "HostProcess",
    level: Level::Baseline,
    superseded_by: None,
    revisions: &[Revision::since(
        0,
        &[
            flag(Field::PodSecurityContext(&["windowsOptions", "hostProcess"])),
            flag(Field::Container(Part::SecurityContext, &["windowsOptions", "hostProcess"])),
        ],
    )],
};
