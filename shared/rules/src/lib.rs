//! The restrictions of Portcullis.
//!
//! Each is a [`Policy`](admission::Policy) in a module of its own, on views that name the fields of
//! Kubernetes objects ([`view`]) and a few ideas that several share: [addresses](address),
//! [label selectors](selector), [subjects](subject). Nothing here knows WebAssembly or a host.

pub mod address;
pub mod external_ips;
pub mod name;
pub mod selector;
pub mod subject;
pub mod view;

use admission::Entry;

/// Every restriction, by id.
pub const CATALOG: &[Entry] = &[Entry::of::<external_ips::ExternalIps>()];

/// The restriction with an id.
#[must_use]
pub fn find(id: &str) -> Option<&'static Entry> {
    CATALOG.iter().find(|entry| entry.id == id)
}
