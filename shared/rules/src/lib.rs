//! The restrictions of Portcullis.
//!
//! Each is a [`Policy`](admission::Policy) in a module of its own, on views that name the fields of
//! Kubernetes objects ([`view`]) and a few ideas that several share: [addresses](address),
//! [keys of labels and annotations](label), [label selectors](selector), [patterns](pattern),
//! [subjects](subject), [node users](caller), [Namespaces](surroundings), [warnings](summary). Nothing here knows WebAssembly or a host.

pub mod address;
pub mod caller;
pub mod external_ips;
pub mod label;
pub mod name;
pub mod node_labels;
pub mod node_pods;
pub mod pattern;
pub mod pod_security;
pub mod selector;
pub mod selinux;
pub mod subject;
pub mod summary;
pub mod surroundings;
pub mod view;

use admission::Entry;

/// Every restriction, by id.
pub const CATALOG: &[Entry] = &[
    Entry::of::<external_ips::ExternalIps>(),
    Entry::of::<node_labels::NodeLabels>(),
    Entry::of::<node_pods::NodePods>(),
    Entry::of::<pod_security::PodSecurity>(),
    Entry::of::<selinux::Selinux>(),
];

/// The restriction with an id.
#[must_use]
pub fn find(id: &str) -> Option<&'static Entry> {
    CATALOG.iter().find(|entry| entry.id == id)
}
