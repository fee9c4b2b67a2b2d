//! The Namespaces of the cluster, and the levels that they have.

use std::sync::Arc;

use admission::{Cluster, Fault, List, Shape};

use super::level::Level;
use crate::view::Namespace;

/// A Namespace of the cluster that has a level.
pub(super) struct Holder {
    pub(super) name: String,
    /// The key that its level is hashed from if it has no level of its own. Namespaces with the
    /// same key may have the same level.
    pub(super) key: String,
    pub(super) level: Level,
}

/// Makes a holder of a Namespace with a name, unless it has no level.
type Read<'r> = dyn Fn(&str, Namespace<'_>) -> Result<Option<Holder>, Fault> + 'r;

/// Lists the Namespaces and returns those that `read` makes holders of. `read` must depend on
/// nothing but the settings.
pub(super) fn holders(
    cluster: &dyn Cluster,
    shape: Shape<'_>,
    read: &Read<'_>,
) -> Result<Arc<Vec<Holder>>, Fault> {
    let list = List { api_version: "v1", kind: "Namespace", namespace: None, shape };
    list.collect(cluster, &mut |item| {
        let namespace = Namespace::of(item);
        read(namespace.metadata().name().text()?.unwrap_or_default(), namespace)
    })
}

/// Returns the name of a Namespace that has a level although its name and its key are other ones:
/// the first by name, because the cluster lists Namespaces in any order.
pub(super) fn other<'h>(holders: &'h [Holder], name: &str, key: &str, level: &Level) -> Option<&'h str> {
    let is_other = |holder: &&Holder| holder.level == *level && holder.key != key && holder.name != name;
    holders.iter().filter(is_other).map(|holder| holder.name.as_str()).min()
}
