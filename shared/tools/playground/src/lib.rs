//! The policies in a browser.
//!
//! Inputs and outputs are plain objects with types for TypeScript:
//!
//! * [`Playground::evaluate`] evaluates a [`Workspace`], objects against policies, and returns a
//!   [`Matrix`]. [`Playground::cell`] returns the details of a cell.
//! * [`Playground::fix`], [`Playground::case_text`], [`Playground::report`] and
//!   [`Playground::commands`] are about the workspace that was evaluated last.
//! * [`import_source`] makes policies of what clusters have today, and [`open_case`] a workspace of
//!   a test file.
//! * [`policies`] lists the catalog; [`sample_workspace`], [`cases`] and [`case_workspace`] provide
//!   examples, and [`settings_completions`] and [`object_completions`] what can be written.
//!
//! A text that cannot be read results in a [`TextProblem`] with its location, not in an exception.
//! The module [`browser`] exports these functions with wasm-bindgen and TypeScript types. Without
//! the feature `whole`, the crate evaluates rules only, and a browser loads it fast.
//!
//! The crate contains no rules of its own, and does not decide which policies are asked about a
//! request: the crate `scan` does, as for the tool.

pub mod browser;
mod catalog;
mod completion;
mod engine;
#[cfg(feature = "whole")]
mod example;
mod exchange;
mod fix;
#[cfg(feature = "whole")]
mod import;
mod leaves;
mod matrix;
#[cfg(feature = "whole")]
mod open;
#[cfg(feature = "whole")]
mod policy_manifest;
mod text;
mod types;
mod user;
mod workspace;

pub use completion::{object_completions, settings_completions};
pub use engine::Playground;
#[cfg(feature = "whole")]
pub use example::{case_workspace, sample_workspace, workspace_of};
pub use exchange::*;
#[cfg(feature = "whole")]
pub use import::{add_namespaces, import_source};
pub use matrix::*;
#[cfg(feature = "whole")]
pub use open::open_case;
pub use workspace::*;

pub use types::{
    AuditAnnotation, Example, Examples, ObjectDiff, Operation, Policies, Policy, Sample, Setting, User,
};

/// The namespace of objects that need one and name none, as in kubectl.
const NAMESPACE: &str = "default";

/// Returns every policy with its settings and samples.
#[must_use]
pub fn policies() -> Policies {
    Policies { policies: catalog::policies() }
}

/// Returns the versions of the playground.
#[must_use]
pub fn version() -> Version {
    Version {
        portcullis: env!("CARGO_PKG_VERSION").to_owned(),
        kubernetes: format!("v1.{}", rules::pod_security::NEWEST),
        kubewarden_protocol: kubewarden::packaging::PROTOCOL_VERSION.to_owned(),
        is_whole: cfg!(feature = "whole"),
    }
}

/// Returns the cases in the text of a case file. The result is empty if the text is not a valid
/// case file.
#[cfg(feature = "whole")]
#[must_use]
pub fn cases(file: &str) -> Examples {
    Examples { examples: example::cases(file) }
}
