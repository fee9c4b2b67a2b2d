//! The kubelet calls what a probe or a lifecycle hook names as host, from the node's network.

use super::{Allows, Check, Field, FieldRule, Level, Part, Revision, Takes};

const fn rule(part: Part, field: &'static [&'static str]) -> FieldRule {
    FieldRule::of(
        Field::Container(part, field),
        Takes::Text,
        Allows::Only(&[""]),
        "remove it, so that the pod itself is called",
    )
}

pub(super) const CHECK: Check = Check {
    id: "hostProbesAndHostLifecycle",
    control: "Host Probes / Lifecycle Hooks",
    level: Level::Baseline,
    replaced_by: None,
    revisions: &[Revision {
        since: 34,
        unless: None,
        rules: &[
            rule(Part::LivenessProbe, &["httpGet", "host"]),
            rule(Part::LivenessProbe, &["tcpSocket", "host"]),
            rule(Part::ReadinessProbe, &["httpGet", "host"]),
            rule(Part::ReadinessProbe, &["tcpSocket", "host"]),
            rule(Part::StartupProbe, &["httpGet", "host"]),
            rule(Part::StartupProbe, &["tcpSocket", "host"]),
            rule(Part::Lifecycle, &["postStart", "httpGet", "host"]),
            rule(Part::Lifecycle, &["postStart", "tcpSocket", "host"]),
            rule(Part::Lifecycle, &["preStop", "httpGet", "host"]),
            rule(Part::Lifecycle, &["preStop", "tcpSocket", "host"]),
        ],
    }],
};
