//! `portcullis test` in a build without the feature `scan`.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Args;

use crate::failure::Failure;

/// Test what policies do with requests, from files. Not part of this build.
#[derive(Args, Debug)]
pub(crate) struct TestArgs {
    /// Arguments of the command.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

/// Tests nothing.
///
/// # Errors
/// Always.
pub(crate) fn test(_: &TestArgs) -> Result<ExitCode, Failure> {
    Err(crate::scan::disabled("test"))
}
