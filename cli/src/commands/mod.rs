//! The commands that need no registry.

mod annotate;
mod audit;
mod convert;
mod plugin;
mod run;
mod scan;
mod selinux;
mod shell;

pub(crate) use annotate::annotate;
pub(crate) use audit::audit;
pub(crate) use convert::convert;
pub(crate) use plugin::complete_plugin;
pub(crate) use run::run;
pub(crate) use scan::scan;
pub(crate) use selinux::selinux;
pub(crate) use shell::{completions, man};
