//! Labels of mirror pods.

use std::borrow::Cow;

use admission::{Fault, Node, Violation};

use super::LabelMode;
use super::answers::Answers;
use crate::label::{Domains, Keys};

/// Labels that the API server copies from the Node onto every pod that is created with a node name, after the
/// in-tree plugins have judged it; those of `k8s.io` in the first version of the feature.
///
/// Source: `PodTopologyLabels` of k8s.io/kubernetes/plugin/pkg/admission/podtopologylabels.
pub const COPIED: [&str; 4] = [
    "topology.kubernetes.io/zone",
    "topology.kubernetes.io/region",
    "topology.k8s.io/zone",
    "topology.k8s.io/region",
];

/// Labels that no mirror pod may have unless the settings say otherwise: controllers of the system look for it.
pub const DENIED_BY_DEFAULT: [&str; 1] = ["k8s-app"];

/// The rules about labels.
#[derive(Debug)]
pub(super) struct Labels {
    pub(super) mode: LabelMode,
    pub(super) denied_keys: Keys,
    pub(super) denied_domains: Domains,
    pub(super) allowed_keys: Keys,
    pub(super) allowed_domains: Domains,
}

/// Why a mirror pod may not have a label.
pub(super) enum Refusal {
    /// The settings deny it.
    Denied,
    /// Nobody lists it.
    Unlisted(Cow<'static, str>),
}

impl Labels {
    /// Why a mirror pod may not have a label; `None` if it may.
    pub(super) fn refusal(
        &self,
        key: &str,
        at: Node<'_>,
        answers: &mut Answers<'_>,
    ) -> Result<Option<Refusal>, Fault> {
        let value = at.text()?.unwrap_or_default();
        let denied = self.denied_keys.have(key) || self.denied_domains.cover(key);
        let open = match self.mode {
            LabelMode::AllowList => self.allowed_keys.have(key) || self.allowed_domains.have(key),
            LabelMode::DenyList => true,
        };
        if !denied && open || COPIED.contains(&key) && answers.node()?.gave(key, value) {
            return Ok(None);
        }
        if denied {
            return Ok(Some(Refusal::Denied));
        }
        let namespace = answers.namespace()?;
        Ok((!namespace.lists(key)).then(|| Refusal::Unlisted(namespace.unlisted())))
    }
}

impl Refusal {
    pub(super) fn violation(self, at: Node<'_>) -> Violation<'_> {
        match self {
            Refusal::Unlisted(rule) => Violation::forbidden(
                at,
                rule,
                "add it to the Namespace's annotation node.kubernetes.io/mirror.allowed-label-keys, or remove it from the static pod",
            ),
            Refusal::Denied => Violation::forbidden(
                at,
                "no mirror pod may have this label, whatever its Namespace lists",
                "remove it from the static pod",
            ),
        }
    }
}
