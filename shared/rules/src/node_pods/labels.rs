//! Labels of mirror pods.

use std::borrow::Cow;

use admission::{Fault, Node, Violation};

use super::LabelMode;
use super::answers::Answers;
use crate::label::{Domains, Keys};
use crate::view::Pod;

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

/// A label that a mirror pod may not have.
pub(super) struct Refused<'d> {
    pub(super) key: &'d str,
    pub(super) value: &'d str,
    at: Node<'d>,
    /// Why, if not because the settings say so.
    unlisted: Option<Cow<'static, str>>,
}

impl Labels {
    /// The labels of a pod that it may not have.
    pub(super) fn refused<'d>(
        &self,
        pod: Pod<'d>,
        answers: &mut Answers<'_>,
    ) -> Result<Vec<Refused<'d>>, Fault> {
        let mut refused = Vec::new();
        for (key, at) in pod.metadata().labels().fields()? {
            let value = at.text()?.unwrap_or_default();
            let denied = self.denied_keys.have(key) || self.denied_domains.cover(key);
            let open = match self.mode {
                LabelMode::AllowList => self.allowed_keys.have(key) || self.allowed_domains.have(key),
                LabelMode::DenyList => true,
            };
            if !denied && open || COPIED.contains(&key) && answers.node()?.gave(key, value) {
                continue;
            }
            let unlisted = if denied {
                None
            } else {
                let namespace = answers.namespace()?;
                if namespace.lists(key) {
                    continue;
                }
                Some(namespace.unlisted())
            };
            refused.push(Refused { key, value, at, unlisted });
        }
        Ok(refused)
    }
}

impl<'d> Refused<'d> {
    pub(super) fn violation(&self) -> Violation<'d> {
        match &self.unlisted {
            Some(rule) => Violation::forbidden(
                self.at,
                rule.clone(),
                "add it to the Namespace's annotation node.kubernetes.io/mirror.allowed-label-keys, or remove it from the static pod",
            ),
            None => Violation::forbidden(
                self.at,
                "no mirror pod may have this label, whatever its Namespace lists",
                "remove it from the static pod",
            ),
        }
    }
}
