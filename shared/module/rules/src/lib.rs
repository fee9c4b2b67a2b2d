//! The policies of Portcullis.
//!
//! Each module below that implements [`Policy`](admission::Policy) becomes one WebAssembly module.
//! The policies read Kubernetes objects through [`view`]s, which name every field that they use,
//! and share the vocabulary of their settings: [addresses](address), [keys of labels and
//! annotations](label), [label selectors](selector), [patterns](pattern), [users and
//! groups](subject), [conditions of entries](conditions), [node users](caller), [Namespace
//! look-ups](namespace_lookup) and [warnings](summary). Nothing in this crate depends on
//! WebAssembly or on a host.

pub mod address;
pub mod caller;
pub mod conditions;
pub mod external_ips;
pub mod label;
pub mod name;
pub mod namespace_lookup;
#[cfg(test)]
mod no_cluster;
pub mod node_labels;
pub mod node_pods;
pub mod pattern;
pub mod permission;
pub mod pod_security;
pub mod selector;
pub mod selinux;
pub mod subject;
pub mod summary;
pub mod view;

use admission::PolicyEntry;

/// All policies, sorted by [`Policy::ID`](admission::Policy::ID).
pub const CATALOG: &[PolicyEntry] = &[
    PolicyEntry::of::<external_ips::ExternalIps>(),
    PolicyEntry::of::<node_labels::NodeLabels>(),
    PolicyEntry::of::<node_pods::NodePods>(),
    PolicyEntry::of::<pod_security::PodSecurity>(),
    PolicyEntry::of::<selinux::Selinux>(),
];

/// Returns the policy with the given id, such as `node-labels`, or `None` if there is no such
/// policy.
#[must_use]
pub fn find(id: &str) -> Option<&'static PolicyEntry> {
    CATALOG.iter().find(|entry| entry.id == id)
}
