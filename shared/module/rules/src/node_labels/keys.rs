//! The lists of labels, and what to do about a label that is on none.

use super::LabelProfile;
use crate::label::{domain, is_within};

/// The domain that no setting opens.
pub(super) const RESERVED: &str = "node-restriction.kubernetes.io";

/// The domains in which nodes may set what is listed and nothing else.
const BOUNDED: [&str; 2] = ["kubernetes.io", "k8s.io"];

/// The domains within them that are the nodes' own.
const OWN: [&str; 2] = ["kubelet.kubernetes.io", "node.kubernetes.io"];

/// Which list has a label.
#[derive(Clone, Copy)]
enum On {
    Both,
    Kep279,
    InTree,
}

/// The labels that nodes may set outside their own domains: those of the document, and those of
/// `kubeletLabels` in k8s.io/kubelet/pkg/apis.
const LISTED: [(&str, On); 13] = [
    ("kubernetes.io/hostname", On::Both),
    ("kubernetes.io/os", On::Both),
    ("kubernetes.io/arch", On::Both),
    ("kubernetes.io/instance-type", On::Kep279),
    ("beta.kubernetes.io/instance-type", On::Both),
    ("beta.kubernetes.io/os", On::Both),
    ("beta.kubernetes.io/arch", On::Both),
    ("failure-domain.beta.kubernetes.io/zone", On::Both),
    ("failure-domain.beta.kubernetes.io/region", On::Both),
    ("failure-domain.kubernetes.io/zone", On::Kep279),
    ("failure-domain.kubernetes.io/region", On::Kep279),
    ("topology.kubernetes.io/zone", On::InTree),
    ("topology.kubernetes.io/region", On::InTree),
];

/// What every kubelet sets when it registers: without these there is no node.
pub(super) const INDISPENSABLE: [&str; 5] = [
    "kubernetes.io/hostname",
    "kubernetes.io/os",
    "kubernetes.io/arch",
    "beta.kubernetes.io/os",
    "beta.kubernetes.io/arch",
];

/// The labels of addons that kubelets used to set, and what the document says of each.
const ADDONS: [(&str, &str); 4] = [
    (
        "beta.kubernetes.io/fluentd-ds-ready",
        "drop it from --node-labels, as the addon no longer selects nodes by it",
    ),
    ("beta.kubernetes.io/metadata-proxy-ready", "use cloud.google.com/metadata-proxy-ready"),
    ("beta.kubernetes.io/kube-proxy-ds-ready", "use node.kubernetes.io/kube-proxy-ds-ready"),
    ("beta.kubernetes.io/masq-agent-ds-ready", "use node.kubernetes.io/masq-agent-ds-ready"),
];

/// Whether a label is reserved for administrators.
pub(super) fn is_reserved(key: &str) -> bool {
    is_within(domain(key), RESERVED)
}

/// Whether nodes may set a label that is not reserved.
pub(super) fn may_be_set(key: &str, profile: LabelProfile) -> bool {
    let is_in = |domains: &[&str]| domains.iter().any(|other| is_within(domain(key), other));
    let on_list = |on: On| match on {
        On::Both => true,
        On::Kep279 => profile != LabelProfile::InTree,
        On::InTree => profile != LabelProfile::Kep279,
    };
    !is_in(&BOUNDED) || is_in(&OWN) || LISTED.iter().any(|(known, on)| *known == key && on_list(*on))
}

/// Why a node may not set, change or remove a label.
#[derive(Clone, Copy, Debug)]
pub(super) enum Reason {
    /// It is reserved for administrators.
    Reserved,
    /// The settings protect it.
    Protected,
    /// It is on no list.
    Unlisted,
}

/// Why a node may not set, change or remove a label, in words.
#[derive(Clone, Copy, Debug)]
pub struct Objection {
    /// The rule.
    pub rule: &'static str,
    /// What to do instead.
    pub remedy: &'static str,
}

impl Reason {
    pub(super) fn objection(self, key: &str) -> Objection {
        let (rule, remedy) = match self {
            Reason::Reserved => (
                "only administrators may set, change or remove labels of node-restriction.kubernetes.io",
                "let an administrator label the Node",
            ),
            Reason::Protected => (
                "the settings protect this label, and nodes may not set, change or remove it",
                "let an administrator label the Node",
            ),
            Reason::Unlisted => (
                "not among the labels of kubernetes.io and k8s.io that nodes may set, change or remove",
                ADDONS.iter().find(|(addon, _)| *addon == key).map_or(
                    "use node.kubernetes.io or a domain of your own, or let an administrator label the Node",
                    |(_, successor)| successor,
                ),
            ),
        };
        Objection { rule, remedy }
    }
}
