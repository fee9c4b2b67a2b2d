//! Container runtimes mask parts of `/proc`. Containers must keep the masks unless the pod runs in
//! a user namespace.
//!
//! **Control:** `/proc Mount Type`, level `baseline`, superseded by `procMount_restricted` at
//! `restricted`
//!
//! **Since v1.0**
//!
//! Restricted fields:
//! - `container.securityContext.procMount`
//!
//! Allowed values: `Default`; may be unset
//!
//! **Since v1.35**
//!
//! Not checked for pods with `spec.hostUsers: false`
//!
//! Source: `policy/check_procMount.go` in k8s.io/pod-security-admission,
//! <https://kubernetes.io/docs/concepts/security/pod-security-standards/>

use super::{Check, Exception, Level, Revision, proc_mount_restricted};

pub(super) const CHECK: Check = Check {
    id: "procMount",
    control: "/proc Mount Type",
    level: Level::Baseline,
    superseded_by: Some(&proc_mount_restricted::CHECK),
    revisions: &[
        Revision::since(0, proc_mount_restricted::RULES),
        Revision::since(35, proc_mount_restricted::RULES).unless(Exception::UserNamespace),
    ],
};
