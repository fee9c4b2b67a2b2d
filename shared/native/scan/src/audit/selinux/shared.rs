//! Levels that several Namespaces share unintentionally.

use std::collections::BTreeMap;

use rules::selinux::Owned;

use super::{NamespaceLevel, NamespaceOwners, SharedLevel, is_of_namespace};

/// Finds levels that belong to more than one owner.
///
/// Namespaces of one group or with the same label have one owner: they share their level on
/// purpose.
pub(super) fn find(owners: &NamespaceOwners) -> Vec<SharedLevel> {
    let mut by_level: BTreeMap<String, Vec<(&str, &Owned)>> = BTreeMap::new();
    for (name, owned) in owners.iter().filter(|(_, owned)| is_of_namespace(owned)) {
        if let Some(level) = &owned.level {
            by_level.entry(level.text()).or_default().push((name, owned));
        }
    }
    let has_several_owners = |namespaces: &[(&str, &Owned)]| match namespaces {
        [(_, first), rest @ ..] => rest.iter().any(|(_, owned)| owned.owner != first.owner),
        [] => false,
    };
    let shared = |(level, namespaces): (String, Vec<(&str, &Owned)>)| SharedLevel {
        level,
        namespaces: namespaces.iter().map(|(name, owned)| NamespaceLevel::new(name, owned)).collect(),
    };
    by_level.into_iter().filter(|(_, namespaces)| has_several_owners(namespaces)).map(shared).collect()
}
