//! Levels and versions of the Pod Security Standards.

use std::fmt;

use admission::{Choice, Node, SettingsError};

/// A level of the Pod Security Standards. Each level includes the restrictions of the previous one.
#[derive(Clone, Copy, Debug, Default, Eq, Ord, PartialEq, PartialOrd)]
pub enum Level {
    /// No restrictions.
    Privileged,
    /// Prevents known privilege escalations.
    Baseline,
    /// Follows best practices for hardening pods.
    #[default]
    Restricted,
}

impl Choice for Level {
    const VALUES: &'static [Self] = &[Self::Restricted, Self::Baseline, Self::Privileged];
    const NAMES: &'static [&'static str] = &["restricted", "baseline", "privileged"];
}

impl Level {
    /// Returns the level with a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let at = Self::NAMES.iter().position(|known| *known == name)?;
        Self::VALUES.get(at).copied()
    }

    /// Returns the name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Level::Privileged => "privileged",
            Level::Baseline => "baseline",
            Level::Restricted => "restricted",
        }
    }
}

/// The newest minor version of Kubernetes that changed a check, of those known here.
pub const NEWEST: u8 = 37;

/// A version of the Pod Security Standards: that of a Kubernetes release.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Version {
    /// The text of the setting or label.
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
    /// Parses `latest` or `v1.N`. Every version newer than [`NEWEST`] has the checks of the newest.
    ///
    /// Returns `None` for any other text, as `ParseVersion` of k8s.io/pod-security-admission does.
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
        // A number that overflows is newer than every known version.
        let minor = digits.parse().map_or(NEWEST, |minor: u8| minor.min(NEWEST));
        Some(Self { text: text.to_owned(), minor })
    }

    /// Returns the minor version whose checks apply.
    #[must_use]
    pub fn minor(&self) -> u8 {
        self.minor
    }
}

/// A level at a version, written `restricted:v1.24`.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct LevelVersion {
    /// The level.
    pub level: Level,
    /// The version.
    pub version: Version,
}

impl LevelVersion {
    /// Reads the version from a setting; `latest` if the setting is absent.
    pub(super) fn version(setting: Node<'_>) -> Result<Version, SettingsError> {
        match setting.text()? {
            None => Ok(Version::default()),
            Some(text) => Version::parse(text).ok_or_else(|| {
                SettingsError::about(
                    setting,
                    text,
                    "is not a version; write latest or a minor version such as v1.37",
                )
            }),
        }
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
    fn parses_only_latest_and_minor_versions() {
        for good in ["latest", "v1.0", "v1.7", "v1.37", "v1.255", "v1.256", "v1.99999999999999999999"] {
            assert!(Version::parse(good).is_some(), "{good}");
        }
        for bad in ["", "v1", "v1.", "1.24", "v1.24.3", "v2.0", "v1.01", "v1.-1", "v1.+1", "Latest", " v1.2"]
        {
            assert!(Version::parse(bad).is_none(), "{bad}");
        }
    }
}
