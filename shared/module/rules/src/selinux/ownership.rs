//! The levels that Namespaces own and pods set, for tools that examine a whole cluster.

use std::fmt;

use admission::{Fault, Node, SettingsError};

use super::level::Level;
use super::namespace_level::{annotated, hash_key, hashed, label_key};
use super::pod::Site;
use super::policy::Selinux;
use super::pool::PROBES;
use super::settings::{OwnerScope, Settings, Source};
use crate::view::{Namespace, Pod};

/// The rules by which Namespaces own levels.
///
/// # Example
/// ```
/// use rules::selinux::Ownership;
///
/// let ownership = Ownership::configure(br#"{"allocation": {"salt": "blue"}}"#)?;
/// let owned = ownership.of("team-a", None)?;
/// assert_eq!(owned.level.unwrap().text(), "s0:c774,c995");
/// assert_eq!(owned.origin.to_string(), "hash of namespace:team-a");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Ownership(Settings);

/// The level of a Namespace.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Owned {
    /// `None` if the Namespace owns no level or its level is not known.
    pub level: Option<Level>,
    /// The reason for the level or for its absence.
    pub origin: Origin,
    /// The key of the owner, such as `group:shop`. Namespaces with the same key share a level on
    /// purpose.
    pub owner: String,
}

/// The origin of a Namespace's level, or the reason why it has none.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Origin {
    /// The hash of this key.
    Hash(String),
    /// The annotation with this key.
    Annotation(String),
    /// The settings, which give every pod the same level.
    Fixed,
    /// None: the runtime draws a level for each pod.
    Runtime,
    /// None: the Namespace is exempt, and the runtime draws a level for each pod.
    Exempt,
    /// None: the owners are smaller than a Namespace.
    Below(OwnerScope),
    /// None: the Namespace lacks an annotation with this key, and its pods are denied.
    Missing(String),
    /// Not known: this decides, and the Namespace object was not given.
    Unknown(&'static str),
}

impl Ownership {
    /// Reads the settings of the policy, as JSON.
    ///
    /// # Errors
    /// The first setting that is not valid, with its path.
    pub fn configure(settings: &[u8]) -> Result<Self, SettingsError> {
        admission::configure::<Selinux>(settings).map(|Selinux(settings)| Self(settings))
    }

