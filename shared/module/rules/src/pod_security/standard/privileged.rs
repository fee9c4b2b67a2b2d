//! A privileged container is root on the node.

use super::{Allows, Check, Field, FieldRule, Level, Part, Revision, Takes};

pub(super) const CHECK: Check = Check {
    id: "privileged",
    control: "Privileged Containers",
    level: Level::Baseline,
    replaced_by: None,
    revisions: &[Revision {
        since: 0,
        unless: None,
        rules: &[FieldRule::of(
            Field::Container(Part::SecurityContext, &["privileged"]),
            Takes::Flag,
            Allows::Only(&["false"]),
            "remove it, and add the capabilities that it needs",
        )],
    }],
};
