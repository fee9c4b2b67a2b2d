//! The Kubewarden host, embedded: runs modules as the policy server does.
//!
//! It uses the policy server's engine, Wasmtime, and behaves as the policy server does: a new
//! instance for each request, the request re-serialised field by field, settings that are always an
//! object, host calls that have to be granted, an epoch deadline, a memory limit, a patch computed
//! from the object of the request, and the same texts for everything that goes wrong. Look-ups are
//! answered from a set of [`kubernetes::objects`].
//!
//! A [`Host`] compiles a [`Module`] once. [`Module::deploy`] takes a [`Deployment`] and returns a
//! [`DeployedPolicy`] if the module accepts the settings. A deployed policy evaluates an
//! [`AdmissionRequest`] and returns an [`Evaluation`].
//!
//! # What this crate does not do
//! It does not decide which requests a policy evaluates: rules, selectors and match conditions
//! are evaluated by the API server. It has no policy groups, no audit and no raw policies. Of the
//! host capabilities it offers only the look-ups and the log.

mod capability;
mod constraint;
mod deployment;
mod engine;
mod error;
mod host_calls;
mod instance;
mod memory;
mod module;
mod policy;
mod wapc;
mod wasi;

pub use deployment::{Deployment, Mode, Resource};
pub use engine::Host;
pub use error::HostError;
pub use host_calls::{CallOutcome, HostCall, Replay};
pub use instance::CallFailure;
pub use kubernetes::review::{AdmissionRequest, AdmissionResponse, Status, StatusCause, StatusDetails};
pub use module::Module;
pub use policy::{DeployedPolicy, Evaluation};

#[cfg(test)]
mod tests;
