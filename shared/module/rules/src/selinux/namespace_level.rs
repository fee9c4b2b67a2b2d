//! Levels of Namespaces: the one in an annotation, and the one that the name or a label hashes to.

use admission::Fault;

use super::level::Level;
use super::settings::Allocation;
use super::text::filled;
use crate::view::Namespace;

/// The level of a Namespace without an annotation.
pub(super) fn hashed(allocation: &Allocation, namespace: &str) -> Level {
    allocation.pool.level(&hash_key(allocation, namespace))
}

/// The key that the level of a Namespace is hashed from: `group:NAME` or `namespace:NAME`.
pub(super) fn hash_key(allocation: &Allocation, namespace: &str) -> String {
    match allocation.group(namespace) {
        Some(group) => ["group:", group].concat(),
        None => ["namespace:", namespace].concat(),
    }
}

/// The key that the level of a Namespace is hashed from: `label:KEY=VALUE` under
/// [`OwnerScope::NamespaceLabel`](super::OwnerScope::NamespaceLabel). The key from its name if the
/// label is absent or empty, and under other scopes.
pub(super) fn label_key(
    allocation: &Allocation,
    name: &str,
    namespace: Namespace<'_>,
) -> Result<String, Fault> {
    if let Some(label) = allocation.namespace_label.as_deref()
        && let Some(value) = filled(namespace.metadata().labels().entry(label)?)?
    {
        return Ok(["label:", label, "=", value].concat());
    }
    Ok(hash_key(allocation, name))
}

/// The level in the annotations of a Namespace, with the key of the annotation. A text that is not
/// a level with the right number of categories is a fault.
pub(super) fn annotated<'a>(
    allocation: &'a Allocation,
    namespace: Namespace<'_>,
) -> Result<Option<(&'a str, Level)>, Fault> {
    let annotations = namespace.metadata().annotations();
    for key in &allocation.annotations {
        if let Some(at) = annotations.entry(key)?
            && let Some(text) = at.filled_text()?
        {
            let level = Level::parse(text).and_then(|level| allocation.pool.validated(level));
            return level.map(|level| Some((key.as_str(), level))).map_err(|problem| at.fault(problem));
        }
    }
    Ok(None)
}
