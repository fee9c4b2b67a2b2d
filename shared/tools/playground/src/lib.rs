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
mod matrix;
#[cfg(feature = "whole")]
mod open;
#[cfg(feature = "whole")]
mod policy_manifest;
mod text;
mod types;
mod user;
mod workspace;

pub use engine::Playground;
pub use exchange::*;
pub use matrix::*;
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

/// Imports the policies of a text, whose kind is recognised.
#[cfg(feature = "whole")]
#[must_use]
pub fn import_source(text: &str) -> Imported {
    import::import(text)
}

/// Adds the Namespaces of a text to the cluster of a workspace, or to its objects if the cluster is
/// empty. Those that the workspace has stay as they are.
#[cfg(feature = "whole")]
#[must_use]
pub fn add_namespaces(workspace: Workspace, namespaces: &str) -> Workspace {
    import::add_namespaces(workspace, namespaces)
}

/// Reads a test file that [`Playground::case_text`] wrote, with its other files behind it as
/// further documents.
#[cfg(feature = "whole")]
#[must_use]
pub fn open_case(text: &str) -> OpenedCase {
    open::open(text)
}

/// Returns the keys and values that can be written at a path of the settings of a policy. Lists
/// have no step in the path.
#[must_use]
pub fn settings_completions(policy: &str, path: &[String]) -> Completions {
    completion::settings(policy, path)
}

/// Returns the fields that can be written at a path of an object. Lists have no step in the path.
#[must_use]
pub fn object_completions(api_version: &str, kind: &str, path: &[String]) -> Completions {
    completion::objects(api_version, kind, path)
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

/// Returns a sample as a workspace, or `None` if there is no sample with this name.
#[cfg(feature = "whole")]
#[must_use]
pub fn sample_workspace(policy: &str, sample: &str) -> Option<Workspace> {
    example::sample_workspace(policy, sample)
}

/// Returns a case from the text of a case file as a workspace, or `None` if there is no case with
/// this name.
#[cfg(feature = "whole")]
#[must_use]
pub fn case_workspace(policy: &str, file: &str, case: &str) -> Option<Workspace> {
    example::case_workspace(policy, file, case)
}

/// Returns a case as a workspace.
#[cfg(feature = "whole")]
#[must_use]
pub fn workspace_of(policy: &str, case: &suite::cases::Case) -> Workspace {
    example::of_case(policy, case)
}

/// Returns the cases in the text of a case file. The result is empty if the text is not a valid
/// case file.
#[cfg(feature = "whole")]
#[must_use]
pub fn cases(file: &str) -> Examples {
    Examples { examples: example::cases(file) }
}
