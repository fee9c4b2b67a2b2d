//! `portcullis completions` and `portcullis man`.

use std::process::ExitCode;

use clap::CommandFactory;

use crate::args::{Cli, CompletionsArgs, ManArgs};
use crate::failure::Failure;
use crate::stdout::print;

pub(crate) fn completions(args: &CompletionsArgs) -> Result<ExitCode, Failure> {
    let mut command = Cli::command();
    let name = command.get_name().to_owned();
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, name, &mut script);
    print(|out| out.write_all(&script))?;
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn man(args: &ManArgs) -> Result<ExitCode, Failure> {
    clap_mangen::generate_to(Cli::command(), &args.directory).map_err(|error| {
        Failure::about(args.directory.display(), format!("cannot hold the pages: {error}"))
    })?;
    Ok(ExitCode::SUCCESS)
}
