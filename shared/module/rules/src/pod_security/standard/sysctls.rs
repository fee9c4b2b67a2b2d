//! Pods may set only safe sysctls: kernel parameters that have a namespace and affect one pod
//! alone.
//!
//! **Control:** `Sysctls`, level `baseline`
//!
//! **Since v1.0**
//!
//! Restricted fields:
//! - `spec.securityContext.sysctls[*].name`
//!
//! Allowed values: `kernel.shm_rmid_forced`, `net.ipv4.ip_local_port_range`,
//! `net.ipv4.tcp_syncookies`, `net.ipv4.ping_group_range`, `net.ipv4.ip_unprivileged_port_start`;
//! may be unset
//!
//! **Since v1.27**
//!
//! Allowed values: also `net.ipv4.ip_local_reserved_ports`
//!
//! **Since v1.29**
//!
//! Allowed values: also `net.ipv4.tcp_keepalive_time`, `net.ipv4.tcp_fin_timeout`,
//! `net.ipv4.tcp_keepalive_intvl`, `net.ipv4.tcp_keepalive_probes`
//!
//! **Since v1.32**
//!
//! Allowed values: also `net.ipv4.tcp_rmem`, `net.ipv4.tcp_wmem`
//!
//! **Since v1.37**
//!
//! Allowed values: also `net.ipv4.tcp_slow_start_after_idle`, `net.ipv4.tcp_notsent_lowat`
//!
//! Source: `policy/check_sysctls.go` in k8s.io/pod-security-admission,
//! <https://kubernetes.io/docs/concepts/security/pod-security-standards/>

use super::{Allowed, Change, Check, Field, FieldRule, Level, Remedy, Revision, ValueType, extended};

const V1_0: &[&str] = &[
    "kernel.shm_rmid_forced",
    "net.ipv4.ip_local_port_range",
    "net.ipv4.tcp_syncookies",
    "net.ipv4.ping_group_range",
    "net.ipv4.ip_unprivileged_port_start",
];
const V1_27: &[&str] = &extended::<6>(V1_0, &["net.ipv4.ip_local_reserved_ports"]);
const V1_29: &[&str] = &extended::<10>(
    V1_27,
    &[
        "net.ipv4.tcp_keepalive_time",
        "net.ipv4.tcp_fin_timeout",
        "net.ipv4.tcp_keepalive_intvl",
        "net.ipv4.tcp_keepalive_probes",
    ],
);
const V1_32: &[&str] = &extended::<12>(V1_29, &["net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"]);
const V1_37: &[&str] =
    &extended::<14>(V1_32, &["net.ipv4.tcp_slow_start_after_idle", "net.ipv4.tcp_notsent_lowat"]);

const fn allowing(names: &'static [&'static str]) -> FieldRule {
    FieldRule::of(
        Field::PodSecurityContext(&["sysctls", "*", "name"]),
        ValueType::RequiredText,
        Allowed::Only(names),
        Remedy::of(Change::RemoveItem),
    )
}

pub(super) const CHECK: Check = Check {
    id: "sysctls",
    control: "Sysctls",
    level: Level::Baseline,
    superseded_by: None,
    revisions: &[
        Revision::since(0, &[allowing(V1_0)]),
        Revision::since(27, &[allowing(V1_27)]),
        Revision::since(29, &[allowing(V1_29)]),
        Revision::since(32, &[allowing(V1_32)]),
        Revision::since(37, &[allowing(V1_37)]),
    ],
};
