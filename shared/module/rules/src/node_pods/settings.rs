//! The settings, understood.

use admission::{Choice, Kind, Node, Setting, SettingsError, choices};

use super::NodePods;
use super::annotations::Annotations;
use super::labels::{DENIED_BY_DEFAULT, Labels};
use crate::label::{Domains, Keys};

choices! {
    /// Which labels mirror pods may have.
    pub enum LabelMode {
        /// Those that the Namespace or the settings list.
        AllowList,
        /// All but those that the settings deny.
        DenyList,
    }

    /// What becomes of a mirror pod that does not conform.
    pub enum Mode {
        /// It is denied.
        Reject,
        /// It is made to conform.
        Munge,
        /// It is admitted with a warning.
        Warn,
    }
}

/// The keys of the settings.
pub(super) const SETTINGS: &[Setting] = &[
    Setting::new("requireOwnerReference", Kind::Flag),
    Setting::new("labelMode", Kind::Choice(LabelMode::NAMES)),
    Setting::new("deniedLabelKeys", Kind::List(&Kind::Text)),
    Setting::new("deniedLabelPrefixes", Kind::List(&Kind::Text)),
    Setting::new("allowedLabelKeys", Kind::List(&Kind::Text)),
    Setting::new("allowedLabelPrefixes", Kind::List(&Kind::Text)),
    Setting::new("restrictAnnotations", Kind::Flag),
    Setting::new("allowedAnnotationKeys", Kind::List(&Kind::Text)),
    Setting::new("allowedAnnotationPrefixes", Kind::List(&Kind::Text)),
    Setting::new("restrictNamespaces", Kind::Flag),
    Setting::new("mode", Kind::Choice(Mode::NAMES)),
];

/// What the settings mean.
pub(super) const DOCS: &[(&str, &str)] = &[
    (
        "requireOwnerReference",
        "`true`: a mirror pod has to be owned by its Node, as in-tree. `false`: it may have no owner. `mode: Munge` gives it one in any case.",
    ),
    (
        "labelMode",
        "`AllowList`: labels that the Namespace's annotation `node.kubernetes.io/mirror.allowed-label-keys` or these settings list. `DenyList`: all but denied ones, and the Namespace is not asked.",
    ),
    (
        "deniedLabelKeys",
        "Labels that no mirror pod may have, whatever its Namespace lists; `[k8s-app]` if absent. Topology labels with the values of the Node are not judged.",
    ),
    (
        "deniedLabelPrefixes",
        "Domains such as `node-restriction.kubernetes.io` whose labels, and those of subdomains, no mirror pod may have.",
    ),
    ("allowedLabelKeys", "Labels that mirror pods of every Namespace may have."),
    (
        "allowedLabelPrefixes",
        "Domains such as `unrestricted.node.kubernetes.io` whose labels, not those of subdomains, mirror pods of every Namespace may have.",
    ),
    (
        "restrictAnnotations",
        "`true`: nodes write annotations of KEP-1314's list only; on `pods/status` what they change counts.",
    ),
    (
        "allowedAnnotationKeys",
        "Further annotations, such as `kubernetes.io/limit-ranger` and those of kubeadm. Needs `restrictAnnotations`.",
    ),
    (
        "allowedAnnotationPrefixes",
        "Domains such as `kubeadm.kubernetes.io` of which all annotations may be written. Needs `restrictAnnotations`.",
    ),
    (
        "restrictNamespaces",
        "`true`: mirror pods only in Namespaces with the annotation `node.kubernetes.io/mirror.allowed`, whose value is not `false`.",
    ),
    (
        "mode",
        "`Munge`: labels and owner references are removed, kept as JSON in annotations, and the Node becomes the owner; needs a policy that is deployed as mutating. `Warn`: what would be refused is admitted, with a warning and the audit annotation `violations`. Whose pod it is, is judged in every mode.",
    ),
];

pub(super) fn configure(settings: Node<'_>) -> Result<NodePods, SettingsError> {
    let restricts_annotations = flag(settings.at("restrictAnnotations"))?;
    let annotations = Annotations {
        keys: Keys::read(settings.at("allowedAnnotationKeys"), &|_| None)?,
        domains: Domains::read(settings.at("allowedAnnotationPrefixes"), &|_| None)?,
    };
    if !restricts_annotations {
        for (name, is_empty) in [
            ("allowedAnnotationKeys", annotations.keys.is_empty()),
            ("allowedAnnotationPrefixes", annotations.domains.is_empty()),
        ] {
            if !is_empty {
                let problem =
                    "every annotation is allowed without it; remove it or set restrictAnnotations to true";
                return Err(SettingsError::at(settings.at(name), problem));
            }
        }
    }
    Ok(NodePods {
        labels: labels(settings)?,
        annotations: restricts_annotations.then_some(annotations),
        require_owner_reference: flag(settings.at("requireOwnerReference"))?,
        restrict_namespaces: flag(settings.at("restrictNamespaces"))?,
        mode: Choice::read(settings.at("mode"))?,
    })
}

fn flag(setting: Node<'_>) -> Result<bool, SettingsError> {
    Ok(setting.boolean()?.unwrap_or_default())
}

fn labels(settings: Node<'_>) -> Result<Labels, SettingsError> {
    /// A rule that could never match.
    const DENIED: &str =
        "is denied by deniedLabelKeys, [k8s-app] if absent, or deniedLabelPrefixes; remove it from one";
    let mode = Choice::read(settings.at("labelMode"))?;
    let denied = settings.at("deniedLabelKeys");
    let denied_keys =
        if denied.is_present()? { Keys::read(denied, &|_| None)? } else { Keys::of(&DENIED_BY_DEFAULT) };
    let denied_domains = Domains::read(settings.at("deniedLabelPrefixes"), &|_| None)?;
    let allowed_keys = Keys::read(settings.at("allowedLabelKeys"), &|key| {
        (denied_keys.have(key) || denied_domains.cover(key)).then_some(DENIED)
    })?;
    let allowed_domains = Domains::read(settings.at("allowedLabelPrefixes"), &|domain| {
        denied_domains.include(domain).then_some(DENIED)
    })?;
    if mode == LabelMode::DenyList {
        for (name, is_empty) in [
            ("allowedLabelKeys", allowed_keys.is_empty()),
            ("allowedLabelPrefixes", allowed_domains.is_empty()),
        ] {
            if !is_empty {
                let problem = "a DenyList allows every label that is not denied; remove it or write labelMode: AllowList";
                return Err(SettingsError::at(settings.at(name), problem));
            }
        }
        if denied_keys.is_empty() && denied_domains.is_empty() {
            let problem =
                "a DenyList that denies nothing; name labels in deniedLabelKeys or deniedLabelPrefixes";
            return Err(SettingsError::at(settings.at("labelMode"), problem));
        }
    }
    Ok(Labels { mode, denied_keys, denied_domains, allowed_keys, allowed_domains })
}
