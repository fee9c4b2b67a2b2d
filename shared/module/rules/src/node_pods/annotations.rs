//! The annotations that a node may write on pods under `restrictAnnotations`.

use admission::{Node, Remedy, Violation};

use super::rule;
use crate::label::{Domains, Keys, domain};

/// The annotations that KEP-1314 allows.
const KEYS: [&str; 8] = [
    "kubernetes.io/config.mirror",
    "kubernetes.io/config.hash",
    "kubernetes.io/config.seen",
    "kubernetes.io/config.source",
    "podpreset.admission.kubernetes.io/exclude",
    "seccomp.security.alpha.kubernetes.io/pod",
    "scheduler.alpha.kubernetes.io/preferAvoidPods",
    "node.kubernetes.io/bootstrap-checkpoint",
];

/// The domains in which KEP-1314 allows all annotations.
const DOMAINS: [&str; 3] = [
    "unrestricted.node.kubernetes.io",
    "container.seccomp.security.alpha.kubernetes.io",
    "container.apparmor.security.beta.kubernetes.io",
];

/// The annotations that the settings allow in addition.
#[derive(Debug)]
pub(super) struct Annotations {
    pub(super) keys: Keys,
    pub(super) domains: Domains,
}

impl Annotations {
    pub(super) fn allow(&self, key: &str) -> bool {
        KEYS.contains(&key) || DOMAINS.contains(&domain(key)) || self.keys.have(key) || self.domains.have(key)
    }
}

/// Returns the violation of an annotation of a pod that a node adds or, unless `is_added`, changes
/// or removes.
pub(super) fn violation(at: Node<'_>, is_added: bool) -> Violation<'_> {
    let remedy = if is_added {
        Remedy::REMOVE.and(", or add it to allowedAnnotationKeys")
    } else {
        Remedy::in_words("leave it unchanged, or add it to allowedAnnotationKeys")
    };
    Violation::forbidden(rule::ANNOTATION, at, "a node may not write this annotation of a pod", remedy)
}
