//! A kind with its resource.

use std::borrow::Cow;

/// A kind with its resource.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Resource {
    /// The API group; empty for the core group.
    pub group: Cow<'static, str>,
    /// The version.
    pub version: Cow<'static, str>,
    /// The kind.
    pub kind: Cow<'static, str>,
    /// The name of the resource in paths and rules, such as `pods`.
    pub plural: Cow<'static, str>,
    /// Whether the objects are in namespaces; `None` if this is not known.
    pub is_namespaced: Option<bool>,
    /// The subresources, sorted. Those of a guess are not known.
    pub subresources: Vec<Cow<'static, str>>,
    /// How the resource is known.
    pub origin: Origin,
}

/// How a resource is known.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Origin {
    /// A resource of Kubernetes 1.37.
    BuiltIn,
    /// A resource of an older version of Kubernetes, which no longer exists.
    Removed,
    /// A resource of a `CustomResourceDefinition`, whose versions have the same fields
    /// (`conversion.strategy: None`).
    Custom,
    /// A resource of a `CustomResourceDefinition`, whose versions a webhook converts.
    CustomConverted,
    /// A resource that a server serves, whose versions are of unknown fields.
    Served,
    /// A guess from the name of the kind.
    Guessed,
}

impl Resource {
    /// The API version, such as `apps/v1`.
    #[must_use]
    pub fn api_version(&self) -> String {
        if self.group.is_empty() {
            self.version.to_string()
        } else {
            format!("{}/{}", self.group, self.version)
        }
    }
}

/// Returns the name of the resource of a kind, as `UnsafeGuessKindToResource` of apimachinery
/// guesses it.
#[must_use]
pub fn guess(kind: &str) -> String {
    let singular = kind.to_lowercase();
    match singular.strip_suffix('y') {
        _ if singular.is_empty() || singular.ends_with("endpoints") => singular,
        Some(stem) => format!("{stem}ies"),
        None if singular.ends_with('s') => format!("{singular}es"),
        None => format!("{singular}s"),
    }
}
