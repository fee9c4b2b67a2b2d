//! Containers may add only the capabilities that container runtimes grant by default.
//!
//! **Control:** `Capabilities`, level `baseline`, superseded by `capabilities_restricted` at
//! `restricted`
//!
//! **Since v1.0**
//!
//! Restricted fields:
//! - `container.securityContext.capabilities.add`
//!
//! Allowed values: `AUDIT_WRITE`, `CHOWN`, `DAC_OVERRIDE`, `FOWNER`, `FSETID`, `KILL`, `MKNOD`,
//! `NET_BIND_SERVICE`, `SETFCAP`, `SETGID`, `SETPCAP`, `SETUID`, `SYS_CHROOT`; may be unset
//!
//! Source: `policy/check_capabilities_baseline.go` in k8s.io/pod-security-admission,
//! <https://kubernetes.io/docs/concepts/security/pod-security-standards/>

use super::{
    Allowed, Check, Field, FieldRule, Level, Part, Remedy, Revision, ValueType, capabilities_restricted,
};

pub(super) const CHECK: Check = Check {
    id: "capabilities_baseline",
    control: "Capabilities",
    level: Level::Baseline,
    superseded_by: Some(&capabilities_restricted::CHECK),
    revisions: &[Revision::since(
        0,
        &[FieldRule::of(
            Field::Container(Part::SecurityContext, &["capabilities", "add"]),
            ValueType::Texts,
            Allowed::Only(&[
                "AUDIT_WRITE",
                "CHOWN",
                "DAC_OVERRIDE",
                "FOWNER",
                "FSETID",
                "KILL",
                "MKNOD",
                "NET_BIND_SERVICE",
                "SETFCAP",
                "SETGID",
                "SETPCAP",
                "SETUID",
                "SYS_CHROOT",
            ]),
            Remedy::REMOVE,
        )],
    )],
};
