//! A process may get more rights than its parent, through a file with the setuid bit for example.

use super::{Allows, Check, Exception, Field, FieldRule, Level, Part, Revision, Takes, Unset};

const RULES: &[FieldRule] = &[FieldRule::of(
    Field::Container(Part::SecurityContext, &["allowPrivilegeEscalation"]),
    Takes::Flag,
    Allows::Only(&["false"]),
    "set it to false",
)
.unset(Unset::Refused)];

pub(super) const CHECK: Check = Check {
    id: "allowPrivilegeEscalation",
    control: "Privilege Escalation",
    level: Level::Restricted,
    replaced_by: None,
    revisions: &[
        Revision { since: 8, unless: None, rules: RULES },
        Revision { since: 25, unless: Some(Exception::Windows), rules: RULES },
    ],
};
