//! `portcullis`: policy modules on a laptop or in CI, without a cluster.
//!
//! The tool parses arguments, reads files, calls the libraries of the workspace and prints their
//! results. `run` judges requests with a module in the host that Kubewarden uses. `audit` lists the
//! findings of the restrictions in a cluster, `convert` writes manifests, and `selinux` explains
//! settings. `annotate` prepares a module for Kubewarden, [`registry`] pushes and pulls modules.
//!
//! A command reads all input before it judges or sends anything, and judges everything before it
//! prints anything. Its output is complete or empty.

mod args;
mod cluster;
mod commands;
mod dump;
mod failure;
mod parse;
mod policy;
#[cfg_attr(not(feature = "registry"), path = "registry/disabled.rs")]
mod registry;
mod replace_file;
mod requests;
mod settings;
mod source;
mod stdout;
mod terminal;
mod verdicts;

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};
use failure::Failure;

/// The exit status of a command that failed. clap uses the same status for invalid arguments.
const FAILED: u8 = 2;

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Run(args) => commands::run(&args),
        Command::Audit(args) => commands::audit(&args.audit),
        Command::Convert(args) => commands::convert(&args.source),
        Command::Annotate(args) => commands::annotate(&args),
        Command::Push(args) => registry::push(&args),
        Command::Pull(args) => registry::pull(&args),
        Command::Selinux(args) => commands::selinux(&args.command),
    };
    match result {
        Ok(status) => status,
        Err(failure) => {
            print_failure(&failure);
            ExitCode::from(FAILED)
        }
    }
}

/// Prints a failure on standard error. If that fails too, the exit status still reports it.
fn print_failure(failure: &Failure) {
    drop(writeln!(std::io::stderr().lock(), "portcullis: {failure}"));
}
