//! Root by number.

use super::{Allows, Check, Exception, Field, FieldRule, Level, Part, Revision, Takes};

const fn rule(field: Field) -> FieldRule {
    FieldRule::of(field, Takes::Integer, Allows::Not("0"), "use another user or remove it")
}

const RULES: &[FieldRule] = &[
    rule(Field::PodSecurityContext(&["runAsUser"])),
    rule(Field::Container(Part::SecurityContext, &["runAsUser"])),
];

pub(super) const CHECK: Check = Check {
    id: "runAsUser",
    control: "Running as Non-root user",
    level: Level::Restricted,
    replaced_by: None,
    revisions: &[
        Revision { since: 23, unless: None, rules: RULES },
        Revision { since: 35, unless: Some(Exception::UserNamespace), rules: RULES },
    ],
};
