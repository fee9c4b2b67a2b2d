//! Levels and versions of the Pod Security Standards.

use std::fmt;

use admission::{Choice, Fault, Node, SettingsError};

/// How much a standard demands; each level demands what the one before does, and more.
#[derive(Clone, Copy, Debug, Default, Eq, Ord, PartialEq, PartialOrd)]
pub enum Level {
    /// Nothing.
    Privileged,
    /// What keeps known escalations of privileges out.
    Baseline,
    /// What is good practice for pods.
    #[default]
    Restricted,
}

impl Choice for Level {
    const VALUES: &'static [Self] = &[Self::Restricted, Self::Baseline, Self::Privileged];
    const NAMES: &'static [&'static str] = &["restricted", "baseline", "privileged"];
}

impl Level {
    /// The level with a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let at = Self::NAMES.iter().position(|known| *known == name)?;
        Self::VALUES.get(at).copied()
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Level::Privileged => "privileged",
            Level::Baseline => "baseline",
            Level::Restricted => "restricted",
        }
    }
}

/// The newest minor version of Kubernetes that changed a check.
pub const NEWEST: u8 = 37;

/// The version of Kubernetes whose standards are meant.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Version {
    /// As it was written.
    text: String,
    /// The minor version, at most [`NEWEST`].
    minor: u8,
}

impl Default for Version {
    fn default() -> Self {
        Self { text: "latest".to_owned(), minor: NEWEST }
    }
}

impl Version {
    /// Reads `latest` or `v1.N`, the only ones that there are; newer than known is the newest known.
    ///
    /// # Example
    /// ```
    /// use rules::pod_security::Version;
    ///
    /// assert_eq!(Version::parse("v1.24").map(|version| version.minor()), Some(24));
    /// assert_eq!(Version::parse("v1.99").map(|version| version.minor()), Some(37));
    /// assert_eq!(Version::parse("1.24"), None);
    /// assert_eq!(Version::parse("v1.024"), None);
    /// ```
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if text == "latest" {
            return Some(Self::default());
        }
        let digits = text.strip_prefix("v1.")?;
        let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        if !plain || digits.len() > 1 && digits.starts_with('0') {
            return None;
        }
        // What does not fit is newer than anything known.
        let minor = digits.parse().map_or(NEWEST, |minor: u8| minor.min(NEWEST));
        Some(Self { text: text.to_owned(), minor })
    }

    /// The minor version whose checks apply.
    #[must_use]
    pub fn minor(&self) -> u8 {
        self.minor
    }
}

/// A level at a version: `restricted:v1.24`.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct LevelVersion {
    /// The level.
    pub level: Level,
    /// The version.
    pub version: Version,
}

impl LevelVersion {
    /// Reads the setting of a version; `latest` where it is absent.
    ///
    /// # Errors
    /// What is no version.
    pub(super) fn version(setting: Node<'_>) -> Result<Version, SettingsError> {
        match setting.text()? {
            None => Ok(Version::default()),
            Some(text) => Version::parse(text).ok_or_else(|| {
                SettingsError::about(setting, text, "is no version; write latest or, for example, v1.37")
            }),
        }
    }

    /// The level and version of two labels of a Namespace; what is none, as in-tree: `otherwise` and `latest`,
    /// and what is wrong.
    ///
    /// # Errors
    /// A label that is no string.
    pub(super) fn of_labels(
        level: Node<'_>,
        version: Node<'_>,
        default: &Self,
        otherwise: Level,
        wrong: &mut Vec<String>,
    ) -> Result<Self, Fault> {
        let mut found = default.clone();
        if let Some(text) = level.text()? {
            found.level = Level::named(text).unwrap_or_else(|| {
                wrong.push(format!("{}: is no level; taken for {}", level.path(), otherwise.name()));
                otherwise
            });
        }
        if let Some(text) = version.text()? {
            found.version = Version::parse(text).unwrap_or_else(|| {
                wrong.push(format!("{}: is no version; taken for latest", version.path()));
                Version::default()
            });
        }
        Ok(found)
    }
}

impl fmt::Display for LevelVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.level.name())?;
        f.write_str(":")?;
        f.write_str(&self.version.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_latest_and_minor_versions_are_versions() {
        for good in ["latest", "v1.0", "v1.7", "v1.37", "v1.255", "v1.256", "v1.99999999999999999999"] {
            assert!(Version::parse(good).is_some(), "{good}");
        }
        for bad in ["", "v1", "v1.", "1.24", "v1.24.3", "v2.0", "v1.01", "v1.-1", "v1.+1", "Latest", " v1.2"]
        {
            assert!(Version::parse(bad).is_none(), "{bad}");
        }
    }
}
