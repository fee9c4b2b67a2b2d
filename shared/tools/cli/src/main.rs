//! `portcullis`: policy modules on a laptop or in CI, without a cluster.
//!
//! The tool parses arguments, reads files, calls the libraries of the workspace and prints their
//! results. `run` evaluates requests natively or with a module in the host that Kubewarden uses,
//! and `scan` evaluates whole directories against policies as they are deployed, and `report`
//! handles the reports of scans. `audit` lists the findings of the restrictions in a cluster,
//! `convert` writes manifests, and `selinux` explains settings. `annotate` prepares a module for
//! Kubewarden, [`registry`] pushes and pulls modules.
//!
//! A command other than `scan` reads all input before it evaluates or sends anything, and evaluates
//! everything before it prints anything: its output is complete or empty. A scan reads its input
//! piece by piece, and says what it could not read.

mod args;
mod called_as;
mod cluster;
mod commands;
mod failure;
mod input;
mod interruption;
mod outputs;
mod policy;
mod progress;
#[cfg_attr(not(feature = "registry"), path = "registry/disabled.rs")]
mod registry;
mod replace_file;
mod requests;
mod scan;
mod settings;
mod source;
mod stdout;
mod test;
mod verdicts;

use std::io::Write;
use std::panic::{self, PanicHookInfo};
use std::process::{self, ExitCode};
use std::thread;

use anstyle::{AnsiColor, Style};
use clap::FromArgMatches;
use clap::error::ErrorKind;

use args::{Cli, Command};
use called_as::CalledAs;
use failure::Failure;

/// The threads of a scan allocate all the time, which is slower with the allocator of glibc, and
/// far slower with that of musl.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The exit status of a command that failed. clap uses the same status for invalid arguments.
const FAILED: u8 = 2;

/// The style of the name of the tool before a failure, as clap styles its `error:`.
const FAILURE: Style = AnsiColor::Red.on_default().bold();

/// Parsers recurse as deeply as their input is nested, and so does the evaluation of conditions. On
/// some systems, the stack of the main thread is too small for the deepest input that they accept.
const STACK: usize = 64 * 1024 * 1024;

fn main() -> ExitCode {
    panic::set_hook(Box::new(failed));
    if let Err(failure) = interruption::catch() {
        print_problem(failure);
        return ExitCode::from(FAILED);
    }
    let worker = thread::Builder::new().stack_size(STACK).spawn(run);
    // A thread that panics ends the program itself.
    worker.ok().and_then(|worker| worker.join().ok()).unwrap_or_else(|| {
        print_problem("not enough memory");
        ExitCode::from(FAILED)
    })
}

/// Runs the command of the arguments.
fn run() -> ExitCode {
    let called_as = CalledAs::now();
    if called_as == CalledAs::PluginCompletion {
        return status(commands::complete_plugin());
    }
    let arguments = match parse(called_as) {
        Ok(arguments) => arguments,
        Err(error) => return refuse(&error),
    };
    arguments.color.apply();
    status(match arguments.command {
        Command::Run(args) => commands::run(&args),
        Command::Scan(args) => scan::scan(*args),
        Command::Init(args) => scan::init(&args),
        Command::Explain(args) => commands::explain(&args),
        Command::Report(args) => scan::report(&args),
        Command::Test(args) => test::test(&args),
        Command::Audit(args) => commands::audit(&args.audit),
        Command::Convert(args) => commands::convert(&args.source),
        Command::Annotate(args) => commands::annotate(&args),
        Command::Push(args) => registry::push(&args),
        Command::Pull(args) => registry::pull(&args),
        Command::Selinux(args) => commands::selinux(&args.command),
        Command::Completions(args) => commands::completions(&args),
        Command::Man(args) => commands::man(&args),
    })
}

/// Ends the program after a panic of any thread with the status of a failure, as for everything
/// that was not evaluated. The message of a panic can contain a secret, its place cannot.
fn failed(panic: &PanicHookInfo<'_>) {
    let place = panic.location().map(|place| format!(" at {}:{}", place.file(), place.line()));
    let place = place.unwrap_or_default();
    print_problem(format!("internal error{place}; report it with the command that you ran"));
    process::exit(FAILED.into());
}

/// Reads the arguments. Help and errors show the name by which the tool was called.
fn parse(called_as: CalledAs) -> Result<Cli, clap::Error> {
    let mut command = called_as.command();
    let matches = command.try_get_matches_from_mut(std::env::args_os())?;
    Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
}

/// The exit status of a command; prints why it failed.
fn status(result: Result<ExitCode, Failure>) -> ExitCode {
    result.unwrap_or_else(|failure| {
        print_problem(failure);
        ExitCode::from(FAILED)
    })
}

/// Prints a problem on standard error. If that fails too, the exit status still reports it.
fn print_problem(problem: impl std::fmt::Display) {
    drop(writeln!(anstream::stderr().lock(), "{FAILURE}portcullis:{FAILURE:#} {problem}"));
}

/// Prints what clap has to say: the help, the version, or an error in the form of all others.
fn refuse(error: &clap::Error) -> ExitCode {
    let is_answer = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
    if is_answer || error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        // A reader that closes the pipe early causes no failure.
        drop(error.print());
        return if is_answer { ExitCode::SUCCESS } else { ExitCode::from(FAILED) };
    }
    let text = error.render().ansi().to_string();
    let problem = text.split_once("error:").map_or(&*text, |(_, problem)| problem.trim_start());
    // The style of clap's own prefix ends behind its colon.
    let problem = problem.strip_prefix("\u{1b}[0m ").unwrap_or(problem);
    print_problem(problem.trim_end());
    ExitCode::from(FAILED)
}
