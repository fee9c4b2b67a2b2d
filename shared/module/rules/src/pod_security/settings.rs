//! The settings, understood.

use admission::{Choice, Kind, Node, Setting, SettingsError, choices};

use super::exclude::{self, ENTRY, Standards};
use super::exemptions::{EXEMPTIONS, Exemptions};
use super::{Level, LevelVersion, PodSecurity};

choices! {
    /// What becomes of violations that the object has already.
    pub enum ExistingViolations {
        /// They are judged like new ones.
        Recheck,
        /// They stay, one by one.
        Tolerate,
    }

    /// What becomes of templates that make pods which would be denied.
    pub enum Templates {
        /// They are denied, too.
        Enforce,
        /// They are admitted with a warning.
        Warn,
        /// They are not judged.
        Ignore,
    }

    /// What the labels of Namespaces mean that in-tree admission reads.
    pub enum NamespaceLabels {
        /// Nothing.
        Ignore,
        /// They take the place of the levels and versions in the settings.
        Honor,
    }
}

/// The keys of the settings.
pub(super) const SETTINGS: &[Setting] = &[
    Setting::new("level", Kind::Choice(Level::NAMES)),
    Setting::new("profile", Kind::Choice(Level::NAMES)),
    Setting::new("version", Kind::Text),
    Setting::new("exclude", Kind::List(&Kind::Object(ENTRY))),
    Setting::new("audit", Kind::Object(LEVEL_VERSION)),
    Setting::new("warn", Kind::Object(LEVEL_VERSION)),
    Setting::new("exemptions", Kind::Object(EXEMPTIONS)),
    Setting::new("existingViolations", Kind::Choice(ExistingViolations::NAMES)),
    Setting::new("templates", Kind::Choice(Templates::NAMES)),
    Setting::new("namespaceLabels", Kind::Choice(NamespaceLabels::NAMES)),
];

const LEVEL_VERSION: &[Setting] =
    &[Setting::new("level", Kind::Choice(Level::NAMES)), Setting::new("version", Kind::Text)];

