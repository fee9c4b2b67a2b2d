//! What a policy module says about itself.
//!
//! Kubewarden reads a module's [`Metadata`] from a custom section: which requests concern the policy, whether
//! it changes objects, what it asks the cluster, who wrote it. It is written by hand as `metadata.yml`, held
//! here against what the host and the catalogues accept, and put into the module by [`annotate`], without
//! `kwctl` and with the same bytes on every machine. With the form for people, [`Questions`], it becomes the package that
//! catalogues read, [`artifact_hub_package`].
//!
//! # What this crate does not do
//! It runs no module and pushes none to a registry.

mod annotations;
mod artifact_hub;
mod error;
mod metadata;
mod questions;
mod rules;
mod section;

pub use artifact_hub::artifact_hub_package;
pub use error::PackagingError;
pub use metadata::{
    ContextAwareResource, ExecutionMode, Metadata, Operation, PROTOCOL_VERSION, PolicyType,
    RuleWithOperations,
};
pub use questions::{Question, Questions};
pub use section::{SECTION, annotate};
