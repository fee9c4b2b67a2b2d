//! The command-line arguments.
#![expect(clippy::doc_markdown, reason = "the comments are the help, which has no links")]

mod annotate;
mod audit;
mod convert;
mod run;
mod selinux;
mod settings;

use clap::{Parser, Subcommand};

use crate::registry::{PullArgs, PushArgs};
pub(crate) use annotate::AnnotateArgs;
pub(crate) use audit::{Audit, AuditArgs, DumpArgs, FindingsFormat};
pub(crate) use convert::{ConvertArgs, ConvertSource, ManifestFormat};
pub(crate) use run::{RunArgs, VerdictFormat};
pub(crate) use selinux::{AllocateArgs, LevelArgs, SelinuxArgs, SelinuxCommand};
pub(crate) use settings::SettingsArgs;

/// Judge AdmissionRequests with policy modules, without a cluster.
#[derive(Debug, Parser)]
#[command(name = "portcullis", version, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Run(RunArgs),
    Audit(AuditArgs),
    Convert(ConvertArgs),
    Annotate(AnnotateArgs),
    Push(PushArgs),
    Pull(PullArgs),
    Selinux(SelinuxArgs),
}
