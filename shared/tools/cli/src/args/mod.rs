//! The command-line arguments.
#![expect(clippy::doc_markdown, reason = "the comments are the help, which has no links")]

mod annotate;
mod audit;
mod convert;
mod examples;
mod explain;
mod output;
mod policy;
mod run;
mod selinux;
mod settings;
mod shell;

use clap::{Parser, Subcommand};

use crate::registry::{PullArgs, PushArgs};
use crate::scan::{InitArgs, ReportArgs, ScanArgs};
use crate::test::TestArgs;
pub(crate) use annotate::AnnotateArgs;
pub(crate) use audit::{Audit, AuditArgs, DumpArgs};
pub(crate) use convert::{ConversionArgs, ConvertArgs, ConvertSource, ManifestFormat, ModeArg, SourceArgs};
pub(crate) use explain::ExplainArgs;
pub(crate) use output::{ColorWhen, TextOrData};
pub(crate) use policy::{EngineArgs, EngineKind};
pub(crate) use run::RunArgs;
pub(crate) use selinux::{AllocateArgs, LevelArgs, SelinuxArgs, SelinuxCommand};
pub(crate) use settings::SettingsArgs;
pub(crate) use shell::{CompletionsArgs, ManArgs};

/// Evaluate Kubernetes objects and requests with Kubewarden policies, from files or from a running
/// cluster.
#[derive(Debug, Parser)]
#[command(name = "portcullis", version, max_term_width = 100, after_help = examples::ALL)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,

    /// When to use colours. Without the option, NO_COLOR and CLICOLOR_FORCE decide.
    #[arg(long, value_enum, value_name = "WHEN", default_value_t, global = true, hide_default_value = true)]
    pub(crate) color: ColorWhen,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    #[command(after_help = examples::RUN)]
    Run(RunArgs),
    #[command(after_help = examples::SCAN)]
    #[command(aliases = ["check", "lint"])]
    Scan(Box<ScanArgs>),
    #[command(after_help = examples::INIT)]
    Init(InitArgs),
    #[command(after_help = examples::EXPLAIN)]
    Explain(ExplainArgs),
    #[command(after_help = examples::REPORT)]
    Report(Box<ReportArgs>),
    #[command(after_help = examples::TEST)]
    Test(Box<TestArgs>),
    #[command(after_help = examples::AUDIT)]
    Audit(AuditArgs),
    #[command(after_help = examples::CONVERT)]
    Convert(ConvertArgs),
    #[command(after_help = examples::ANNOTATE)]
    Annotate(AnnotateArgs),
    #[command(after_help = examples::PUSH)]
    Push(PushArgs),
    #[command(after_help = examples::PULL)]
    Pull(PullArgs),
    #[command(after_help = examples::SELINUX)]
    Selinux(SelinuxArgs),
    #[command(after_help = examples::COMPLETIONS)]
    Completions(CompletionsArgs),
    #[command(after_help = examples::MAN)]
    Man(ManArgs),
}
