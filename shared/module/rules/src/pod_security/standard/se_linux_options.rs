//! `SELinux` types other than those of containers, and any user or role; levels are free.

use super::{Allows, Check, Field, FieldRule, Level, Part, Revision, Takes};

const fn one_of(field: Field, types: &'static [&'static str]) -> FieldRule {
    FieldRule::of(field, Takes::Text, Allows::Only(types), "remove it or use one of these")
}

const fn none(field: Field) -> FieldRule {
    FieldRule::of(field, Takes::Text, Allows::Only(&[""]), "remove it")
}

const fn since(minor: u8, rules: &'static [FieldRule]) -> Revision {
    Revision { since: minor, unless: None, rules }
}

const POD_TYPE: Field = Field::PodSecurityContext(&["seLinuxOptions", "type"]);
const POD_USER: Field = Field::PodSecurityContext(&["seLinuxOptions", "user"]);
const POD_ROLE: Field = Field::PodSecurityContext(&["seLinuxOptions", "role"]);
const TYPE: Field = Field::Container(Part::SecurityContext, &["seLinuxOptions", "type"]);
const USER: Field = Field::Container(Part::SecurityContext, &["seLinuxOptions", "user"]);
const ROLE: Field = Field::Container(Part::SecurityContext, &["seLinuxOptions", "role"]);

const V0: &[&str] = &["", "container_t", "container_init_t", "container_kvm_t"];
const V31: &[&str] = &["", "container_t", "container_init_t", "container_kvm_t", "container_engine_t"];

pub(super) const CHECK: Check = Check {
    id: "seLinuxOptions",
    control: "SELinux",
    level: Level::Baseline,
    replaced_by: None,
    revisions: &[
        since(
            0,
            &[one_of(POD_TYPE, V0), none(POD_USER), none(POD_ROLE), one_of(TYPE, V0), none(USER), none(ROLE)],
        ),
        since(
            31,
            &[
                one_of(POD_TYPE, V31),
                none(POD_USER),
                none(POD_ROLE),
                one_of(TYPE, V31),
                none(USER),
                none(ROLE),
            ],
        ),
    ],
};
