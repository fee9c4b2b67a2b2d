//! The arguments that say how policies evaluate.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::registry::RegistryArgs;

#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Policies")]
pub(crate) struct EngineArgs {
    /// Engine of the policies of Portcullis: their rules, which the tool contains, or their
    /// modules. Other policies always run as modules.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) engine: EngineKind,

    /// Directory of built modules, for --engine wasm.
    #[arg(long, value_name = "DIR", default_value = "target/policies")]
    pub(crate) modules: PathBuf,

    /// Do not use the network: a module from a registry has to be in the cache. A tag then stands
    /// for the module that it named when it was pulled last.
    #[arg(long)]
    pub(crate) offline: bool,

    #[command(flatten)]
    pub(crate) registry: RegistryArgs,
}

/// The engine of the policies of Portcullis.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, ValueEnum)]
pub(crate) enum EngineKind {
    /// The rules in the tool.
    #[default]
    Native,
    /// Modules in the embedded host.
    Wasm,
}
