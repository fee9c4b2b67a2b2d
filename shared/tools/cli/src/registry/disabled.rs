//! `portcullis push` and `portcullis pull` in a build without the feature `registry`.

mod args;

use std::process::ExitCode;

use crate::args::EngineArgs;
use crate::failure::Failure;
pub(crate) use args::{PullArgs, PushArgs, RegistryArgs};

pub(crate) fn push(_: &PushArgs) -> Result<ExitCode, Failure> {
    disabled("push")
}

pub(crate) fn pull(_: &PullArgs) -> Result<ExitCode, Failure> {
    disabled("pull")
}

pub(crate) fn cached(reference: &str, _: &EngineArgs) -> Result<Vec<u8>, Failure> {
    let problem = "cannot be pulled by this build; run `cargo build --package portcullis`, or pass the file of a module";
    Err(Failure::about(reference, problem))
}

fn disabled(command: &str) -> Result<ExitCode, Failure> {
    Err(Failure::new(format!(
        "{command} is not part of this build; run `cargo build --package portcullis` to build it in"
    )))
}
