//! All capabilities have to be dropped, and one may be added.

use super::{Allows, Check, Exception, Field, FieldRule, Level, Part, Revision, Takes, Unset};

const RULES: &[FieldRule] = &[
    FieldRule::of(
        Field::Container(Part::SecurityContext, &["capabilities", "drop"]),
        Takes::Texts,
        Allows::With("ALL"),
        "add ALL to it",
    )
    .unset(Unset::Refused),
    FieldRule::of(
        Field::Container(Part::SecurityContext, &["capabilities", "add"]),
        Takes::Texts,
        Allows::Only(&["NET_BIND_SERVICE"]),
        "remove it",
    ),
];

pub(super) const CHECK: Check = Check {
    id: "capabilities_restricted",
    control: "Capabilities",
    level: Level::Restricted,
    replaced_by: None,
    revisions: &[
        Revision { since: 22, unless: None, rules: RULES },
        Revision { since: 25, unless: Some(Exception::Windows), rules: RULES },
    ],
};
