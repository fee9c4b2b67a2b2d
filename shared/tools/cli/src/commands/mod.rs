//! The commands that need neither a registry nor the scanner.

mod annotate;
mod audit;
mod convert;
mod explain;
mod plugin;
mod run;
mod selinux;
mod shell;

pub(crate) use annotate::annotate;
pub(crate) use audit::audit;
pub(crate) use convert::convert;
pub(crate) use explain::explain;
pub(crate) use plugin::complete_plugin;
pub(crate) use run::run;
pub(crate) use selinux::selinux;
pub(crate) use shell::{completions, man};
