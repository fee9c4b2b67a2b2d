//! Kinds and their resources.
//!
//! Rules of webhooks name resources and scopes, and manifests name kinds. [`Kinds`] knows those of
//! Kubernetes and of `CustomResourceDefinition`s, and says when it only guesses.
//!
//! ```
//! use kubernetes::kinds::{Kinds, Origin};
//!
//! let kinds = Kinds::default();
//! let ingress = kinds.resource("networking.k8s.io/v1", "Ingress");
//! assert_eq!((&*ingress.plural, ingress.is_namespaced), ("ingresses", Some(true)));
//! let unknown = kinds.resource("example.com/v1", "Factory");
//! assert_eq!((&*unknown.plural, unknown.origin), ("factories", Origin::Guessed));
//! ```

mod built_in;
mod definition;
mod equivalence;
mod misspelt;
mod not_served;
mod resource;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::Value;

use built_in::{BUILT_IN, BY_KIND};
pub use definition::DefinitionError;
use definition::GroupKind;
pub use misspelt::{misspelt, misspelt_group, misspelt_resource};
pub use not_served::not_served;
pub use resource::{Origin, Resource, guess};

/// Returns the resources that Kubernetes 1.37 serves.
pub fn served() -> impl Iterator<Item = &'static Resource> {
    BUILT_IN.iter().filter(|resource| resource.origin == Origin::BuiltIn)
}

/// The known kinds: those of Kubernetes, and those of `CustomResourceDefinition`s.
#[derive(Clone, Debug, Default)]
pub struct Kinds {
    custom: BTreeMap<GroupKind, Vec<Resource>>,
}

impl Kinds {
    /// Reads a `CustomResourceDefinition`: each version that is served becomes a known resource. A
    /// later definition of the same kind replaces an earlier one, and none changes a kind of
    /// Kubernetes. Returns whether the object is a `CustomResourceDefinition`.
    ///
    /// # Errors
    /// A field that is missing or malformed, with its path.
    pub fn add_definition(&mut self, definition: &Value) -> Result<bool, DefinitionError> {
        let Some((kind, resources)) = definition::read(definition)? else { return Ok(false) };
        let (group, name) = &kind;
        if !is_built_in(group, name) {
            self.custom.insert(kind, resources);
        }
        Ok(true)
    }

    /// Adds a resource that a server serves, unless its kind is known.
    pub fn add_served(&mut self, resource: Resource) {
        let Resource { group, kind, version, .. } = &resource;
        if is_built_in(group, kind) {
            return;
        }
        let versions = self.custom.entry((group.to_string(), kind.to_string())).or_default();
        if versions.iter().all(|known| known.version != *version) {
            versions.push(Resource { origin: Origin::Served, ..resource });
        }
    }

    /// Adds the kinds that others know, unless they are known.
    pub fn extend(&mut self, others: Self) {
        let known = std::mem::replace(&mut self.custom, others.custom);
        self.custom.extend(known);
    }

    /// Returns the resource of a kind. A kind that is not known is guessed.
    #[must_use]
    pub fn resource(&self, api_version: &str, kind: &str) -> Cow<'_, Resource> {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        let custom = self.custom.get(&(group.to_owned(), kind.to_owned())).into_iter().flatten();
        let built_in = BY_KIND.get(&(group, kind)).into_iter().flatten().copied();
        let mut known = built_in.chain(custom);
        if let Some(exact) = known.clone().find(|one| one.version == version) {
            return Cow::Borrowed(exact);
        }
        // Another version of a known kind has the same resource and scope.
        let other = known.next();
        Cow::Owned(Resource {
            group: group.to_owned().into(),
            version: version.to_owned().into(),
            kind: kind.to_owned().into(),
            plural: other.map_or_else(|| guess(kind).into(), |other| other.plural.clone()),
            is_namespaced: other.and_then(|other| other.is_namespaced),
            subresources: other.map(|other| other.subresources.clone()).unwrap_or_default(),
            origin: Origin::Guessed,
        })
    }

    /// Returns the kind of Kubernetes with a resource in the plural.
    #[must_use]
    pub fn of_plural(&self, group: &str, version: &str, plural: &str) -> Option<&Resource> {
        let is = |one: &&Resource| one.group == group && one.version == version && one.plural == plural;
        BUILT_IN.iter().find(is)
    }

    /// Returns whether several groups serve the resource.
    #[must_use]
    pub fn is_cohabiting(plural: &str) -> bool {
        equivalence::groups_of(plural).is_some()
    }

    /// Returns whether two groups serve a resource from one storage, so that each object is in
    /// both.
    #[must_use]
    pub fn cohabit(plural: &str, one: &str, other: &str) -> bool {
        let groups = equivalence::groups_of(plural);
        groups.is_some_and(|groups| groups.contains(&one) && groups.contains(&other))
    }

    /// Returns whether a group is one whose versions are known.
    #[must_use]
    pub fn knows_group(&self, group: &str) -> bool {
        // Groups without a dot cannot be defined by others.
        !group.contains('.')
            || BUILT_IN.iter().any(|one| one.group == group)
            || self.custom.keys().any(|(known, _)| known == group)
    }

    /// Returns the other resources with the same objects, with whether a conversion to them changes
    /// `apiVersion` alone. A server that has a current resource has none that was removed. Of those
    /// that were removed long ago, none is converted.
    pub fn equivalents<'k>(
        &'k self,
        group: &'k str,
        version: &'k str,
        plural: &'k str,
    ) -> impl Iterator<Item = (&'k Resource, bool)> {
        let groups = equivalence::groups_of(plural).filter(|groups| groups.contains(&group));
        let is_asked =
            move |one: &Resource| (&*one.group, &*one.version, &*one.plural) == (group, version, plural);
        let is_old = BUILT_IN.iter().any(|one| one.origin == Origin::Removed && is_asked(one));
        let is_equivalent = move |other: &&'k Resource| {
            let group_fits = other.group == group || groups.is_some_and(|all| all.contains(&&*other.group));
            let exists = is_old || other.origin != Origin::Removed;
            other.plural == plural && group_fits && exists && !is_asked(other)
        };
        // At most one definition has this group and plural, so the order of the map does not
        // matter.
        let custom = self.custom.values().flatten();
        let is_gone = equivalence::is_gone(group, version, plural);
        let equivalents = BUILT_IN.iter().chain(custom).filter(is_equivalent).map(move |other| {
            let is_same = match other.origin {
                Origin::Custom => true,
                Origin::CustomConverted | Origin::Guessed | Origin::Served => false,
                Origin::BuiltIn | Origin::Removed => {
                    other.group == group
                        && equivalence::has_same_fields(group, plural, version, &other.version)
                }
            };
            (other, is_same)
        });
        equivalents.filter(move |(_, is_same)| *is_same || !is_gone)
    }
}

fn is_built_in(group: &str, kind: &str) -> bool {
    BY_KIND.contains_key(&(group, kind))
}
