//! `portcullis`: policy modules on a laptop or in CI, without a cluster.
//!
//! [`run`] judges requests with a module in the host that Kubewarden uses, [`audit`] lists what the restrictions
//! would find in a cluster, [`convert`] writes manifests from what others restrict pods with, [`annotate`] makes a
//! module ready for Kubewarden, [`selinux`] says what settings of one module mean, [`registry`] pushes modules and pulls
//! them. All input is read before the first thing is judged or sent, and everything is judged before the first thing is
//! printed, so there is no half an answer.

mod annotate;
mod args;
mod audit;
mod cluster;
mod convert;
mod diff;
mod failure;
mod parse;
mod policy;
#[cfg_attr(not(feature = "registry"), path = "registry/disabled.rs")]
mod registry;
mod replace;
mod report;
mod requests;
mod run;
mod selinux;
mod settings;
mod source;
mod text;

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};
use failure::Failure;

/// The tool could not do what it was asked for. clap uses the same for arguments that it does not understand.
const FAILED: u8 = 2;

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Run(args) => run::run(&args),
        Command::Audit(args) => audit::audit(&args.what),
        Command::Convert(args) => convert::convert(&args.what),
        Command::Annotate(args) => annotate::annotate(&args),
        Command::Push(args) => registry::push(&args),
        Command::Pull(args) => registry::pull(&args),
        Command::Selinux(args) => selinux::selinux(&args.what),
    };
    match done {
        Ok(status) => status,
        Err(failure) => {
            report(&failure);
            ExitCode::from(FAILED)
        }
    }
}

/// Says on standard error why nothing was done. If that cannot be written either, the status says it.
fn report(failure: &Failure) {
    drop(writeln!(std::io::stderr().lock(), "portcullis: {failure}"));
}
