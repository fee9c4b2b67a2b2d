//! The lists of labels that nodes may set, and the denials of all others.

use admission::{Remedy, choices};

use super::rule;
use crate::label::{domain, is_within};

choices! {
    /// The list of `kubernetes.io` and `k8s.io` labels that nodes may set.
    pub enum LabelProfile {
        /// The labels of both lists.
        Union,
        /// The list of KEP-279.
        Kep279,
        /// The list of the in-tree plugin.
        InTree,
    }
}

/// The domain that is reserved for administrators, whatever the settings.
pub(super) const RESERVED: &str = "node-restriction.kubernetes.io";

/// The domains in which nodes may set only listed labels.
const RESTRICTED: [&str; 2] = ["kubernetes.io", "k8s.io"];

/// The subdomains of restricted domains in which nodes may set any label.
const UNRESTRICTED: [&str; 2] = ["kubelet.kubernetes.io", "node.kubernetes.io"];

#[derive(Clone, Copy)]
enum ListedIn {
    Both,
    Kep279,
    InTree,
}

/// The labels that nodes may set in restricted domains.
///
/// Sources: KEP-279; `kubeletLabels` of k8s.io/kubelet/pkg/apis.
const LISTED: [(&str, ListedIn); 13] = [
    ("kubernetes.io/hostname", ListedIn::Both),
    ("kubernetes.io/os", ListedIn::Both),
    ("kubernetes.io/arch", ListedIn::Both),
    ("kubernetes.io/instance-type", ListedIn::Kep279),
    ("beta.kubernetes.io/instance-type", ListedIn::Both),
    ("beta.kubernetes.io/os", ListedIn::Both),
    ("beta.kubernetes.io/arch", ListedIn::Both),
    ("failure-domain.beta.kubernetes.io/zone", ListedIn::Both),
    ("failure-domain.beta.kubernetes.io/region", ListedIn::Both),
    ("failure-domain.kubernetes.io/zone", ListedIn::Kep279),
    ("failure-domain.kubernetes.io/region", ListedIn::Kep279),
    ("topology.kubernetes.io/zone", ListedIn::InTree),
    ("topology.kubernetes.io/region", ListedIn::InTree),
];

/// The labels that every kubelet sets when it registers. If they were protected, no node could.
pub(super) const SET_BY_EVERY_KUBELET: [&str; 5] = [
    "kubernetes.io/hostname",
    "kubernetes.io/os",
    "kubernetes.io/arch",
    "beta.kubernetes.io/os",
    "beta.kubernetes.io/arch",
];

/// The addon labels that kubelets used to set, with the remedy that KEP-279 gives for each.
const ADDONS: [(&str, Remedy<&str>); 4] = [
    (
        "beta.kubernetes.io/fluentd-ds-ready",
        Remedy::in_words("remove it from --node-labels, because the addon no longer selects nodes by it"),
    ),
    (
        "beta.kubernetes.io/metadata-proxy-ready",
        Remedy::in_words("use cloud.google.com/metadata-proxy-ready"),
    ),
    (
        "beta.kubernetes.io/kube-proxy-ds-ready",
        Remedy::in_words("use node.kubernetes.io/kube-proxy-ds-ready"),
    ),
    (
        "beta.kubernetes.io/masq-agent-ds-ready",
        Remedy::in_words("use node.kubernetes.io/masq-agent-ds-ready"),
    ),
];

const ASK_FOR_LABEL: Remedy<&str> = Remedy::in_words("ask an administrator to label the Node");

pub(super) fn is_reserved(key: &str) -> bool {
    is_within(domain(key), RESERVED)
}

/// Returns whether nodes may set a label that is not reserved, with the given profile.
pub(super) fn is_allowed(key: &str, profile: LabelProfile) -> bool {
    let is_in = |domains: &[&str]| domains.iter().any(|other| is_within(domain(key), other));
    let is_in_profile = |list: ListedIn| match list {
        ListedIn::Both => true,
        ListedIn::Kep279 => profile != LabelProfile::InTree,
        ListedIn::InTree => profile != LabelProfile::Kep279,
    };
    !is_in(&RESTRICTED)
        || is_in(&UNRESTRICTED)
        || LISTED.iter().any(|(listed, list)| *listed == key && is_in_profile(*list))
}

/// The reason why a node may not set, change or remove a label.
#[derive(Clone, Copy, Debug)]
pub(super) enum Reason {
    Reserved,
    Protected,
    CreateOnly,
    /// The label is in a restricted domain and not listed.
    Unlisted,
}

/// The message that explains why a node may not set, change or remove a label.
#[derive(Clone, Copy, Debug)]
pub struct Objection {
    /// The rule, as a statement without a final period.
    pub rule: &'static str,
    /// The remedy.
    pub remedy: Remedy<&'static str>,
}

impl Reason {
    /// The id of the rule.
    pub(super) fn id(self) -> &'static str {
        match self {
            Reason::Reserved => rule::RESERVED_LABEL,
            Reason::Protected => rule::PROTECTED_LABEL,
            Reason::CreateOnly => rule::CREATE_ONLY_LABEL,
            Reason::Unlisted => rule::UNLISTED_LABEL,
        }
    }

    pub(super) fn objection(self, key: &str) -> Objection {
        let (rule, remedy) = match self {
            Reason::Reserved => (
                "only administrators may set, change or remove labels of node-restriction.kubernetes.io",
                ASK_FOR_LABEL,
            ),
            Reason::Protected => (
                "nodes may not set, change or remove this label, which the policy settings protect",
                ASK_FOR_LABEL,
            ),
            Reason::CreateOnly => (
                "nodes may set this label only when they create their Node",
                ASK_FOR_LABEL,
            ),
            Reason::Unlisted => (
                "nodes may set, change or remove only the listed labels of kubernetes.io and k8s.io",
                ADDONS.iter().find(|(addon, _)| *addon == key).map_or(
                    Remedy::in_words(
                        "use node.kubernetes.io or your own domain, or ask an administrator to label the Node",
                    ),
                    |(_, remedy)| *remedy,
                ),
            ),
        };
        Objection { rule, remedy }
    }
}
