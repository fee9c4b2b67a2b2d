//! The restrictions in a browser.
//!
//! A thin facade over [`rules::CATALOG`]: [`restrictions`] lists what there is, [`judge`] says what becomes of a
//! manifest, [`requests`] what an API server would ask, [`check_settings`] whether settings are understood,
//! [`cluster_admission_policy`] how to deploy them; [`sample_input`], [`cases`] and [`case_input`] are examples. Texts and
//! plain objects go in and out; [`browser`] exports them with wasm-bindgen, with types for TypeScript. Whatever
//! cannot be read is a [`Problem`] with its place, not an exception.
//!
//! # What this crate does not do
//! It knows no rule: the very crates judge that are in the policy modules.

pub mod browser;
mod catalog;
mod deployment;
mod example;
mod input;
mod place;
mod text;
mod types;
mod verdict;

pub use types::{
    Change, Deployment, Entry, Example, Examples, Field, Input, Line, Mark, Operation, Outcome, Problem,
    Requests, Restriction, Restrictions, Sample, Setting, User, Verdict, VerdictKind,
};

/// Every restriction, with its settings and samples.
#[must_use]
pub fn restrictions() -> Restrictions {
    Restrictions { restrictions: catalog::restrictions() }
}

/// Judges every object of a manifest, or every request.
///
/// # Example
/// ```
/// use playground::{Input, VerdictKind, judge};
///
/// let outcome = judge(&Input {
///     restriction: "pod-security".into(),
///     manifest: "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {hostPID: true, containers: []}\n".into(),
///     settings: "level: baseline".into(),
///     ..Input::default()
/// });
/// assert_eq!(outcome.verdicts[0].kind, VerdictKind::Denied);
/// assert_eq!(outcome.verdicts[0].violations[0].mark.unwrap().line, 4);
/// ```
#[must_use]
pub fn judge(input: &Input) -> Outcome {
    verdict::judge(input)
}

/// The requests that [`judge`] judges, as JSON: what an API server would send.
#[must_use]
pub fn requests(input: &Input) -> Requests {
    match input::read(input) {
        Ok(subjects) => Requests {
            problems: Vec::new(),
            requests: subjects.iter().map(|subject| text::json(subject.request.as_value())).collect(),
        },
        Err(problems) => Requests { problems, requests: Vec::new() },
    }
}

/// What is wrong with settings; nothing if they are understood.
#[must_use]
pub fn check_settings(restriction: &str, settings: &str) -> Option<Problem> {
    input::settings(restriction, settings).err()
}

/// The manifest that deploys a restriction with settings.
#[must_use]
pub fn cluster_admission_policy(restriction: &str, settings: &str) -> Deployment {
    match deployment::manifest(restriction, settings) {
        Ok(manifest) => Deployment { manifest, problem: None },
        Err(problem) => Deployment { manifest: String::new(), problem: Some(problem) },
    }
}

/// A sample, ready to be judged; nothing if there is none of that name.
#[must_use]
pub fn sample_input(restriction: &str, sample: &str) -> Option<Input> {
    example::of_sample(restriction, sample)
}

/// The cases in the text of a case file; none if it is no case file.
#[must_use]
pub fn cases(file: &str) -> Examples {
    Examples { examples: example::cases(file) }
}

/// A case in the text of a case file of a restriction, ready to be judged; nothing if there is none of that name.
#[must_use]
pub fn case_input(restriction: &str, file: &str, case: &str) -> Option<Input> {
    example::of_case(restriction, file, case)
}
