//! The SELinux level of a Namespace and its origin.

use rules::selinux::level::Level;
use rules::selinux::{Origin, Owned};
use serde::Serialize;

/// The SELinux level of a Namespace.
#[derive(Clone, Debug, Serialize)]
pub struct NamespaceLevel {
    /// The name of the Namespace.
    pub namespace: String,
    /// The level; `None` if the Namespace has no level of its own.
    pub level: Option<String>,
    /// The origin of the level, or the reason for its absence.
    pub origin: LevelOrigin,
    /// The text that is hashed, or the key of the annotation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The origin as a phrase.
    pub explanation: String,
    /// Whether an annotation on the Namespace would take precedence, and the Namespace was not
    /// given.
    #[serde(skip)]
    pub is_provisional: bool,
}

/// The origin of a level.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
pub enum LevelOrigin {
    /// The hash of a key.
    Hash,
    /// An annotation of the Namespace.
    Annotation,
    /// None: the Namespace lacks the annotation that its pods need.
    MissingAnnotation,
    /// The settings, for every pod.
    Fixed,
    /// None: the container runtime picks a level for each pod.
    Runtime,
    /// None: the Namespace is exempt.
    Exempt,
    /// None: levels belong to owners within the Namespace.
    BelowNamespace,
    /// None: the level depends on the Namespace, which was not given.
    Unknown,
}

impl NamespaceLevel {
    pub(super) fn new(namespace: &str, owned: &Owned) -> Self {
        let (origin, key) = match &owned.origin {
            Origin::Hash(key) => (LevelOrigin::Hash, Some(key)),
            Origin::Annotation(key) => (LevelOrigin::Annotation, Some(key)),
            Origin::Missing(key) => (LevelOrigin::MissingAnnotation, Some(key)),
            Origin::Fixed => (LevelOrigin::Fixed, None),
            Origin::Runtime => (LevelOrigin::Runtime, None),
            Origin::Exempt => (LevelOrigin::Exempt, None),
            Origin::Below(_) => (LevelOrigin::BelowNamespace, None),
            Origin::Unknown(_) => (LevelOrigin::Unknown, None),
        };
        Self {
            namespace: namespace.to_owned(),
            level: owned.level.as_ref().map(Level::text),
            origin,
            key: key.cloned(),
            explanation: owned.origin.to_string(),
            is_provisional: false,
        }
    }
}
