//! The kubelet runs probes and lifecycle hooks from the network of the node, so a pod must not name
//! the host that they call.
//!
//! **Control:** `Host Probes / Lifecycle Hooks`, level `baseline`
//!
//! **Since v1.34**
//!
//! Restricted fields:
//! - `container.livenessProbe.httpGet.host`
//! - `container.livenessProbe.tcpSocket.host`
//! - `container.readinessProbe.httpGet.host`
//! - `container.readinessProbe.tcpSocket.host`
//! - `container.startupProbe.httpGet.host`
//! - `container.startupProbe.tcpSocket.host`
//! - `container.lifecycle.postStart.httpGet.host`
//! - `container.lifecycle.postStart.tcpSocket.host`
//! - `container.lifecycle.preStop.httpGet.host`
//! - `container.lifecycle.preStop.tcpSocket.host`
//!
//! Allowed values: none; must be unset or empty
//!
//! Source: `policy/check_hostProbesAndhostLifecycle.go` in k8s.io/pod-security-admission,
//! <https://kubernetes.io/docs/concepts/security/pod-security-standards/>

use super::{Allowed, Check, Field, FieldRule, Level, Part, Remedy, Revision, ValueType};

const fn host(part: Part, field: &'static [&'static str]) -> FieldRule {
    FieldRule::of(
        Field::Container(part, field),
        ValueType::Text,
        Allowed::Only(&[""]),
        Remedy::REMOVE.and(", so that the kubelet calls the pod itself"),
    )
}

pub(super) const CHECK: Check = Check {
    id: "hostProbesAndHostLifecycle",
    control: "Host Probes / Lifecycle Hooks",
    level: Level::Baseline,
    superseded_by: None,
    revisions: &[Revision::since(
        34,
        &[
            host(Part::LivenessProbe, &["httpGet", "host"]),
            host(Part::LivenessProbe, &["tcpSocket", "host"]),
            host(Part::ReadinessProbe, &["httpGet", "host"]),
            host(Part::ReadinessProbe, &["tcpSocket", "host"]),
            host(Part::StartupProbe, &["httpGet", "host"]),
            host(Part::StartupProbe, &["tcpSocket", "host"]),
            host(Part::Lifecycle, &["postStart", "httpGet", "host"]),
            host(Part::Lifecycle, &["postStart", "tcpSocket", "host"]),
            host(Part::Lifecycle, &["preStop", "httpGet", "host"]),
            host(Part::Lifecycle, &["preStop", "tcpSocket", "host"]),
        ],
    )],
};
