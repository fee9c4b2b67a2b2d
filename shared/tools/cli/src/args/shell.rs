//! The arguments of `portcullis completions` and `portcullis man`.

use std::path::PathBuf;

use clap::Args;
use clap_complete::Shell;

/// Print the script that completes commands, options and files in a shell.
#[derive(Args, Debug)]
pub(crate) struct CompletionsArgs {
    /// Shell that runs the script.
    pub(crate) shell: Shell,
}

/// Write a manual page for each command into a directory.
#[derive(Args, Debug)]
pub(crate) struct ManArgs {
    /// Existing directory for the pages: portcullis.1, portcullis-run.1 and so on.
    pub(crate) directory: PathBuf,
}