/// What the settings mean.
pub(super) const DOCS: &[(&str, &str)] = &[
    (
        "level",
        "The level of the Pod Security Standards that pods have to meet; `restricted` if absent. `privileged` judges nothing.",
    ),
    ("profile", "Another name of `level`; not together with it."),
    (
        "version",
        "`latest` or a minor version of Kubernetes such as `v1.24`, whose standards are meant; `latest` if absent. Newer than known is the newest known.",
    ),
    (
        "exclude",
        "What is let be. A violation is let be if one entry covers all of it: control, container, field, every value, and all further conditions.",
    ),
    (
        "exclude.controlName",
        "Required. A control by its name in the standard, such as `Capabilities`, or one check by its id, such as `capabilities_restricted`.",
    ),
    (
        "exclude.images",
        "Patterns of images, as pods write them. With images the entry is about fields of these containers alone, without about fields of the pod.",
    ),
    (
        "exclude.restrictedField",
        "The field, such as `spec.containers[*].securityContext.capabilities.add`; every field of the control if absent. Needs `values`.",
    ),
    (
        "exclude.values",
        "Patterns that every refused value of the field has to fit. A field that is not set has the value `\"\"`. Needs `restrictedField`.",
    ),
    ("exclude.containers", "Patterns of names of containers."),
    ("exclude.containerKinds", "Lists of containers."),
    (
        "exclude.podSelector",
        "Pods by label, as a Kubernetes label selector; of a template its own labels count.",
    ),
    ("exclude.podSelector.matchLabels", "Labels that have to be there with these values."),
    ("exclude.podSelector.matchExpressions", "Requirements that all have to be met."),
    ("exclude.podSelector.matchExpressions.key", "The key of a label."),
    ("exclude.podSelector.matchExpressions.operator", "How the label is compared."),
    ("exclude.podSelector.matchExpressions.values", "The values, with `In` and `NotIn`."),
    ("exclude.namespaces", "Patterns of names of namespaces."),
    (
        "exclude.namespaceSelector",
        "Namespaces by label, as a Kubernetes label selector. Looks the Namespace up, only if a violation depends on it.",
    ),
    ("exclude.namespaceSelector.matchLabels", "Labels that have to be there with these values."),
    ("exclude.namespaceSelector.matchExpressions", "Requirements that all have to be met."),
    ("exclude.namespaceSelector.matchExpressions.key", "The key of a label."),
    ("exclude.namespaceSelector.matchExpressions.operator", "How the label is compared."),
    ("exclude.namespaceSelector.matchExpressions.values", "The values, with `In` and `NotIn`."),
    ("exclude.serviceAccounts", "Patterns of `namespace/name` of the service account that the pod runs as."),
    ("exclude.runtimeClasses", "Patterns of names of the pod's runtime class."),
    ("exclude.users", "Full names of users who ask; nobody is one of them in background audits."),
    ("exclude.groups", "Names of groups, one of which the user who asks is in."),
    ("audit", "A level whose violations are admitted and recorded as audit annotations."),
    ("audit.level", "Required."),
    ("audit.version", "As `version`."),
    ("warn", "A level whose violations are admitted with a warning."),
    ("warn.level", "Required."),
    ("warn.version", "As `version`."),
    ("exemptions", "What is not judged at all, by exact names, as in `PodSecurityConfiguration`."),
    ("exemptions.usernames", "Users who ask, not service accounts of pods."),
    ("exemptions.namespaces", "Names of namespaces."),
    ("exemptions.runtimeClasses", "Names of runtime classes of pods."),
    (
        "existingViolations",
        "`Recheck`: an update that is judged is judged as a whole. `Tolerate`: violations that the old object has are let be, one by one: the same control, field, container and value.",
    ),
    (
        "templates",
        "What becomes of pod templates: `Enforce` denies, unless an update leaves the template as it was, `Warn` admits with warnings what `level` refuses, `Ignore` does not judge them.",
    ),
    (
        "namespaceLabels",
        "`Honor`: the labels `pod-security.kubernetes.io/enforce`, `audit` and `warn` of a Namespace, and those that end in `-version`, take the place of the settings, as in-tree. Looks the Namespace up.",
    ),
];

pub(super) fn configure(settings: Node<'_>) -> Result<PodSecurity, SettingsError> {
    let (level, profile) = (settings.at("level"), settings.at("profile"));
    if level.is_present()? && profile.is_present()? {
        return Err(SettingsError::at(profile, "is another name of level, which is there, too; remove one"));
    }
    let written = if profile.is_present()? { profile } else { level };
    // The version counts without a level, too.
    let version = LevelVersion::version(settings.at("version"))?;
    let enforce = LevelVersion { level: Level::read(written)?, version };
    let (audit, warn) = (besides(settings.at("audit"))?, besides(settings.at("warn"))?);
    let namespace_labels = Choice::read(settings.at("namespaceLabels"))?;
    let standards: Standards<'_> = match namespace_labels {
        NamespaceLabels::Honor => None,
        NamespaceLabels::Ignore => {
            Some([Some(&enforce), audit.as_ref(), warn.as_ref()].into_iter().flatten().collect())
        }
    };
    let exclusions = exclude::read(settings.at("exclude"), &standards)?;
    Ok(PodSecurity {
        enforce,
        audit,
        warn,
        exclusions,
        exemptions: Exemptions::read(settings.at("exemptions"))?,
        existing_violations: Choice::read(settings.at("existingViolations"))?,
        templates: Choice::read(settings.at("templates"))?,
        namespace_labels,
    })
}

/// The level and version of another mode.
fn besides(setting: Node<'_>) -> Result<Option<LevelVersion>, SettingsError> {
    if !setting.object()? {
        return Ok(None);
    }
    let level = setting.at("level");
    if !level.is_present()? {
        return Err(SettingsError::at(level, "is missing; write restricted, baseline or privileged"));
    }
    Ok(Some(LevelVersion {
        level: Level::read(level)?,
        version: LevelVersion::version(setting.at("version"))?,
    }))
}
