use admission::{Choice, Kind, Node, Setting, SettingsError, choices};

use super::exclude::{self, ENTRY, Standards};
use super::exemptions::{EXEMPTIONS, Exemptions};
use super::{Level, LevelVersion, PodSecurity, StandardsByMode};
use crate::conditions::selector;

choices! {
    /// How violations that the object already has are handled.
    pub enum ExistingViolations {
        /// They are evaluated like new ones.
        Recheck,
        /// They are tolerated, each one alone.
        Tolerate,
        /// The same, and those of the owner in objects that its controller creates.
        TolerateOwned,
    }

    /// How pod templates that violate a level are handled.
    pub enum Templates {
        /// They are denied.
        Enforce,
        /// They are admitted with warnings at the `warn` level, or at the enforced level if `warn`
        /// is not set.
        Warn,
        /// They are not evaluated.
        Ignore,
    }

    /// How the labels of Namespaces that Pod Security Admission reads are handled.
    pub enum NamespaceLabels {
        /// They have no effect.
        Ignore,
        /// They override the levels and versions of the settings.
        Honor,
    }
}

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

pub(super) const DOCS: &[(&str, &str)] = &[
    (
        "level",
        "The level of the Pod Security Standards that pods must meet. Default: `restricted`. `privileged` allows everything.",
    ),
    ("profile", "An alias of `level`. Set only one of them."),
    (
        "version",
        "The version of the standards: `latest`, or a minor version of Kubernetes such as `v1.24`. Default: `latest`. A version newer than the module knows has the checks of the newest version that it knows.",
    ),
    (
        "exclude",
        "Violations that are allowed. An entry allows a violation if it covers all of it: the control, the container, the field, every value and all further conditions.",
    ),
    (
        "exclude.controlName",
        "Required. The name of a control in the standards, such as `Capabilities`, or the id of one check, such as `capabilities_restricted`.",
    ),
    (
        "exclude.images",
        "Patterns of images, compared with the text in the pod. With images, the entry covers only fields of containers with these images; without, only fields of the pod.",
    ),
    (
        "exclude.restrictedField",
        "The field, such as `spec.containers[*].securityContext.capabilities.add`. If absent, the entry covers every field of the control. Requires `values`.",
    ),
    (
        "exclude.values",
        "Patterns that must match every refused value of the field. An unset field has the value `\"\"`. Requires `restrictedField`.",
    ),
    (
        "exclude.readOnly",
        "`true`: the entry covers only volumes that every container mounts with `readOnly: true`. For HostPath Volumes and Volume Types.",
    ),
    ("exclude.containers", "Patterns of container names."),
    ("exclude.containerKinds", "Kinds of containers: regular, init or ephemeral."),
    (
        "exclude.podSelector",
        "A Kubernetes label selector for pods. For a pod template, it selects by the labels of the template.",
    ),
    ("exclude.podSelector.matchLabels", "Labels that must have these values."),
    ("exclude.podSelector.matchExpressions", "Requirements that must all be met."),
    ("exclude.podSelector.matchExpressions.key", "The label key."),
    ("exclude.podSelector.matchExpressions.operator", "The comparison."),
    ("exclude.podSelector.matchExpressions.values", "The values to compare with, for `In` and `NotIn`."),
    ("exclude.namespaces", "Patterns of namespace names."),
    (
        "exclude.namespaceSelector",
        "A Kubernetes label selector for Namespaces. The Namespace is looked up only if a violation depends on it.",
    ),
    ("exclude.namespaceSelector.matchLabels", "Labels that must have these values."),
    ("exclude.namespaceSelector.matchExpressions", "Requirements that must all be met."),
    ("exclude.namespaceSelector.matchExpressions.key", "The label key."),
    ("exclude.namespaceSelector.matchExpressions.operator", "The comparison."),
    (
        "exclude.namespaceSelector.matchExpressions.values",
        "The values to compare with, for `In` and `NotIn`.",
    ),
    ("exclude.serviceAccounts", "Patterns of the pod's service account, written `namespace/name`."),
    ("exclude.runtimeClasses", "Patterns of the name of the pod's runtime class."),
    (
        "exclude.workloads",
        "Workloads, written `KIND/NAME` with a pattern as the name, such as `DaemonSet/node-exporter`: the object of the request, or the owner for which a controller of Kubernetes creates it.",
    ),
    (
        "exclude.users",
        "Full names of requesting users. Controllers create the pods of workloads, so the entry covers the template that a user applies, but not its pods; use `serviceAccounts` for those. Background audits have no requesting user, so no entry with `users` applies to them.",
    ),
    (
        "exclude.groups",
        "Names of groups. The requesting user must be in one of them. As with `users`, the entry does not cover the pods of workloads.",
    ),
    ("audit", "A level whose violations are admitted and recorded as audit annotations."),
    ("audit.level", "Required."),
    ("audit.version", "Like `version`."),
    ("warn", "A level whose violations are admitted with warnings."),
    ("warn.level", "Required."),
    ("warn.version", "Like `version`."),
    (
        "exemptions",
        "Requests and pods that are not evaluated, by exact name, as in `PodSecurityConfiguration`.",
    ),
    ("exemptions.usernames", "Names of requesting users. Service accounts of pods are not compared."),
    ("exemptions.namespaces", "Names of namespaces."),
    ("exemptions.runtimeClasses", "Names of the pods' runtime classes."),
    (
        "existingViolations",
        "How violations that the old object already has are handled on update. `Recheck`: like new ones. `Tolerate`: each violation with the same control, field, container and value is tolerated. `TolerateOwned`: also in pods and workloads that a controller of Kubernetes creates, if the stored owner has the violation. The owner is looked up only if there are violations; requires rules for workloads and `templates: Enforce`.",
    ),
    (
        "templates",
        "How pod templates are handled. `Enforce`: violations are denied, unless an update leaves the template unchanged. `Warn`: templates are admitted, with warnings at the level of `warn`, or at `level` if `warn` is not set. `Ignore`: templates are not evaluated.",
    ),
    (
        "namespaceLabels",
        "`Honor`: the Namespace labels `pod-security.kubernetes.io/enforce`, `audit` and `warn`, and the same with the suffix `-version`, override the settings, as in Pod Security Admission. The Namespace is looked up. With a rule for updates of `namespaces`, raising the level causes warnings about existing pods.",
    ),
];

