//! Pods on Windows may run in the host's own processes, with the rights of a user of the node.

use super::{Allows, Check, Field, FieldRule, Level, Part, Revision, Takes};

const fn rule(field: Field) -> FieldRule {
    FieldRule::of(field, Takes::Flag, Allows::Only(&["false"]), "remove it")
}

pub(super) const CHECK: Check = Check {
    id: "windowsHostProcess",
    control: "HostProcess",
    level: Level::Baseline,
    replaced_by: None,
    revisions: &[Revision {
        since: 0,
        unless: None,
        rules: &[
            rule(Field::PodSecurityContext(&["windowsOptions", "hostProcess"])),
            rule(Field::Container(Part::SecurityContext, &["windowsOptions", "hostProcess"])),
        ],
    }],
};
