//! The policy `pod-security`: the Pod Security Standards at every version, with exclusions.
//!
//! # Why
//! Pod Security Admission applies one level to a whole namespace and has no exceptions, so one
//! sidecar that needs one capability opens its whole namespace. Here, an entry of the setting
//! `exclude` covers exactly the violations that it names.
//!
//! # What is denied
//! Pods and pod templates that violate the level at its version. The folder [`standard`] lists
//! every check.
//!
//! # Order of evaluation
//! 1. Exemptions by namespace and user.
//! 2. Updates that do not change what a pod runs, which are admitted.
//! 3. Labels of the Namespace, if the settings honor them.
//! 4. The exemption by runtime class.
//! 5. The checks. Each finding is evaluated alone: it is tolerated if the settings tolerate
//!    existing violations and the old object has it, it is excluded if an entry covers it, and it
//!    is a violation otherwise.
//!
//! # Sources
//! - Pod Security Standards: <https://kubernetes.io/docs/concepts/security/pod-security-standards/>
//! - Pod Security Admission: KEP-2579 and k8s.io/pod-security-admission
//! - Exclusions: `validate.podSecurity` of Kyverno

mod evaluation;
mod examine;
mod exclude;
mod exemptions;
mod existing;
mod finding;
mod level;
mod modes;
mod namespace_labels;
mod owner;
mod policy;
mod raised_level;
mod report;
mod settings;
mod significance;
pub mod standard;
mod verdict;

use exclude::Exclusions;
use exemptions::Exemptions;
pub use level::{Level, LevelVersion, NEWEST, Version};
use modes::{Modes, StandardsByMode};
pub use settings::{ExistingViolations, NamespaceLabels, Templates};

/// The words with which warnings about violations of a standard begin, as those of the API server.
pub const WOULD_VIOLATE: &str = "would violate PodSecurity ";

/// The policy `pod-security` with its settings.
#[derive(Debug)]
pub struct PodSecurity {
    standards: StandardsByMode,
    exclusions: Exclusions,
    exemptions: Exemptions,
    existing_violations: ExistingViolations,
    templates: Templates,
    namespace_labels: NamespaceLabels,
}
