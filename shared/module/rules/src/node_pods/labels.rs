//! The labels that mirror pods may have.

use std::borrow::Cow;

use admission::{Fault, Node, Violation, choices};

use super::lookups::{COPIED, Lookups};
use crate::label::{Domains, Keys};

choices! {
    /// How the labels that mirror pods may have are determined.
    pub enum LabelMode {
        /// Mirror pods may have the labels that the Namespace or the settings list.
        AllowList,
        /// Mirror pods may have all labels that the settings do not deny.
        DenyList,
    }
}

/// The labels that no mirror pod may have by default, because system controllers select pods by
/// them.
///
/// Source: KEP-1314.
pub const DENIED_BY_DEFAULT: [&str; 1] = ["k8s-app"];

/// The settings for labels.
#[derive(Debug)]
pub(super) struct Labels {
    pub(super) mode: LabelMode,
    pub(super) denied_keys: Keys,
    pub(super) denied_domains: Domains,
    pub(super) allowed_keys: Keys,
    pub(super) allowed_domains: Domains,
}

/// The reason why a mirror pod may not have a label.
pub(super) enum Reason {
    /// The settings deny the label.
    Denied,
    /// Neither the settings nor the Namespace list the label; the value is the rule.
    Unlisted(Cow<'static, str>),
}

impl Labels {
    /// Returns the reason why a mirror pod may not have the label `key`, whose value is at `at`, or
    /// `None` if it may.
    pub(super) fn reason(
        &self,
        key: &str,
        at: Node<'_>,
        lookups: &mut Lookups<'_>,
    ) -> Result<Option<Reason>, Fault> {
        let value = at.text()?.unwrap_or_default();
        let is_denied = self.denied_keys.have(key) || self.denied_domains.cover(key);
        let is_allowed = match self.mode {
            LabelMode::AllowList => self.allowed_keys.have(key) || self.allowed_domains.have(key),
            LabelMode::DenyList => true,
        };
        if !is_denied && is_allowed || COPIED.contains(&key) && lookups.node()?.is_copied(key, value) {
            return Ok(None);
        }
        if is_denied {
            return Ok(Some(Reason::Denied));
        }
        let namespace = lookups.namespace()?;
        Ok((!namespace.lists(key)).then(|| Reason::Unlisted(namespace.unlisted_label_rule())))
    }
}

impl Reason {
    pub(super) fn violation(self, at: Node<'_>) -> Violation<'_> {
        match self {
            Reason::Unlisted(rule) => Violation::forbidden(
                at,
                rule,
                "add it to the Namespace's annotation node.kubernetes.io/mirror.allowed-label-keys, or remove it from the static pod",
            ),
            Reason::Denied => Violation::forbidden(
                at,
                "mirror pods may not have this label, even if the Namespace lists it",
                "remove it from the static pod",
            ),
        }
    }
}
