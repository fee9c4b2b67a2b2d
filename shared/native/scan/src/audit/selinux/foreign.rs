//! Levels that reach those of other Namespaces.

use std::collections::BTreeMap;

use rules::selinux::Owned;
use rules::selinux::level::Level;

use super::{ForeignLevel, NamespaceOwners, ObjectReference, is_of_namespace};

/// A level that a pod or a pod template sets.
pub(super) struct SetLevel {
    pub(super) object: ObjectReference,
    pub(super) path: String,
    pub(super) level: String,
}

/// A Namespace whose files a level reaches.
struct ReachedNamespace<'o> {
    name: &'o str,
    owned: &'o Owned,
    is_equal: bool,
}

/// Finds the levels that reach the files of other Namespaces.
pub(super) fn find(levels: Vec<SetLevel>, owners: &NamespaceOwners) -> Vec<ForeignLevel> {
    // Many pods set the same level.
    let mut reached_by: BTreeMap<String, Vec<ReachedNamespace<'_>>> = BTreeMap::new();
    let mut foreign = Vec::new();
    for SetLevel { object, path, level: text } in levels {
        let own = owners.get(&object.namespace);
        // Text that is not a level is denied by the policy and rejected by the runtime.
        let Ok(level) = Level::parse(&text) else { continue };
        if own.is_some_and(|own| own.level.as_ref() == Some(&level)) {
            continue;
        }
        let reached = reached_by.entry(level.text()).or_insert_with(|| reached_namespaces(&level, owners));
        let others: Vec<&ReachedNamespace<'_>> =
            reached.iter().filter(|other| own.is_none_or(|own| own.owner != other.owned.owner)).collect();
        if !others.is_empty() {
            foreign.push(ForeignLevel {
                object,
                path,
                level: text,
                reaches: others.iter().map(|other| other.name.to_owned()).collect(),
                equal: others.iter().all(|other| other.is_equal),
            });
        }
    }
    foreign
}

fn reached_namespaces<'o>(level: &Level, owners: &'o NamespaceOwners) -> Vec<ReachedNamespace<'o>> {
    let reached = |(name, owned): (&'o String, &'o Owned)| {
        let other = owned.level.as_ref().filter(|other| level.reaches(other))?;
        Some(ReachedNamespace { name, owned, is_equal: level == other })
    };
    owners.iter().filter(|(_, owned)| is_of_namespace(owned)).filter_map(reached).collect()
}
