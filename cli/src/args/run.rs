//! The arguments of `portcullis run`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::SettingsArgs;

/// Judge AdmissionRequests with a policy.
///
/// Exits with status 0 if all requests are admitted, 1 if a request is denied, and 2 if the
/// requests cannot be judged.
#[derive(Args, Debug)]
pub(crate) struct RunArgs {
    /// Module file, or ID of a built policy.
    pub(crate) policy: String,

    /// Files with AdmissionReviews or bare AdmissionRequests, as JSON or YAML; `-` reads standard
    /// input.
    #[arg(short, long, required = true, num_args = 1.., value_name = "FILE")]
    pub(crate) request: Vec<String>,

    #[command(flatten)]
    pub(crate) settings: SettingsArgs,

    /// Kubernetes objects that the policy can look up: files of objects and lists, or directories
    /// of such files (*.json, *.yaml, *.yml).
    #[arg(short, long, num_args = 1.., value_name = "FILE|DIR")]
    pub(crate) cluster: Vec<String>,

    /// Output format of the verdicts.
    #[arg(short, long, value_enum, default_value_t)]
    pub(crate) output: VerdictFormat,

    /// Directory of the built modules.
    #[arg(long, value_name = "DIR", default_value = "target/policies")]
    pub(crate) modules: PathBuf,
}

/// The output format of verdicts.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(crate) enum VerdictFormat {
    /// Verdict, messages and warnings as text, and the patch as a diff.
    #[default]
    Text,
    /// An AdmissionReview with the response to each request, one per line.
    Json,
    /// An AdmissionReview with the response to each request, one per YAML document.
    Yaml,
}
