use admission::{Choice, Kind, Node, Setting, SettingsError, choices};

use super::annotations::Annotations;
use super::labels::{DENIED_BY_DEFAULT, LabelMode, Labels, Pairs};
use super::references::ApiObjectReferences;
use crate::caller::BoundTokens;
use crate::label::{Domains, Keys};

choices! {
    /// How the violations of a mirror pod are handled.
    pub enum Mode {
        /// The pod is denied.
        Reject,
        /// The pod is corrected.
        Munge,
        /// The pod is admitted with a warning.
        Warn,
    }
}

pub(super) const SETTINGS: &[Setting] = &[
    Setting::new("requireOwnerReference", Kind::Flag),
    Setting::new("labelMode", Kind::Choice(LabelMode::NAMES)),
    Setting::new("deniedLabelKeys", Kind::List(&Kind::Text)),
    Setting::new("deniedLabelPrefixes", Kind::List(&Kind::Text)),
    Setting::new("allowedLabels", Kind::List(&Kind::Text)),
    Setting::new("allowedLabelKeys", Kind::List(&Kind::Text)),
    Setting::new("allowedLabelPrefixes", Kind::List(&Kind::Text)),
    Setting::new("restrictAnnotations", Kind::Flag),
    Setting::new("allowedAnnotationKeys", Kind::List(&Kind::Text)),
    Setting::new("allowedAnnotationPrefixes", Kind::List(&Kind::Text)),
    Setting::new("restrictNamespaces", Kind::Flag),
    Setting::new("apiObjectReferences", Kind::Choice(ApiObjectReferences::NAMES)),
    BoundTokens::HANDLING,
    BoundTokens::EXEMPT,
    Setting::new("mode", Kind::Choice(Mode::NAMES)),
];

pub(super) const DOCS: &[(&str, &str)] = &[
    (
        "requireOwnerReference",
        "`true`: a mirror pod must be owned by its Node, as in-tree. `false`: a mirror pod may also have no owner. `mode: Munge` sets the owner in both cases.",
    ),
    (
        "labelMode",
        "`AllowList`: mirror pods may have the labels that the Namespace's annotation `node.kubernetes.io/mirror.allowed-label-keys` or these settings list. `DenyList`: mirror pods may have all labels that are not denied; the Namespace is not looked up.",
    ),
    (
        "deniedLabelKeys",
        "Labels that no mirror pod may have, even if the Namespace lists them; `[k8s-app]` if absent. Topology labels that equal those of the Node are always allowed.",
    ),
    (
        "deniedLabelPrefixes",
        "Domains, such as `node-restriction.kubernetes.io`, whose labels no mirror pod may have. Subdomains are included.",
    ),
    (
        "allowedLabels",
        "Labels with their values, such as `k8s-app=kube-apiserver`, that mirror pods may have in every namespace, even if the label is denied.",
    ),
    ("allowedLabelKeys", "Labels that mirror pods may have in every namespace."),
    (
        "allowedLabelPrefixes",
        "Domains, such as `unrestricted.node.kubernetes.io`, whose labels mirror pods may have in every namespace. Subdomains are not included.",
    ),
    (
        "restrictAnnotations",
        "`true`: nodes may write only the annotations that KEP-1314 lists. On `pods/status`, only changes count.",
    ),
    (
        "allowedAnnotationKeys",
        "Additional annotations, such as `kubernetes.io/limit-ranger` and those of kubeadm. Requires `restrictAnnotations`.",
    ),
    (
        "allowedAnnotationPrefixes",
        "Domains, such as `kubeadm.kubernetes.io`, in which all annotations are allowed. Requires `restrictAnnotations`.",
    ),
    (
        "restrictNamespaces",
        "`true`: nodes may create mirror pods only in namespaces that have the annotation `node.kubernetes.io/mirror.allowed` with an empty value or `true`.",
    ),
    (
        "apiObjectReferences",
        "`Deny`: a mirror pod may not refer to ServiceAccounts, Secrets, ConfigMaps, claims and other API objects, as in-tree. `Allow`: references are not reviewed.",
    ),
    (
        "nodeBoundTokens",
        "`Restrict`: a service account whose token is bound to a node, as those of pods are, may access only the pods of that node. The rules and match conditions have to let its requests through.",
    ),
    (
        "exemptServiceAccounts",
        "Service accounts, as `namespace/name`, that `nodeBoundTokens: Restrict` does not restrict, such as those of operators that write pods everywhere.",
    ),
    (
        "mode",
        "`Munge`: labels and owner references that are not allowed are removed and recorded as JSON in annotations, and the Node becomes the owner; the policy must be deployed as mutating. `Warn`: violations are admitted with a warning and the audit annotation `violations`. In every mode, a node may write only its own pods.",
    ),
];

