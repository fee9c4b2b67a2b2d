//! The arguments of `portcullis selinux`.

use clap::{Args, Subcommand};

use super::{DumpArgs, SettingsArgs, TextOrData};

/// Explain settings of the policy selinux, and prepare Namespaces for them.
#[derive(Args, Debug)]
pub(crate) struct SelinuxArgs {
    #[command(subcommand)]
    pub(crate) command: SelinuxCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SelinuxCommand {
    Allocate(AllocateArgs),
    Level(LevelArgs),
}

/// Write the kubectl commands that annotate existing Namespaces with SELinux levels of their own.
///
/// A Namespace keeps the level that its name hashes to, unless an annotated or an older Namespace
/// has the same one.
/// Exits with status 0 if every Namespace then has a level of its own, 1 if two Namespaces have the
/// same one or a Namespace gets none, and 2 if the dump cannot be read.
#[derive(Args, Debug)]
pub(crate) struct AllocateArgs {
    #[command(flatten)]
    pub(crate) dump: DumpArgs,

    #[command(flatten)]
    pub(crate) settings: SettingsArgs,
}

/// Show the SELinux levels that settings assign to Namespaces, and where they come from.
///
/// Exits with status 0 if the levels are shown, even if a Namespace has no level of its own, and 2
/// if a level cannot be computed.
#[derive(Args, Debug)]
pub(crate) struct LevelArgs {
    /// Names of Namespaces.
    #[arg(required = true, value_name = "NAMESPACE")]
    pub(crate) namespaces: Vec<String>,

    #[command(flatten)]
    pub(crate) settings: SettingsArgs,

    /// The Namespaces, if their labels or annotations decide: files of Kubernetes objects and
    /// lists, or directories of such files (*.json, *.yaml, *.yml). Repeat the option for several.
    #[arg(short, long, value_name = "FILE|DIR")]
    pub(crate) cluster: Vec<String>,

    /// Output format of the levels.
    #[arg(short, long, value_enum, default_value_t)]
    pub(crate) output: TextOrData,
}
