//! A profile of system calls has to be named.

use super::{Allows, Check, Exception, Field, FieldRule, Level, Part, Revision, Takes, Unset};

const ALLOWS: Allows = Allows::Only(&["RuntimeDefault", "Localhost"]);

const RULES: &[FieldRule] = &[
    FieldRule::of(
        Field::PodSecurityContext(&["seccompProfile", "type"]),
        Takes::Required,
        ALLOWS,
        "use one of these",
    ),
    FieldRule::of(
        Field::Container(Part::SecurityContext, &["seccompProfile", "type"]),
        Takes::Required,
        ALLOWS,
        "set one of these",
    )
    .unset(Unset::LeftToPod),
];

pub(super) const CHECK: Check = Check {
    id: "seccompProfile_restricted",
    control: "Seccomp",
    level: Level::Restricted,
    replaced_by: None,
    revisions: &[
        Revision { since: 19, unless: None, rules: RULES },
        Revision { since: 25, unless: Some(Exception::Windows), rules: RULES },
    ],
};