    /// The same rules with annotations as the source, for Namespaces that are to be annotated.
    ///
    /// # Errors
    /// The reason why Namespaces own no levels under these settings, with a remedy.
    ///
    /// # Example
    /// ```
    /// use rules::selinux::Ownership;
    ///
    /// let runtime = Ownership::configure(br#"{"allocation": {"source": "Runtime"}}"#)?;
    /// assert!(runtime.by_annotation().is_err());
    /// let hash = Ownership::configure(b"{}")?.by_annotation()?;
    /// assert_eq!(hash.annotation(), "portcullis.dev/selinux-level");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn by_annotation(self) -> Result<Self, &'static str> {
        let Self(mut settings) = self;
        let allocation = &mut settings.allocation;
        match (allocation.source, allocation.scope) {
            (Source::NamespaceAnnotation, _) => {}
            (Source::Hash, OwnerScope::Namespace) => allocation.source = Source::NamespaceAnnotation,
            (Source::Hash, _) => {
                return Err(
                    "allocation.scope: is not Namespace, so Namespaces need no annotations; remove it",
                );
            }
            (Source::Runtime | Source::Fixed, _) => {
                return Err("allocation.source: gives Namespaces no levels; set NamespaceAnnotation");
            }
        }
        if allocation.annotations.is_empty() {
            return Err("allocation.annotations: is empty, so no Namespace has a level; list a key");
        }
        Ok(Self(settings))
    }

    /// The key of the annotation that the policy writes.
    #[must_use]
    pub fn annotation(&self) -> &str {
        let Self(Settings { allocation, .. }) = self;
        allocation.annotations.first().map_or("", String::as_str)
    }

    /// The levels that the policy would try for a Namespace, in order. The first is the hashed
    /// level.
    #[must_use]
    pub fn candidates(&self, name: &str) -> Vec<Level> {
        let Self(Settings { allocation, .. }) = self;
        let key = hash_key(allocation, name);
        (0..PROBES).filter_map(|number| allocation.pool.probe(&key, number)).collect()
    }

    /// Whether a Namespace is in one of `allocation.sharedGroups`, whose name determines its level.
    #[must_use]
    pub fn is_in_group(&self, name: &str) -> bool {
        let Self(Settings { allocation, .. }) = self;
        allocation.group(name).is_some()
    }

    /// Whether a level gives access to the files of `levels.extra`.
    #[must_use]
    pub fn reaches_extra(&self, level: &Level) -> bool {
        let Self(Settings { allocation, .. }) = self;
        allocation.pool.excluded.iter().any(|extra| level.reaches(extra))
    }

    /// The level of the Namespace with this name. Some settings also need the Namespace object, see
    /// [`Ownership::reads_namespaces`].
    ///
    /// # Errors
    /// A label or an annotation that cannot be read, and an annotation that is not a level.
    pub fn of(&self, name: &str, namespace: Option<Namespace<'_>>) -> Result<Owned, Fault> {
        let Self(Settings { allocation, exempt, .. }) = self;
        let owned = |level, origin| Owned { level, origin, owner: hash_key(allocation, name) };
        // An annotation reserves the level even if the Namespace is exempt.
        if allocation.source == Source::NamespaceAnnotation
            && let Some(namespace) = namespace
            && let Some((key, level)) = annotated(allocation, namespace)?
        {
            return Ok(owned(Some(level), Origin::Annotation(key.to_owned())));
        }
        if exempt.has_namespace(name) {
            return Ok(owned(None, Origin::Exempt));
        }
        Ok(match (allocation.source, allocation.scope) {
            (Source::Fixed, _) if allocation.fixed.level.is_some() => {
                let level = allocation.fixed.level.clone();
                Owned { level, origin: Origin::Fixed, owner: String::new() }
            }
            (Source::Runtime | Source::Fixed, _) => owned(None, Origin::Runtime),
            (Source::NamespaceAnnotation, _) if !allocation.hashes(name) => {
                let key = allocation.annotations.first().cloned().unwrap_or_default();
                let origin = if namespace.is_some() {
                    Origin::Missing(key)
                } else {
                    Origin::Unknown("its annotations decide")
                };
                owned(None, origin)
            }
            (Source::NamespaceAnnotation, _) | (Source::Hash, OwnerScope::Namespace) => {
                let origin = Origin::Hash(hash_key(allocation, name));
                owned(Some(hashed(allocation, name)), origin)
            }
            (Source::Hash, OwnerScope::NamespaceLabel) => match namespace {
                None => owned(None, Origin::Unknown("its labels decide")),
                Some(namespace) => {
                    let key = label_key(allocation, name, namespace)?;
                    let level = Some(allocation.pool.level(&key));
                    Owned { level, origin: Origin::Hash(key.clone()), owner: key }
                }
            },
            (Source::Hash, scope) => owned(None, Origin::Below(scope)),
        })
    }

    /// Whether the level can depend on the Namespace object.
    #[must_use]
    pub fn reads_namespaces(&self) -> bool {
        let Self(Settings { allocation, .. }) = self;
        allocation.reads_namespace()
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hash(key) => write!(f, "hash of {key}"),
            Self::Annotation(key) => write!(f, "annotation {key}"),
            Self::Fixed => f.write_str("allocation.fixed.level, for every pod"),
            Self::Runtime => f.write_str("the runtime draws one for each pod"),
            Self::Exempt => f.write_str("exempt; the runtime draws one for each pod"),
            Self::Below(scope) => {
                let owners = match scope {
                    OwnerScope::ServiceAccount => "service accounts",
                    OwnerScope::Workload => "workloads",
                    OwnerScope::StatefulPod => "single pods",
                    OwnerScope::Namespace | OwnerScope::NamespaceLabel => "Namespaces",
                };
                write!(f, "{owners} own levels; the Namespace alone does not determine them")
            }
            Self::Missing(key) => write!(f, "its pods are denied until it is annotated with {key}"),
            Self::Unknown(what) => f.write_str(what),
        }
    }
}

/// The levels that a pod sets for itself and for its containers, each with its place.
///
/// # Errors
/// Options or containers that cannot be read.
pub fn levels_set_by<'d>(pod: Pod<'d>) -> Result<Vec<(Node<'d>, &'d str)>, Fault> {
    let mut sites = vec![Site::of_pod(pod)?];
    for container in pod.all_containers()? {
        sites.push(Site::of_container(container)?);
    }
    let level = |site: &Site<'d>| Some((site.at("level"), site.level()?));
    Ok(sites.iter().filter_map(level).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_owner_and_no_extra_level_have_access_to_each_other(
            per_level in 2_u8..=3,
            min in 0_u16..40,
            categories in prop::collection::vec(0_u16..1024, 1..4),
            names in prop::collection::vec("[a-z]{1,6}", 1..20),
        ) {
            // With few categories, many of the levels would be part of others.
            let max = min.saturating_add(60);
            let extra = Level::of(&categories);
            let settings = [
                r#"{"allocation": {"categories": {"min": "#, &min.to_string(), r#", "max": "#, &max.to_string(),
                r#", "perLevel": "#, &per_level.to_string(), r#"}}, "levels": {"extra": [""#, &extra.text(), r#""]}}"#,
            ];
            let settings = settings.concat();
            // The settings reject what contains or is part of owners' levels.
            let all = Level::of(&(min..=max).collect::<Vec<_>>());
            let count = extra.categories();
            let is_valid = count == usize::from(per_level) || count < usize::from(per_level) && !all.reaches(&extra);
            let ownership = Ownership::configure(settings.as_bytes());
            prop_assert_eq!(ownership.is_ok(), is_valid, "{}", settings);
            if let Ok(ownership) = ownership {
                for level in names.iter().flat_map(|name| ownership.candidates(name)) {
                    prop_assert!(!level.reaches(&extra) && !extra.reaches(&level), "{:?}", level);
                }
            }
        }
    }
}
