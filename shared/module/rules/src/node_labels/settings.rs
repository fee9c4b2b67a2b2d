//! The settings, understood.

use admission::{Choice, Kind, Node, Setting, SettingsError, choices};

use super::NodeLabels;
use super::keys::{INDISPENSABLE, RESERVED, is_reserved, may_be_set};
use crate::label::{Domains, Keys, domain, is_within};

choices! {
    /// Which labels of kubernetes.io and k8s.io nodes may set.
    pub enum LabelProfile {
        /// Those of both lists.
        Union,
        /// Those of the document.
        Kep279,
        /// Those of the in-tree plugin.
        InTree,
    }

    /// What is judged when a Node is created.
    pub enum CreateEnforcement {
        /// The same as when it is updated.
        Full,
        /// Reserved and protected labels only.
        NodeRestrictionOnly,
    }

    /// Whether a node may create its own Node.
    pub enum SelfRegistration {
        /// It may.
        Allow,
        /// It may not.
        Deny,
    }

    /// What becomes of a forbidden label.
    pub enum Mode {
        /// The request is denied.
        Enforce,
        /// The request is admitted with a warning.
        Warn,
    }
}

/// The keys of the settings.
pub(super) const SETTINGS: &[Setting] = &[
    Setting::new("labelProfile", Kind::Choice(LabelProfile::NAMES)),
    Setting::new("createEnforcement", Kind::Choice(CreateEnforcement::NAMES)),
    Setting::new("protectedLabelPrefixes", Kind::List(&Kind::Text)),
    Setting::new("protectedLabelKeys", Kind::List(&Kind::Text)),
    Setting::new("allowedLabelKeys", Kind::List(&Kind::Text)),
    Setting::new("selfRegistration", Kind::Choice(SelfRegistration::NAMES)),
    Setting::new("mode", Kind::Choice(Mode::NAMES)),
];

/// What the settings mean.
pub(super) const DOCS: &[(&str, &str)] = &[
    (
        "labelProfile",
        "Which labels of `kubernetes.io` and `k8s.io` nodes may set: those of KEP-279, those of the in-tree plugin, or both.",
    ),
    (
        "createEnforcement",
        "`NodeRestrictionOnly`: a Node is created with any label but reserved and protected ones, as in the first stage of KEP-279.",
    ),
    (
        "protectedLabelPrefixes",
        "Domains such as `example.com` whose labels, and those of subdomains, nodes may not set, change or remove.",
    ),
    ("protectedLabelKeys", "Labels such as `foo/dedicated` that nodes may not set, change or remove."),
    (
        "allowedLabelKeys",
        "Further labels of `kubernetes.io` and `k8s.io` that nodes may set, such as `node-role.kubernetes.io/worker`; never of `node-restriction.kubernetes.io`.",
    ),
    (
        "selfRegistration",
        "`Deny`: nodes may not create their own Node; for clusters whose control plane creates it.",
    ),
    (
        "mode",
        "`Warn`: forbidden labels are admitted, with a warning and the audit annotation `forbidden-labels`. Whose Node it is, and `selfRegistration`, are judged in both.",
    ),
];

pub(super) fn configure(settings: Node<'_>) -> Result<NodeLabels, SettingsError> {
    let profile = Choice::read(settings.at("labelProfile"))?;
    let protected_domains = Domains::read(settings.at("protectedLabelPrefixes"), &|protected| {
        if INDISPENSABLE.iter().any(|key| is_within(domain(key), protected)) {
            Some(NO_NODES)
        } else {
            is_within(protected, RESERVED).then_some(PROTECTED)
        }
    })?;
    let protected_keys = Keys::read(settings.at("protectedLabelKeys"), &|key| {
        if INDISPENSABLE.contains(&key) { Some(NO_NODES) } else { is_reserved(key).then_some(PROTECTED) }
    })?;
    let allowed_keys = Keys::read(settings.at("allowedLabelKeys"), &|key| {
        if is_reserved(key) {
            Some("is reserved for administrators, which no setting changes; remove it")
        } else if protected_domains.cover(key) || protected_keys.have(key) {
            Some("is protected by these settings as well; keep one of the two")
        } else {
            may_be_set(key, profile).then_some("may be set by nodes without this setting; remove it")
        }
    })?;
    let self_registration = Choice::read(settings.at("selfRegistration"))?;
    let create_enforcement = Choice::read(settings.at("createEnforcement"))?;
    if create_enforcement == CreateEnforcement::NodeRestrictionOnly
        && self_registration == SelfRegistration::Deny
    {
        let problem = "nodes create no Node under selfRegistration: Deny; remove one of the two";
        return Err(SettingsError::at(settings.at("createEnforcement"), problem));
    }
    Ok(NodeLabels {
        profile,
        create_enforcement,
        protected_domains,
        protected_keys,
        allowed_keys,
        self_registration,
        mode: Choice::read(settings.at("mode"))?,
    })
}

/// A rule that would stop every registration.
const NO_NODES: &str = "covers labels that every kubelet sets, so that no node could register; name less";

/// A rule that changes nothing.
const PROTECTED: &str = "is protected without this setting; remove it";
