//! Which levels Namespaces own, and what pods make of them: for tools that look at a cluster as a whole.

use std::fmt;

use admission::{Fault, Node, SettingsError};

use super::Selinux;
use super::allocation::{OwnerScope, Source};
use super::level::Level;
use super::options::Site;
use super::owner::{annotated, implicit, labelled, of_namespace};
use crate::view::{Namespace, Pod};

/// Settings, as far as they say which level a Namespace owns.
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
pub struct Ownership(Selinux);

/// The level of a Namespace.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Owned {
    /// `None` where it has none of its own, or none that can be told.
    pub level: Option<Level>,
    /// Why it has this one, or none.
    pub origin: Origin,
    /// Who has the level, such as `group:shop`: Namespaces with the same one share it on purpose.
    pub owner: String,
}

/// Where the level of a Namespace comes from, or why it has none.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Origin {
    /// A hash of this key.
    Hash(String),
    /// The annotation with this key.
    Annotation(String),
    /// The settings: it is that of every pod.
    Fixed,
    /// The runtime draws one for each pod.
    Runtime,
    /// It is exempt, so that the runtime draws one for each pod.
    Exempt,
    /// Levels are of what is in a Namespace.
    Below(OwnerScope),
    /// It has no annotation, without which its pods are denied; this one would do.
    Missing(String),
    /// This would tell, and the Namespace was not given.
    Untold(&'static str),
}

impl Ownership {
    /// Understands the settings of the policy.
    ///
    /// # Errors
    /// The first setting that is not understood, with its path.
    pub fn configure(settings: &[u8]) -> Result<Self, SettingsError> {
        admission::configure(settings).map(Self)
    }

    /// The level of the Namespace with a name, which matters to some settings.
    ///
    /// # Errors
    /// A label or an annotation that cannot be read, and an annotation that is no level.
    pub fn of(&self, name: &str, namespace: Option<Namespace<'_>>) -> Result<Owned, Fault> {
        let Self(Selinux { allocation, exempt, .. }) = self;
        let owned = |level, origin| Owned { level, origin, owner: of_namespace(allocation, name) };
        // What is annotated holds the level against all others, though its own pods are exempt.
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
                    Origin::Untold("its annotations decide")
                };
                owned(None, origin)
            }
            (Source::NamespaceAnnotation, _) | (Source::Hash, OwnerScope::Namespace) => {
                let hashed = Origin::Hash(of_namespace(allocation, name));
                owned(Some(implicit(allocation, name)), hashed)
            }
            (Source::Hash, OwnerScope::NamespaceLabel) => match namespace {
                None => owned(None, Origin::Untold("its labels decide")),
                Some(namespace) => {
                    let key = labelled(allocation, name, namespace)?;
                    let level = Some(allocation.pool.level(&key));
                    Owned { level, origin: Origin::Hash(key.clone()), owner: key }
                }
            },
            (Source::Hash, scope) => owned(None, Origin::Below(scope)),
        })
    }

    /// Whether the Namespace object tells more than its name does.
    #[must_use]
    pub fn reads_namespaces(&self) -> bool {
        let Self(Selinux { allocation, .. }) = self;
        allocation.asks()
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hash(key) => write!(f, "hash of {key}"),
            Self::Annotation(key) => write!(f, "annotation {key}"),
            Self::Fixed => f.write_str("allocation.fixed.level, for every pod"),
            Self::Runtime => f.write_str("the runtime draws one for each pod"),
            Self::Exempt => f.write_str("exempt, so that the runtime draws one for each pod"),
            Self::Below(scope) => {
                let owners = match scope {
                    OwnerScope::ServiceAccount => "service accounts",
                    OwnerScope::Workload => "workloads",
                    OwnerScope::StatefulPod => "single pods",
                    OwnerScope::Namespace | OwnerScope::NamespaceLabel => "Namespaces",
                };
                write!(f, "levels are of {owners}, and cannot be told from the Namespace alone")
            }
            Self::Missing(key) => write!(f, "its pods are denied until it is annotated with {key}"),
            Self::Untold(what) => f.write_str(what),
        }
    }
}

/// The levels that a pod sets, for itself and for its containers, with their places.
///
/// # Errors
/// What cannot be read.
pub fn levels_set_by<'d>(pod: Pod<'d>) -> Result<Vec<(Node<'d>, &'d str)>, Fault> {
    let mut sites = vec![Site::of_pod(pod)?];
    for container in pod.all_containers()? {
        sites.push(Site::of_container(container)?);
    }
    let level = |site: &Site<'d>| Some((site.at("level"), site.own?.level?));
    Ok(sites.iter().filter_map(level).collect())
}
