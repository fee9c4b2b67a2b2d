//! The arguments of `portcullis annotate`.

use std::path::PathBuf;

use clap::Args;

/// Write metadata into a module, replacing the metadata that it has.
#[derive(Args, Debug)]
pub(crate) struct AnnotateArgs {
    /// Module file.
    pub(crate) module: PathBuf,

    /// The metadata.yml of the policy.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) metadata: PathBuf,

    /// File for the annotated module, which can be the module file itself.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
}
