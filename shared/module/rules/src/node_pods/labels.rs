//! The labels that mirror pods may have.

use std::borrow::Cow;

use admission::{Fault, Node, SettingsError, Violation, choices};

use super::lookups::{COPIED, Lookups};
use super::rule;
use crate::label::{Domains, Keys};
use crate::name::{is_label_key, is_label_value};

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

/// Labels with their values, such as `k8s-app=kube-apiserver`.
#[derive(Debug)]
pub(super) struct Pairs(Vec<(String, String)>);

impl Pairs {
    pub(super) fn read(setting: Node<'_>) -> Result<Self, SettingsError> {
        let mut pairs = Vec::new();
        for (item, text) in setting.texts()? {
            match text.split_once('=') {
                Some((key, value)) if is_label_key(key) && is_label_value(value) => {
                    pairs.push((key.to_owned(), value.to_owned()));
                }
                _ => {
                    let problem = "is not a label with its value; use a form such as k8s-app=kube-apiserver";
                    return Err(SettingsError::about(item, text, problem));
                }
            }
        }
        Ok(Self(pairs))
    }

    fn have(&self, key: &str, value: &str) -> bool {
        self.0.iter().any(|(known_key, known_value)| known_key == key && known_value == value)
    }
}

#[derive(Debug)]
pub(super) struct Labels {
    pub(super) mode: LabelMode,
    pub(super) allowed_pairs: Pairs,
    pub(super) denied_keys: Keys,
    pub(super) denied_domains: Domains,
    pub(super) allowed_keys: Keys,
    pub(super) allowed_domains: Domains,
}

pub(super) enum Reason {
    DeniedKey,
    DeniedDomain,
    /// Neither the settings nor the Namespace list the label; the value is the rule.
    Unlisted(Cow<'static, str>),
}

impl Labels {
    pub(super) fn denies(&self, key: &str) -> bool {
        self.denied_keys.have(key)
    }

    /// Returns the reason why a mirror pod may not have the label `key`, whose value is at `at`, or
    /// `None` if it may.
    pub(super) fn reason(
        &self,
        key: &str,
        at: Node<'_>,
        lookups: &mut Lookups<'_>,
    ) -> Result<Option<Reason>, Fault> {
        let value = at.text()?.unwrap_or_default();
        if self.allowed_pairs.have(key, value) {
            return Ok(None);
        }
        let is_denied_key = self.denies(key);
        let is_denied = is_denied_key || self.denied_domains.cover(key);
        let is_allowed = match self.mode {
            LabelMode::AllowList => self.allowed_keys.have(key) || self.allowed_domains.have(key),
            LabelMode::DenyList => true,
        };
        if !is_denied && is_allowed || COPIED.contains(&key) && lookups.node()?.is_copied(key, value) {
            return Ok(None);
        }
        if is_denied {
            return Ok(Some(if is_denied_key { Reason::DeniedKey } else { Reason::DeniedDomain }));
        }
        let namespace = lookups.namespace()?;
        Ok((!namespace.lists(key)).then(|| Reason::Unlisted(namespace.unlisted_label_rule())))
    }
}

impl Reason {
    pub(super) fn violation(self, at: Node<'_>) -> Violation<'_> {
        match self {
            Reason::Unlisted(rule) => Violation::forbidden(
                rule::MIRROR_LABEL,
                at,
                rule,
                "add it to the Namespace's annotation node.kubernetes.io/mirror.allowed-label-keys or to allowedLabelKeys, or remove it from the static pod",
            ),
            Reason::DeniedKey | Reason::DeniedDomain => Violation::forbidden(
                rule::MIRROR_LABEL,
                at,
                "mirror pods may not have this label, even if the Namespace lists it",
                "remove it from the static pod, or add it with its value to allowedLabels",
            ),
        }
    }
}