#[derive(Debug)]
pub(super) struct Settings {
    pub(super) labels: Labels,
    /// `None` if annotations are not restricted.
    pub(super) annotations: Option<Annotations>,
    pub(super) require_owner_reference: bool,
    pub(super) restrict_namespaces: bool,
    pub(super) references: ApiObjectReferences,
    pub(super) bound_tokens: BoundTokens,
    pub(super) mode: Mode,
}

impl Settings {
    pub(super) fn read(settings: Node<'_>) -> Result<Self, SettingsError> {
        Ok(Self {
            annotations: annotations(settings)?,
            labels: labels(settings)?,
            require_owner_reference: flag(settings.at("requireOwnerReference"))?,
            restrict_namespaces: flag(settings.at("restrictNamespaces"))?,
            references: Choice::read(settings.at("apiObjectReferences"))?,
            bound_tokens: BoundTokens::read(settings)?,
            mode: Choice::read(settings.at("mode"))?,
        })
    }
}

fn flag(setting: Node<'_>) -> Result<bool, SettingsError> {
    Ok(setting.boolean()?.unwrap_or_default())
}

fn annotations(settings: Node<'_>) -> Result<Option<Annotations>, SettingsError> {
    let is_restricted = flag(settings.at("restrictAnnotations"))?;
    let annotations = Annotations {
        keys: Keys::read(settings.at("allowedAnnotationKeys"), &|_| None)?,
        domains: Domains::read(settings.at("allowedAnnotationPrefixes"), &|_| None)?,
    };
    if is_restricted {
        return Ok(Some(annotations));
    }
    must_be_empty(
        settings,
        [
            ("allowedAnnotationKeys", annotations.keys.is_empty()),
            ("allowedAnnotationPrefixes", annotations.domains.is_empty()),
        ],
        "has no effect without restrictAnnotations; remove it or set restrictAnnotations to true",
    )?;
    Ok(None)
}

fn labels(settings: Node<'_>) -> Result<Labels, SettingsError> {
    const DENIED: &str = "is denied by deniedLabelKeys, which defaults to [k8s-app], or by deniedLabelPrefixes; \
                          remove it from one of the lists";
    let mode = Choice::read(settings.at("labelMode"))?;
    let allowed_pairs = Pairs::read(settings.at("allowedLabels"))?;
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
        must_be_empty(
            settings,
            [
                ("allowedLabelKeys", allowed_keys.is_empty()),
                ("allowedLabelPrefixes", allowed_domains.is_empty()),
            ],
            "has no effect with labelMode: DenyList; remove it or use AllowList",
        )?;
        if denied_keys.is_empty() && denied_domains.is_empty() {
            let problem = "DenyList has no effect without denied labels; \
                           add labels to deniedLabelKeys or deniedLabelPrefixes";
            return Err(SettingsError::at(settings.at("labelMode"), problem));
        }
    }
    Ok(Labels { mode, allowed_pairs, denied_keys, denied_domains, allowed_keys, allowed_domains })
}

/// Returns an error with the text `problem` for the first list that is not empty.
fn must_be_empty(
    settings: Node<'_>,
    lists: [(&'static str, bool); 2],
    problem: &str,
) -> Result<(), SettingsError> {
    for (name, is_empty) in lists {
        if !is_empty {
            return Err(SettingsError::at(settings.at(name), problem));
        }
    }
    Ok(())
}
