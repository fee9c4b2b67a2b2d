//! Root in a container is root to whatever it reaches outside of it.

use super::{Allows, Check, Exception, Field, FieldRule, Level, Part, Revision, Takes, Unset};

const RULES: &[FieldRule] = &[
    FieldRule::of(
        Field::PodSecurityContext(&["runAsNonRoot"]),
        Takes::Flag,
        Allows::Only(&["true"]),
        "set it to true",
    ),
    FieldRule::of(
        Field::Container(Part::SecurityContext, &["runAsNonRoot"]),
        Takes::Flag,
        Allows::Only(&["true"]),
        "set it to true",
    )
    .unset(Unset::LeftToPod),
];

pub(super) const CHECK: Check = Check {
    id: "runAsNonRoot",
    control: "Running as Non-root",
    level: Level::Restricted,
    replaced_by: None,
    revisions: &[
        Revision { since: 0, unless: None, rules: RULES },
        Revision { since: 35, unless: Some(Exception::UserNamespace), rules: RULES },
    ],
};
