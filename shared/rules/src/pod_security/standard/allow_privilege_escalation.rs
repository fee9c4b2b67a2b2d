//! A process may get more rights than its parent, through a file with the setuid bit for example.

use super::{Allows, Check, Exception, Field, Level, Part, Revision, Rule, Takes, Unset};

const RULES: &[Rule] = &[Rule::of(
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
