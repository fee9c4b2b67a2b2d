//! The labels of a Namespace that select standards, for `namespaceLabels: Honor`.
//!
//! Source: KEP-2579, and `PolicyToEvaluate` in `api/helpers.go` of k8s.io/pod-security-admission.

use admission::{Fault, Node};

use super::{Level, LevelVersion, StandardsByMode, Version};

struct ModeLabels {
    level: &'static str,
    version: &'static str,
    /// The level that an invalid label stands for.
    fallback: Level,
}

const ENFORCE: ModeLabels = ModeLabels {
    level: "pod-security.kubernetes.io/enforce",
    version: "pod-security.kubernetes.io/enforce-version",
    fallback: Level::Restricted,
};

const AUDIT: ModeLabels = ModeLabels {
    level: "pod-security.kubernetes.io/audit",
    version: "pod-security.kubernetes.io/audit-version",
    fallback: Level::Privileged,
};

const WARN: ModeLabels = ModeLabels {
    level: "pod-security.kubernetes.io/warn",
    version: "pod-security.kubernetes.io/warn-version",
    fallback: Level::Privileged,
};

/// Returns the standards that the labels of a Namespace select, and a line about each invalid
/// label. The settings are the defaults of labels that are absent.
pub(super) fn standards(
    labels: Node<'_>,
    settings: &StandardsByMode,
) -> Result<(StandardsByMode, Vec<String>), Fault> {
    let mut invalid = Vec::new();
    let enforce = ENFORCE.read(labels, Some(&settings.enforce), &mut invalid)?;
    let audit = AUDIT.read(labels, settings.audit.as_ref(), &mut invalid)?;
    let mut warn = WARN.read(labels, settings.warn.as_ref(), &mut invalid)?;
    // As in-tree: a Namespace that enforces a stricter level than it warns about, without a label
    // for warnings, also warns about the enforced level.
    let enforced = labels.at(ENFORCE.level).text()?.and_then(Level::named);
    let has_warn_label = labels.at(WARN.level).is_present()?;
    if !has_warn_label && enforced.is_some_and(|level| level > warn.level) {
        warn.level = enforce.level;
        if !labels.at(WARN.version).is_present()? {
            warn.version = enforce.version.clone();
        }
    }
    Ok((StandardsByMode { enforce, audit: Some(audit), warn: Some(warn) }, invalid))
}

pub(super) fn enforced(labels: Node<'_>, settings: &StandardsByMode) -> Result<LevelVersion, Fault> {
    ENFORCE.read(labels, Some(&settings.enforce), &mut Vec::new())
}

impl ModeLabels {
    /// Returns the standard of the mode, and adds a line for each invalid label.
    fn read(
        &self,
        labels: Node<'_>,
        setting: Option<&LevelVersion>,
        invalid: &mut Vec<String>,
    ) -> Result<LevelVersion, Fault> {
        let none = LevelVersion { level: Level::Privileged, version: Version::default() };
        let mut standard = setting.unwrap_or(&none).clone();
        let (level, version) = (labels.at(self.level), labels.at(self.version));
        if let Some(text) = level.text()? {
            standard.level = Level::named(text).unwrap_or_else(|| {
                let fallback = self.fallback.name();
                invalid.push([&level.path(), ": is not a level; treated as ", fallback].concat());
                self.fallback
            });
        }
        if let Some(text) = version.text()? {
            standard.version = Version::parse(text).unwrap_or_else(|| {
                invalid.push([&version.path(), ": is not a version; treated as latest"].concat());
                Version::default()
            });
        }
        Ok(standard)
    }
}
