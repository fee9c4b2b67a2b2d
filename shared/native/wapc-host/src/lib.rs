//! The Kubewarden host, embedded: runs modules as the policy server does.
//!
//! It is made of the crates that Kubewarden's policy evaluator is made of, waPC and Wasmtime, and keeps to
//! what the real host does: a fresh instance for each request, the request re-serialised field by field,
//! settings that are always an object, host calls that have to be granted, an epoch deadline, a memory limit,
//! a patch computed from the object of the request, and the host's own words for whatever goes wrong.
//! Look-ups are answered from a set of [`cluster_objects`].
//!
//! A [`Host`] loads a [`Module`] once; a [`Deployment`] of it, whose settings the module has accepted, is a
//! [`DeployedPolicy`]; a policy judges an [`AdmissionRequest`] and gives an [`Evaluation`].
//!
//! # What this crate does not do
//! It does not decide which requests concern a policy: rules, selectors and match conditions are the API
//! server's. It has no groups of policies, no audit and no raw policies, and of the host's capabilities only
//! the look-ups and the log.

mod capability;
mod constraint;
mod deployment;
mod engine;
mod error;
mod host_calls;
mod instance;
mod module;
mod policy;

pub use admission_review::{AdmissionRequest, AdmissionResponse, Status, StatusCause, StatusDetails};
pub use deployment::{Deployment, Mode, Resource};
pub use engine::Host;
pub use error::HostError;
pub use host_calls::{CallOutcome, HostCall};
pub use module::Module;
pub use policy::{DeployedPolicy, Evaluation};

#[cfg(test)]
mod tests;
