//! The settings of `node-labels`.

use admission::{Choice, Kind, Node, Setting, SettingsError, choices};

use super::keys::{LabelProfile, RESERVED, SET_BY_EVERY_KUBELET, is_allowed, is_reserved};
use crate::caller::BoundTokens;
use crate::label::{Domains, Keys, domain, is_within};

choices! {
    /// The labels that are reviewed when a Node is created.
    pub enum CreateEnforcement {
        /// The same labels as on an update.
        Full,
        /// Only reserved and protected labels.
        NodeRestrictionOnly,
    }

    /// Whether a node may create its own Node.
    pub enum SelfRegistration {
        /// It may.
        Allow,
        /// It may not.
        Deny,
    }

    /// How a forbidden label is handled.
    pub enum Mode {
        /// The request is denied.
        Enforce,
        /// The request is admitted with a warning.
        Warn,
    }
}

/// The declaration of the settings.
pub(super) const SETTINGS: &[Setting] = &[
    Setting::new("labelProfile", Kind::Choice(LabelProfile::NAMES)),
    Setting::new("createEnforcement", Kind::Choice(CreateEnforcement::NAMES)),
    Setting::new("protectedLabelPrefixes", Kind::List(&Kind::Text)),
    Setting::new("protectedLabelKeys", Kind::List(&Kind::Text)),
    Setting::new("allowedLabelKeys", Kind::List(&Kind::Text)),
    Setting::new("selfRegistration", Kind::Choice(SelfRegistration::NAMES)),
    BoundTokens::HANDLING,
    BoundTokens::EXEMPT,
    Setting::new("mode", Kind::Choice(Mode::NAMES)),
];

/// The description of each setting.
pub(super) const DOCS: &[(&str, &str)] = &[
    (
        "labelProfile",
        "Labels of `kubernetes.io` and `k8s.io` that nodes may set: the list of KEP-279, the list of the in-tree plugin, or both.",
    ),
    (
        "createEnforcement",
        "`NodeRestrictionOnly`: when a node creates its Node, only reserved and protected labels are denied, as in the first stage of KEP-279.",
    ),
    (
        "protectedLabelPrefixes",
        "Domains, such as `example.com`, whose labels nodes may not set, change or remove. Subdomains are included.",
    ),
    ("protectedLabelKeys", "Labels, such as `foo/dedicated`, that nodes may not set, change or remove."),
    (
        "allowedLabelKeys",
        "Additional labels of `kubernetes.io` and `k8s.io` that nodes may set, such as `node-role.kubernetes.io/worker`. Labels of `node-restriction.kubernetes.io` cannot be allowed.",
    ),
    (
        "selfRegistration",
        "`Deny`: nodes may not create their own Node. For clusters whose control plane creates the Nodes.",
    ),
    (
        "nodeBoundTokens",
        "`Restrict`: a service account whose token is bound to a node, as those of pods are, is judged like that node. The match conditions have to let its requests through.",
    ),
    (
        "exemptServiceAccounts",
        "Service accounts, as `namespace/name`, that `nodeBoundTokens: Restrict` does not restrict, such as those of controllers that write the Nodes of others.",
    ),
    (
        "mode",
        "`Warn`: forbidden labels are admitted with a warning and the audit annotation `forbidden-labels`. Writes of other Nodes, and creations with `selfRegistration: Deny`, are denied in both modes.",
    ),
];

/// The problem of a protected label or domain that would block every registration.
const BLOCKS_REGISTRATION: &str =
    "covers labels that every kubelet sets, so no node could register; protect fewer labels";

/// The problem of a protected label or domain that is reserved.
const ALWAYS_PROTECTED: &str = "is always protected; remove it";

/// The parsed settings.
#[derive(Debug)]
pub(super) struct Settings {
    pub(super) profile: LabelProfile,
    pub(super) create_enforcement: CreateEnforcement,
    pub(super) protected_domains: Domains,
    pub(super) protected_keys: Keys,
    pub(super) allowed_keys: Keys,
    pub(super) self_registration: SelfRegistration,
    pub(super) bound_tokens: BoundTokens,
    pub(super) mode: Mode,
}

impl Settings {
    pub(super) fn read(settings: Node<'_>) -> Result<Self, SettingsError> {
        let profile = Choice::read(settings.at("labelProfile"))?;
        let protected_domains = Domains::read(settings.at("protectedLabelPrefixes"), &|protected| {
            if SET_BY_EVERY_KUBELET.iter().any(|key| is_within(domain(key), protected)) {
                Some(BLOCKS_REGISTRATION)
            } else {
                is_within(protected, RESERVED).then_some(ALWAYS_PROTECTED)
            }
        })?;
        let protected_keys = Keys::read(settings.at("protectedLabelKeys"), &|key| {
            if SET_BY_EVERY_KUBELET.contains(&key) {
                Some(BLOCKS_REGISTRATION)
            } else {
                is_reserved(key).then_some(ALWAYS_PROTECTED)
            }
        })?;
        let allowed_keys = Keys::read(settings.at("allowedLabelKeys"), &|key| {
            if is_reserved(key) {
                Some("is reserved for administrators and cannot be allowed; remove it")
            } else if protected_domains.cover(key) || protected_keys.have(key) {
                Some("is also protected by these settings; remove it from one of them")
            } else {
                is_allowed(key, profile).then_some("is allowed without this setting; remove it")
            }
        })?;
        let self_registration = Choice::read(settings.at("selfRegistration"))?;
        let create_enforcement = Choice::read(settings.at("createEnforcement"))?;
        if create_enforcement == CreateEnforcement::NodeRestrictionOnly
            && self_registration == SelfRegistration::Deny
        {
            let problem = "has no effect with selfRegistration: Deny; remove one of the two";
            return Err(SettingsError::at(settings.at("createEnforcement"), problem));
        }
        Ok(Self {
            profile,
            create_enforcement,
            protected_domains,
            protected_keys,
            allowed_keys,
            self_registration,
            bound_tokens: BoundTokens::read(settings)?,
            mode: Choice::read(settings.at("mode"))?,
        })
    }
}
