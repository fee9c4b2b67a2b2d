//! Capabilities beyond those that container runtimes give by default.

use super::{Allows, Check, Field, FieldRule, Level, Part, Revision, Takes, capabilities_restricted};

pub(super) const CHECK: Check = Check {
    id: "capabilities_baseline",
    control: "Capabilities",
    level: Level::Baseline,
    replaced_by: Some(&capabilities_restricted::CHECK),
    revisions: &[Revision {
        since: 0,
        unless: None,
        rules: &[FieldRule::of(
            Field::Container(Part::SecurityContext, &["capabilities", "add"]),
            Takes::Texts,
            Allows::Only(&[
                "AUDIT_WRITE",
                "CHOWN",
                "DAC_OVERRIDE",
                "FOWNER",
                "FSETID",
                "KILL",
                "MKNOD",
                "NET_BIND_SERVICE",
                "SETFCAP",
                "SETGID",
                "SETPCAP",
                "SETUID",
                "SYS_CHROOT",
            ]),
            "remove it",
        )],
    }],
};
