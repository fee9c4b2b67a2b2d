//! The restrictions of Portcullis.
//!
//! Each is a [`Policy`](admission::Policy) in a module of its own, on views that name the fields of
//! Kubernetes objects ([`view`]) and a few ideas that several share: [addresses](address),
//! [keys of labels and annotations](label), [label selectors](selector), [patterns](pattern),
//! [subjects](subject), [node users](caller), [Namespaces](namespace_lookup), [warnings](summary). Nothing here knows WebAssembly or a host.

pub mod address;
pub mod caller;
pub mod external_ips;
pub mod label;
pub mod name;
pub mod namespace_lookup;
pub mod node_labels;
pub mod node_pods;
pub mod pattern;
pub mod pod_security;
pub mod selector;
pub mod selinux;
pub mod subject;
pub mod summary;
pub mod view;

use admission::PolicyEntry;

/// Every restriction, by id.
pub const CATALOG: &[PolicyEntry] = &[
    PolicyEntry::of::<external_ips::ExternalIps>(),
    PolicyEntry::of::<node_labels::NodeLabels>(),
    PolicyEntry::of::<node_pods::NodePods>(),
    PolicyEntry::of::<pod_security::PodSecurity>(),
    PolicyEntry::of::<selinux::Selinux>(),
];

/// The restriction with an id.
#[must_use]
pub fn find(id: &str) -> Option<&'static PolicyEntry> {
    CATALOG.iter().find(|entry| entry.id == id)
}
