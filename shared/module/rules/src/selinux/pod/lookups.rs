use admission::Cluster;

use crate::namespace_lookup::NamespaceLookup;

/// The look-ups for one pod. Each answer is kept, so that the cluster is asked once at most.
pub(super) struct Lookups<'a> {
    pub(super) cluster: &'a dyn Cluster,
    pub(super) namespace: NamespaceLookup<'a>,
    /// The types of installed profiles of each kind, once they are looked up.
    pub(super) profile_types: [Option<Vec<String>>; 2],
}
