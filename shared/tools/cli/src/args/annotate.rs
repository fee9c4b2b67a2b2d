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

    /// Markdown file with the documentation of the policy, such as its README, which becomes the
    /// annotation io.kubewarden.policy.usage. It replaces the one in the metadata.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) usage: Option<PathBuf>,

    /// File for the annotated module, which can be the module file itself.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
}
