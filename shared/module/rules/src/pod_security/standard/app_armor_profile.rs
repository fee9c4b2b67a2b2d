//! AppArmor profiles, in fields and in the annotations that came before them, at every version.

use super::{Allows, Check, Field, FieldRule, Level, Part, Revision, Takes};

const fn rule(field: Field) -> FieldRule {
    FieldRule::of(
        field,
        Takes::Required,
        Allows::Only(&["RuntimeDefault", "Localhost"]),
        "remove it or use one of these",
    )
}

pub(super) const CHECK: Check = Check {
    id: "appArmorProfile",
    control: "AppArmor",
    level: Level::Baseline,
    replaced_by: None,
    revisions: &[Revision {
        since: 0,
        unless: None,
        rules: &[
            rule(Field::PodSecurityContext(&["appArmorProfile", "type"])),
            rule(Field::Container(Part::SecurityContext, &["appArmorProfile", "type"])),
            FieldRule::of(
                Field::Annotations("container.apparmor.security.beta.kubernetes.io/"),
                Takes::Text,
                Allows::Only(&["", "runtime/default", "localhost/*"]),
                "remove it or use one of these",
            ),
        ],
    }],
};
