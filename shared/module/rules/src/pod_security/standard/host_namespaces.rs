//! Pods must not share the network, process or IPC namespace of the node, which would expose the
//! node and other pods to them.
//!
//! **Control:** `Host Namespaces`, level `baseline`
//!
//! **Since v1.0**
//!
//! Restricted fields:
//! - `spec.hostNetwork`
//! - `spec.hostPID`
//! - `spec.hostIPC`
//!
//! Allowed values: `false`; may be unset
//!
//! Source: `policy/check_hostNamespaces.go` in k8s.io/pod-security-admission,
//! <https://kubernetes.io/docs/concepts/security/pod-security-standards/>

use super::{Allowed, Check, Field, FieldRule, Level, Remedy, Revision, ValueType};

const fn flag(field: &'static [&'static str]) -> FieldRule {
    FieldRule::of(Field::Pod(field), ValueType::Flag, Allowed::Only(&["false"]), Remedy::REMOVE)
}

pub(super) const CHECK: Check = Check {
    id: "hostNamespaces",
    control: "Host Namespaces",
    level: Level::Baseline,
    superseded_by: None,
    revisions: &[Revision::since(0, &[flag(&["hostNetwork"]), flag(&["hostPID"]), flag(&["hostIPC"])])],
};
