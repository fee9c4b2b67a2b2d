//! `portcullis scan` and `portcullis report` in a build without the feature `scan`.

use std::ffi::OsString;
use std::process::ExitCode;

use admission::PolicyEntry;
use clap::Args;

use crate::args::{DumpArgs, EngineArgs, SettingsArgs};
use crate::failure::Failure;
use crate::policy::{NamedSettings, Policy};
use crate::source::InputReader;

/// Judge objects as the API server and Kubewarden would, before they are applied. Not part of this
/// build.
#[derive(Args, Debug)]
pub(crate) struct ScanArgs {
    /// Arguments of the command.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

/// Scans nothing.
///
/// # Errors
/// Always.
pub(crate) fn scan(_: &ScanArgs) -> Result<ExitCode, Failure> {
    Err(disabled("scan"))
}

/// Convert and compare the reports of scans. Not part of this build.
#[derive(Args, Debug)]
pub(crate) struct ReportArgs {
    /// Arguments of the command.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

/// Reads no report.
///
/// # Errors
/// Always.
pub(crate) fn report(_: &ReportArgs) -> Result<ExitCode, Failure> {
    Err(disabled("report"))
}

/// Audits nothing.
///
/// # Errors
/// Always.
pub(crate) fn audit(
    entry: &'static PolicyEntry,
    _: &DumpArgs,
    _: &SettingsArgs,
    _: &mut InputReader,
) -> Result<ExitCode, Failure> {
    Err(disabled(&format!("an audit of {} with settings", entry.id)))
}

/// Loads no policy.
///
/// # Errors
/// Always.
pub(crate) fn load_manifest(
    file: &str,
    _: &EngineArgs,
    _: NamedSettings,
    _: &mut InputReader,
) -> Result<Policy, Failure> {
    let problem =
        "cannot be read by this build; run `cargo build --package portcullis`, or pass an id or a module";
    Err(Failure::about(file, problem))
}

pub(crate) fn disabled(what: &str) -> Failure {
    Failure::new(format!(
        "{what} is not part of this build; run `cargo build --package portcullis` to build it in"
    ))
}
