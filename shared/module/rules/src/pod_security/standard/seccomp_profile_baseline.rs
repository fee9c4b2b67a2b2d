//! Running without seccomp: in annotations before v1.19, in fields since.

use super::{Allows, Check, Field, FieldRule, Level, Part, Revision, Takes, seccomp_profile_restricted};

const fn in_annotations(field: Field) -> FieldRule {
    FieldRule::of(
        field,
        Takes::Text,
        Allows::Only(&["runtime/default", "docker/default", "localhost/*"]),
        "remove it or use one of these",
    )
}

const fn in_fields(field: Field) -> FieldRule {
    FieldRule::of(
        field,
        Takes::Required,
        Allows::Only(&["RuntimeDefault", "Localhost"]),
        "remove it or use one of these",
    )
}

pub(super) const CHECK: Check = Check {
    id: "seccompProfile_baseline",
    control: "Seccomp",
    level: Level::Baseline,
    replaced_by: Some(&seccomp_profile_restricted::CHECK),
    revisions: &[
        Revision {
            since: 0,
            unless: None,
            rules: &[
                in_annotations(Field::Annotation("seccomp.security.alpha.kubernetes.io/pod")),
                in_annotations(Field::ContainerAnnotations(
                    "container.seccomp.security.alpha.kubernetes.io/",
                )),
            ],
        },
        Revision {
            since: 19,
            unless: None,
            rules: &[
                in_fields(Field::PodSecurityContext(&["seccompProfile", "type"])),
                in_fields(Field::Container(Part::SecurityContext, &["seccompProfile", "type"])),
            ],
        },
    ],
};
