//! `portcullis report apply` in a build without the feature `live`.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Args;

use crate::failure::Failure;

/// Write a report into a cluster as policy reports. Not part of this build.
#[derive(Args, Debug)]
pub(super) struct ApplyArgs {
    /// Arguments of the command.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

/// Applies nothing.
///
/// # Errors
/// Always.
pub(super) fn apply(_: &ApplyArgs) -> Result<ExitCode, Failure> {
    Err(Failure::new(
        "report apply is not part of this build; run `cargo build --package portcullis` to build it in",
    ))
}
