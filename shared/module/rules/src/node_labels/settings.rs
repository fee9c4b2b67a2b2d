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

    /// Whether a node may set, change or remove the owner references of its own Node.
    pub enum OwnerReferenceChanges {
        /// It may not.
        Deny,
        /// It may.
        Allow,
    }

    /// Whether a node may change the taints of its own Node after the creation.
    pub enum TaintChanges {
        /// It may not.
        Deny,
        /// It may.
        Allow,
    }

    /// Whether a node may delete its own Node.
    pub enum SelfDeletion {
        /// It may, unless the Node has labels or taints that the node may not remove, or the node
        /// could create it with other labels that are allowed on creation only.
        DenyProtected,
        /// It may not.
        Deny,
        /// It may.
        Allow,
    }

    /// How a forbidden change is handled.
    pub enum Mode {
        /// The request is denied.
        Enforce,
        /// The request is admitted with a warning.
        Warn,
    }
}

pub(super) const SETTINGS: &[Setting] = &[
    Setting::new("labelProfile", Kind::Choice(LabelProfile::NAMES)),
    Setting::new("createEnforcement", Kind::Choice(CreateEnforcement::NAMES)),
    Setting::new("protectedLabelPrefixes", Kind::List(&Kind::Text)),
    Setting::new("protectedLabelKeys", Kind::List(&Kind::Text)),
    Setting::new("allowedLabelKeys", Kind::List(&Kind::Text)),
    Setting::new("createOnlyLabelPrefixes", Kind::List(&Kind::Text)),
    Setting::new("createOnlyLabelKeys", Kind::List(&Kind::Text)),
    Setting::new("selfRegistration", Kind::Choice(SelfRegistration::NAMES)),
    Setting::new("ownerReferenceChanges", Kind::Choice(OwnerReferenceChanges::NAMES)),
    Setting::new("taintChanges", Kind::Choice(TaintChanges::NAMES)),
    Setting::new("allowedTaintKeys", Kind::List(&Kind::Text)),
    Setting::new("selfDeletion", Kind::Choice(SelfDeletion::NAMES)),
    BoundTokens::HANDLING,
    BoundTokens::EXEMPT,
    Setting::new("mode", Kind::Choice(Mode::NAMES)),
];

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
        "createOnlyLabelPrefixes",
        "Domains, such as `node-role.kubernetes.io`, whose labels nodes may set only when they create their Node. Subdomains are not included.",
    ),
    (
        "createOnlyLabelKeys",
        "Labels that nodes may set when they create their Node, and not set, change or remove afterwards, such as `node-role.kubernetes.io/worker`.",
    ),
    (
        "selfRegistration",
        "`Deny`: nodes may not create their own Node. For clusters whose control plane creates the Nodes. The manifest must not have the match condition does-more-than-register-an-ordinary-node.",
    ),
    (
        "ownerReferenceChanges",
        "`Deny`: nodes may not set, change or remove the owner references of their Node. The garbage collector deletes a Node whose owners do not exist.",
    ),
    (
        "taintChanges",
        "`Deny`: nodes may set taints only when they create their Node, and not change them afterwards, as in-tree.",
    ),
    (
        "allowedTaintKeys",
        "Keys of taints that nodes may change, such as `example.com/not-initialized` of an agent that removes it when it is ready.",
    ),
    (
        "selfDeletion",
        "`DenyProtected`: a node may not delete its Node if it has labels or taints that the node may not remove, or if labels are allowed on creation only; taints of `node.kubernetes.io` and `node.cloudprovider.kubernetes.io` do not count. `Deny`: a node may never delete its Node.",
    ),
    (
        "nodeBoundTokens",
        "`Restrict`: a service account whose token is bound to a node, as those of pods are, is evaluated like that node. The match conditions have to let its requests through.",
    ),
    (
        "exemptServiceAccounts",
        "Service accounts, as `namespace/name`, that `nodeBoundTokens: Restrict` does not restrict, such as those of controllers that write the Nodes of others.",
    ),
    (
        "mode",
        "`Warn`: forbidden changes are admitted with a warning and the audit annotations `forbidden-labels` and `forbidden-fields`. Writes of other Nodes, creations with `selfRegistration: Deny` and deletions with `selfDeletion: Deny` are denied in both modes.",
    ),
];

const BLOCKS_REGISTRATION: &str =
    "covers labels that every kubelet sets, so no node could register; protect fewer labels";

const ALWAYS_PROTECTED: &str = "is always protected; remove it";

const CANNOT_BE_ALLOWED: &str = "is reserved for administrators and cannot be allowed; remove it";

const ALSO_PROTECTED: &str = "is also protected by these settings; remove it from one of them";

const WITHOUT_CREATION: &str = "cannot be set with selfRegistration: Deny; remove it, or protect it instead";

const REGISTERS_AGAIN: &str = "lets a node delete its Node and create it with other labels of createOnlyLabelKeys and \
     createOnlyLabelPrefixes; remove it or these lists";

