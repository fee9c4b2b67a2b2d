//! The namespaces of the node show and reach what other pods do.

use super::{Allows, Check, Field, FieldRule, Level, Revision, Takes};

const fn rule(field: &'static [&'static str]) -> FieldRule {
    FieldRule::of(Field::Pod(field), Takes::Flag, Allows::Only(&["false"]), "remove it")
}

pub(super) const CHECK: Check = Check {
    id: "hostNamespaces",
    control: "Host Namespaces",
    level: Level::Baseline,
    replaced_by: None,
    revisions: &[Revision {
        since: 0,
        unless: None,
        rules: &[rule(&["hostNetwork"]), rule(&["hostPID"]), rule(&["hostIPC"])],
    }],
};
