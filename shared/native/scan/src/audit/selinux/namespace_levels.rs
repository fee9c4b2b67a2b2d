//! The SELinux levels that settings assign to Namespaces.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;

use rules::name::is_label;
use rules::selinux::{Origin, Owned};
use rules::view::Namespace;
use text::Quoted;

use super::{LevelOrigin, NamespaceLevel, SelinuxSettings};
use crate::audit::{AuditError, Dump};

/// The reason why the level of a Namespace cannot be computed.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum LevelError {
    /// The name is not valid for a Namespace.
    InvalidName(String),
    /// The level depends on the Namespace, which the dump lacks.
    UnknownNamespace {
        /// The name of the Namespace.
        name: String,
        /// The part of the Namespace that decides, as a phrase.
        decisive: String,
    },
    /// The dump cannot be read.
    Dump(AuditError),
}

impl fmt::Display for LevelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InvalidName(name) => write!(
                f,
                "{}: is not a valid Namespace name; use at most 63 of a-z, 0-9 and -, with a letter or digit at \
                 both ends",
                Quoted(name)
            ),
            Self::UnknownNamespace { name, decisive } => {
                write!(f, "{name}: the level depends on the Namespace: {decisive}")
            }
            Self::Dump(error) => error.fmt(f),
        }
    }
}

impl Error for LevelError {}

impl From<AuditError> for LevelError {
    fn from(error: AuditError) -> Self {
        Self::Dump(error)
    }
}

/// Returns the levels of Namespaces, in the order of `names`.
///
/// Labels and annotations are read from the Namespaces in `dump`. For a Namespace that the dump
/// lacks, the name alone is often enough.
///
/// # Errors
/// The first name that is not valid, then the first Namespace that cannot be read, then the first
/// Namespace whose level depends on more than its name and that the dump lacks.
pub fn namespace_levels(
    names: &[String],
    settings: &SelinuxSettings,
    dump: &Dump,
) -> Result<Vec<NamespaceLevel>, LevelError> {
    if let Some(name) = names.iter().find(|name| !is_label(name)) {
        return Err(LevelError::InvalidName(name.clone()));
    }
    let mut known: BTreeMap<String, Owned> = BTreeMap::new();
    dump.visit_all("Namespace", |namespace, root| {
        if names.contains(&namespace.name) {
            let owned = settings.ownership.of(&namespace.name, Some(Namespace::of(root)))?;
            known.insert(namespace.name.clone(), owned);
        }
        Ok(())
    })?;
    let level = |name: &String| match known.get(name) {
        Some(owned) => Ok(NamespaceLevel::new(name, owned)),
        None => level_by_name(name, settings),
    };
    names.iter().map(level).collect()
}

/// Returns the level of a Namespace of which only the name is known.
fn level_by_name(name: &str, settings: &SelinuxSettings) -> Result<NamespaceLevel, LevelError> {
    let owned = settings.ownership.of(name, None).map_err(AuditError::from)?;
    if matches!(owned.origin, Origin::Unknown(_)) {
        let decisive = owned.origin.to_string();
        return Err(LevelError::UnknownNamespace { name: name.to_owned(), decisive });
    }
    let mut level = NamespaceLevel::new(name, &owned);
    if level.origin == LevelOrigin::Hash && settings.ownership.reads_namespaces() {
        level.explanation.push_str("; an annotation on the Namespace would take precedence");
        level.is_provisional = true;
    }
    Ok(level)
}
