//! The metadata of a policy module, and its package for catalogues.
//!
//! Kubewarden reads a module's [`Metadata`] from a custom section: the requests that the policy
//! evaluates, whether it changes objects, the objects that it looks up, its authors. Metadata is
//! written by hand as `metadata.yml`. This crate checks that the host and the catalogues accept it,
//! and [`annotate`] adds it to the module, without `kwctl` and with the same bytes on every
//! machine. Together with the form for people, [`Questions`], it becomes the package that
//! Artifact Hub reads, [`artifact_hub_package`], and the chart that Rancher reads,
//! [`rancher_chart`].
//!
//! The format is that of
//! <https://docs.kubewarden.io/tutorials/writing-policies/metadata>.
//!
//! # What this module does not do
//! It does not run modules or push them to a registry.

mod annotations;
mod artifact_hub;
mod catalogue;
mod error;
mod metadata;
mod questions;
mod rancher;
mod rules;
mod section;
#[cfg(test)]
mod tests;

pub use artifact_hub::artifact_hub_package;
pub use error::PackagingError;
pub use metadata::{ExecutionMode, Metadata, PROTOCOL_VERSION, PolicyType};
pub use questions::{Question, Questions};
pub use rancher::{RancherChart, rancher_chart};
pub use section::{SECTION, annotate};
