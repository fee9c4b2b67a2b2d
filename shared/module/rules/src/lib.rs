//! The policies of Portcullis.
//!
//! Each module below that implements [`Policy`](admission::Policy) becomes one WebAssembly module.
//! The policies read Kubernetes objects through [`view`]s, which name every field that they use,
//! and share the vocabulary of their settings, such as [addresses](address), [keys of labels and
//! annotations](label) and [patterns](pattern). Nothing in this crate depends on WebAssembly or on
//! a host.

// A module that panics cannot report why.
#![deny(clippy::arithmetic_side_effects, clippy::expect_used, clippy::indexing_slicing)]

pub mod address;
mod caller;
mod conditions;
pub mod external_ips;
pub mod label;
pub mod name;
mod namespace_lookup;
#[cfg(test)]
mod no_cluster;
pub mod node_labels;
pub mod node_pods;
pub mod pattern;
mod permission;
pub mod pod_security;
mod rule_ids;
mod selector;
pub mod selinux;
mod subject;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_of_a_rule_is_listed() {
        let ids = CATALOG.iter().flat_map(|entry| entry.rules.iter().map(|(id, _)| (entry.id, *id)));
        let mut ids: Vec<String> = ids.map(|(policy, id)| format!("{policy}/{id}")).collect();
        ids.sort();
        let lines = || include_str!("../rules.txt").lines().filter(|line| !line.starts_with('#'));
        let (retired, listed): (Vec<&str>, Vec<&str>) = lines().partition(|line| line.ends_with(" retired"));
        assert_eq!(ids, listed, "rules.txt has every rule; add ids, and never change one");
        let is_used = |line: &&str| listed.contains(&line.trim_end_matches(" retired"));
        assert_eq!(retired.into_iter().find(is_used), None);
    }

    #[test]
    fn a_rule_has_a_name() {
        let name_of = |policy, check| find(policy).and_then(|entry| entry.name_of(check));
        assert_eq!(name_of("pod-security", "hostPorts"), Some("Host Ports"));
        assert_eq!(name_of("pod-security", "hostPort"), None);
        assert_eq!(name_of("selinux", "hostPorts"), None);
    }
}
