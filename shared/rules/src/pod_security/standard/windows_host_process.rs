//! Pods on Windows may run in the host's own processes, with the rights of a user of the node.

use super::{Allows, Check, Field, Level, Part, Revision, Rule, Takes};

const fn rule(field: Field) -> Rule {
    Rule::of(field, Takes::Flag, Allows::Only(&["false"]), "remove it")
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
