//! A path of the node in a pod.

use super::{Allows, Check, Field, FieldRule, Level, Revision, Takes, restricted_volumes};

pub(super) const CHECK: Check = Check {
    id: "hostPathVolumes",
    control: "HostPath Volumes",
    level: Level::Baseline,
    replaced_by: Some(&restricted_volumes::CHECK),
    revisions: &[Revision {
        since: 0,
        unless: None,
        rules: &[FieldRule::of(
            Field::Volume(&["hostPath"]),
            Takes::HostPath,
            Allows::Only(&[]),
            "use another type of volume",
        )],
    }],
};
