//! Pods must not mount paths of the node.
//!
//! **Control:** `HostPath Volumes`, level `baseline`, superseded by `restrictedVolumes` at
//! `restricted`
//!
//! **Since v1.0**
//!
//! Restricted fields:
//! - `spec.volumes[*].hostPath`
//!
//! Allowed values: none; must be unset
//!
//! Source: `policy/check_hostPathVolumes.go` in k8s.io/pod-security-admission,
//! <https://kubernetes.io/docs/concepts/security/pod-security-standards/>

use super::{Allowed, Check, Field, FieldRule, Level, Remedy, Revision, ValueType, restricted_volumes};

pub(super) const CHECK: Check = Check {
    id: "hostPathVolumes",
    control: "HostPath Volumes",
    level: Level::Baseline,
    superseded_by: Some(&restricted_volumes::CHECK),
    revisions: &[Revision::since(
        0,
        &[FieldRule::of(
            Field::Volume(&["hostPath"]),
            ValueType::HostPath,
            Allowed::Only(&[]),
            Remedy::in_words("use another volume type"),
        )],
    )],
};
