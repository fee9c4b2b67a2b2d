//! A port of the node itself.

use super::{Allows, Check, Field, FieldRule, Level, Part, Revision, Takes};

pub(super) const CHECK: Check = Check {
    id: "hostPorts",
    control: "Host Ports",
    level: Level::Baseline,
    replaced_by: None,
    revisions: &[Revision {
        since: 0,
        unless: None,
        rules: &[FieldRule::of(
            Field::Container(Part::Ports, &["*", "hostPort"]),
            Takes::Integer,
            Allows::Only(&["0"]),
            "remove it, and use a Service",
        )],
    }],
};