pub(super) fn configure(settings: Node<'_>) -> Result<PodSecurity, SettingsError> {
    let standards = standards(settings)?;
    let namespace_labels = Choice::read(settings.at("namespaceLabels"))?;
    let known: Standards<'_> = match namespace_labels {
        NamespaceLabels::Honor => None,
        NamespaceLabels::Ignore => {
            let StandardsByMode { enforce, audit, warn } = &standards;
            Some([Some(enforce), audit.as_ref(), warn.as_ref()].into_iter().flatten().collect())
        }
    };
    let (existing, templates) = (settings.at("existingViolations"), Choice::read(settings.at("templates"))?);
    let existing_violations = Choice::read(existing)?;
    if existing_violations == ExistingViolations::TolerateOwned && templates != Templates::Enforce {
        return Err(SettingsError::at(
            existing,
            "TolerateOwned would admit the pods of any workload; remove templates, so that workloads are evaluated",
        ));
    }
    if templates != Templates::Enforce {
        refuse_derived_owners(settings.at("exclude"))?;
    }
    let exclusions = exclude::read(settings.at("exclude"), &known)?;
    refuse_workloads_anywhere(settings.at("exclude"))?;
    Ok(PodSecurity {
        exclusions,
        exemptions: Exemptions::read(settings.at("exemptions"))?,
        existing_violations,
        templates,
        namespace_labels,
        standards,
    })
}

/// Refuses exclusions of workloads that are recognized by the name of another object. Anyone who
/// may create a `ReplicaSet` or a `Job` can give it such a name, so its template has to be checked.
fn refuse_derived_owners(exclude: Node<'_>) -> Result<(), SettingsError> {
    for entry in exclude.items()? {
        for (item, workload) in entry.at("workloads").texts()? {
            let (kind, _) = workload.split_once('/').unwrap_or((workload, ""));
            if matches!(kind, "CronJob" | "Deployment") {
                return Err(SettingsError::about(
                    item,
                    workload,
                    "would also exclude the pods of any ReplicaSet or Job with such a name; remove templates, so \
                     that workloads are evaluated",
                ));
            }
        }
    }
    Ok(())
}

/// Refuses exclusions of workloads without a place. Anyone who may create a workload with such a
/// name in any namespace would have the exclusion.
fn refuse_workloads_anywhere(exclude: Node<'_>) -> Result<(), SettingsError> {
    const LISTS: [&str; 4] = ["namespaces", "serviceAccounts", "users", "groups"];
    for entry in exclude.items()? {
        let workloads = entry.at("workloads");
        let mut has_place = workloads.items()?.next().is_none();
        // An empty list or selector is not a condition.
        for list in LISTS {
            has_place |= entry.at(list).items()?.next().is_some();
        }
        has_place |= selector(entry.at("namespaceSelector"))?.is_some();
        if !has_place {
            return Err(SettingsError::at(
                workloads,
                "names workloads of all namespaces, which their authors could create; add namespaces, \
                 namespaceSelector or serviceAccounts",
            ));
        }
    }
    Ok(())
}

fn standards(settings: Node<'_>) -> Result<StandardsByMode, SettingsError> {
    let (level, profile) = (settings.at("level"), settings.at("profile"));
    if level.is_present()? && profile.is_present()? {
        return Err(SettingsError::at(profile, "is an alias of level, which is set as well; remove one"));
    }
    let level = if profile.is_present()? { profile } else { level };
    // The version also applies without a level.
    let version = LevelVersion::version(settings.at("version"))?;
    let enforce = LevelVersion { level: Level::read(level)?, version };
    let (audit, warn) = (optional(settings.at("audit"))?, optional(settings.at("warn"))?);
    Ok(StandardsByMode { enforce, audit, warn })
}

/// Reads the standard of `audit` or `warn`.
fn optional(setting: Node<'_>) -> Result<Option<LevelVersion>, SettingsError> {
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
