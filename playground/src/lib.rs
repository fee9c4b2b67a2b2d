//! The policies in a browser.
//!
//! This crate is a thin facade over [`rules::CATALOG`]. Inputs and outputs are strings and plain
//! objects:
//!
//! * [`policies`] lists the catalog.
//! * [`judge`] judges a manifest, and [`requests`] returns the requests that it judges.
//! * [`check_settings`] checks settings, and [`cluster_admission_policy`] returns the manifest that
//!   deploys them.
//! * [`sample_input`], [`cases`] and [`case_input`] provide examples.
//!
//! An input that cannot be read results in an [`InputProblem`] with its location, not in an
//! exception. The module [`browser`] exports these functions with wasm-bindgen and TypeScript
//! types.
//!
//! The crate contains no rules of its own. It calls the same crates as the policy modules.

pub mod browser;
mod catalog;
mod completion;
mod engine;
mod example;
mod exchange;
mod fix;
#[cfg(feature = "whole")]
mod import;
mod input;
mod matrix;
#[cfg(feature = "whole")]
mod open;
mod place;
mod policy_manifest;
mod text;
mod types;
mod user;
mod verdict;
mod workspace;

pub use engine::Playground;
pub use exchange::*;
pub use matrix::*;
pub use workspace::*;

pub use types::{
    AuditAnnotation, Deployment, Example, Examples, Field, Input, InputProblem, JudgeResult, Line, Mark,
    ObjectDiff, Operation, Policies, Policy, RequestVerdict, Requests, Sample, Setting, User, VerdictKind,
};

/// The namespace of objects that need one and name none, as in kubectl.
const NAMESPACE: &str = "default";

/// Returns every policy with its settings and samples.
#[must_use]
pub fn policies() -> Policies {
    Policies { policies: catalog::policies() }
}

/// Judges each object or request of the manifest.
///
/// # Example
/// ```
/// use playground::{Input, VerdictKind, judge};
///
/// let result = judge(&Input {
///     policy: "pod-security".into(),
///     manifest: "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {hostPID: true, containers: []}\n".into(),
///     settings: "level: baseline".into(),
///     ..Input::default()
/// });
/// assert_eq!(result.verdicts[0].kind, VerdictKind::Denied);
/// assert_eq!(result.verdicts[0].violations[0].mark.unwrap().line, 4);
/// ```
#[must_use]
pub fn judge(input: &Input) -> JudgeResult {
    verdict::judge(input)
}

/// Returns the requests that [`judge`] judges, as the JSON that an API server would send.
#[must_use]
pub fn requests(input: &Input) -> Requests {
    match input::read(input) {
        Ok(located) => Requests {
            problems: Vec::new(),
            requests: located.iter().map(|located| text::json(located.request.as_value())).collect(),
        },
        Err(problems) => Requests { problems, requests: Vec::new() },
    }
}

/// Checks settings. Returns `None` if they are valid.
#[must_use]
pub fn check_settings(policy: &str, settings: &str) -> Option<InputProblem> {
    input::settings(policy, settings).err()
}

/// Returns the manifest that deploys a policy with the given settings.
#[must_use]
pub fn cluster_admission_policy(policy: &str, settings: &str) -> Deployment {
    match policy_manifest::manifest(policy, settings) {
        Ok(manifest) => Deployment { manifest, problem: None },
        Err(problem) => Deployment { manifest: String::new(), problem: Some(problem) },
    }
}

/// Returns a sample as an input for [`judge`], or `None` if there is no sample with this name.
#[must_use]
pub fn sample_input(policy: &str, sample: &str) -> Option<Input> {
    example::sample_input(policy, sample)
}

/// Imports the policies of a text, whose kind is recognised.
#[cfg(feature = "whole")]
#[must_use]
pub fn import_source(text: &str) -> Imported {
    import::import(text)
}

/// Reads a test file that [`Playground::case_text`] wrote, with its other files behind it as further
/// documents.
#[cfg(feature = "whole")]
#[must_use]
pub fn open_case(text: &str) -> OpenedCase {
    open::open(text)
}

/// Returns the keys and values that can be written at a path of the settings of a policy. Lists have
/// no step in the path.
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
        kubewarden_protocol: packaging::PROTOCOL_VERSION.to_owned(),
        is_whole: cfg!(feature = "whole"),
    }
}

/// Returns a sample as a workspace, or `None` if there is no sample with this name.
#[must_use]
pub fn sample_workspace(policy: &str, sample: &str) -> Option<Workspace> {
    example::sample_workspace(policy, sample)
}

/// Returns a case from the text of a case file as a workspace, or `None` if there is no case with
/// this name.
#[must_use]
pub fn case_workspace(policy: &str, file: &str, case: &str) -> Option<Workspace> {
    example::case_workspace(policy, file, case)
}

/// Returns the cases in the text of a case file. The result is empty if the text is not a valid
/// case file.
#[must_use]
pub fn cases(file: &str) -> Examples {
    Examples { examples: example::cases(file) }
}

/// Returns a case from the text of a case file as an input for [`judge`], or `None` if there is no
/// case with this name.
#[must_use]
pub fn case_input(policy: &str, file: &str, case: &str) -> Option<Input> {
    example::case_input(policy, file, case)
}