#[derive(Debug)]
pub(super) struct Settings {
    pub(super) profile: LabelProfile,
    pub(super) create_enforcement: CreateEnforcement,
    pub(super) protected: Labels,
    pub(super) allowed_keys: Keys,
    pub(super) create_only: Labels,
    pub(super) self_registration: SelfRegistration,
    pub(super) owner_reference_changes: OwnerReferenceChanges,
    pub(super) taint_changes: TaintChanges,
    pub(super) allowed_taint_keys: Keys,
    pub(super) self_deletion: SelfDeletion,
    pub(super) bound_tokens: BoundTokens,
    pub(super) mode: Mode,
}

impl Settings {
    pub(super) fn read(settings: Node<'_>) -> Result<Self, SettingsError> {
        let profile = Choice::read(settings.at("labelProfile"))?;
        let protected = Labels::protected(settings)?;
        let self_registration = Choice::read(settings.at("selfRegistration"))?;
        let is_denied = self_registration == SelfRegistration::Deny;
        let create_only = Labels::create_only(settings, &protected, is_denied)?;
        let allowed_keys = Keys::read(settings.at("allowedLabelKeys"), &|key| {
            if is_reserved(key) {
                Some(CANNOT_BE_ALLOWED)
            } else if protected.cover(key) {
                Some(ALSO_PROTECTED)
            } else if create_only.have(key) {
                Some("is also allowed on creation only; remove it from one of the lists")
            } else {
                is_allowed(key, profile).then_some("is allowed without this setting; remove it")
            }
        })?;
        let (deletion, owners) = (settings.at("selfDeletion"), settings.at("ownerReferenceChanges"));
        let (self_deletion, owner_reference_changes) = (Choice::read(deletion)?, Choice::read(owners)?);
        if !create_only.is_empty() {
            for (setting, is_allowed) in [
                (deletion, self_deletion == SelfDeletion::Allow),
                (owners, owner_reference_changes == OwnerReferenceChanges::Allow),
            ] {
                if is_allowed {
                    return Err(SettingsError::about(setting, "Allow", REGISTERS_AGAIN));
                }
            }
        }
        let create_enforcement = Choice::read(settings.at("createEnforcement"))?;
        if create_enforcement == CreateEnforcement::NodeRestrictionOnly && is_denied {
            let problem = "has no effect with selfRegistration: Deny; remove one of the two";
            return Err(SettingsError::at(settings.at("createEnforcement"), problem));
        }
        let taint_changes = Choice::read(settings.at("taintChanges"))?;
        let allowed_taint_keys = Keys::read(settings.at("allowedTaintKeys"), &|_| {
            (taint_changes == TaintChanges::Allow)
                .then_some("has no effect with taintChanges: Allow; remove it")
        })?;
        Ok(Self {
            profile,
            create_enforcement,
            protected,
            allowed_keys,
            create_only,
            self_registration,
            owner_reference_changes,
            taint_changes,
            allowed_taint_keys,
            self_deletion,
            bound_tokens: BoundTokens::read(settings)?,
            mode: Choice::read(settings.at("mode"))?,
        })
    }
}

/// The labels of two settings, one with domains and one with keys.
#[derive(Debug)]
pub(super) struct Labels {
    pub(super) domains: Domains,
    pub(super) keys: Keys,
}

impl Labels {
    fn protected(settings: Node<'_>) -> Result<Self, SettingsError> {
        let domains = Domains::read(settings.at("protectedLabelPrefixes"), &|protected| {
            if SET_BY_EVERY_KUBELET.iter().any(|key| is_within(domain(key), protected)) {
                Some(BLOCKS_REGISTRATION)
            } else {
                is_within(protected, RESERVED).then_some(ALWAYS_PROTECTED)
            }
        })?;
        let keys = Keys::read(settings.at("protectedLabelKeys"), &|key| {
            if SET_BY_EVERY_KUBELET.contains(&key) {
                Some(BLOCKS_REGISTRATION)
            } else {
                is_reserved(key).then_some(ALWAYS_PROTECTED)
            }
        })?;
        Ok(Self { domains, keys })
    }

    fn create_only(
        settings: Node<'_>,
        protected: &Self,
        is_registration_denied: bool,
    ) -> Result<Self, SettingsError> {
        let problem = |is_reserved, is_protected| {
            if is_reserved {
                Some(CANNOT_BE_ALLOWED)
            } else if is_protected {
                Some(ALSO_PROTECTED)
            } else {
                is_registration_denied.then_some(WITHOUT_CREATION)
            }
        };
        let domains = Domains::read(settings.at("createOnlyLabelPrefixes"), &|domain| {
            problem(is_within(domain, RESERVED), protected.domains.include(domain))
        })?;
        let keys = Keys::read(settings.at("createOnlyLabelKeys"), &|key| {
            problem(is_reserved(key), protected.cover(key))
        })?;
        Ok(Self { domains, keys })
    }

    /// Returns whether the label is one of the keys, or in one of the domains or a subdomain.
    pub(super) fn cover(&self, key: &str) -> bool {
        self.domains.cover(key) || self.keys.have(key)
    }

    /// Returns whether the label is one of the keys, or in one of the domains itself.
    pub(super) fn have(&self, key: &str) -> bool {
        self.domains.have(key) || self.keys.have(key)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.domains.is_empty() && self.keys.is_empty()
    }
}
