//! Kubewarden's policies around their rules.
//!
//! * [`matching`]: policy manifests, the requests that their webhooks receive, and groups.
//! * [`deployment`]: what a deployment of one of this project's policies needs, by its settings.
//! * [`packaging`]: the metadata of a module, and its packages for catalogues.
//!
//! # What this crate does not do
//! It runs no modules (see `wapc-host`) and asks no policies (see `scan`).

pub mod deployment;
pub mod matching;
pub mod packaging;
mod rule;

pub use rule::{ContextAwareResource, Operation, RuleWithOperations};
