//! Parts of `/proc` that a container runtime masks.

use super::{
    Allows, Check, Exception, Field, FieldRule, Level, Part, Revision, Takes, proc_mount_restricted,
};

pub(super) const RULES: &[FieldRule] = &[FieldRule::of(
    Field::Container(Part::SecurityContext, &["procMount"]),
    Takes::Text,
    Allows::Only(&["Default"]),
    "remove it",
)];

pub(super) const CHECK: Check = Check {
    id: "procMount",
    control: "/proc Mount Type",
    level: Level::Baseline,
    replaced_by: Some(&proc_mount_restricted::CHECK),
    revisions: &[
        Revision { since: 0, unless: None, rules: RULES },
        Revision { since: 35, unless: Some(Exception::UserNamespace), rules: RULES },
    ],
};
