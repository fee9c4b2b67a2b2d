//! `portcullis selinux`.

use std::io::{self, Write};
use std::process::ExitCode;

use report::one_line;
use scan::audit::Kept;
use scan::audit::selinux::{
    AllocateError, LevelAllocation, LevelError, NamespaceLevel, NewAnnotation, allocate, namespace_levels,
};
use serde::Serialize;

use super::audit::selinux_level;
use crate::args::{AllocateArgs, LevelArgs, SelinuxCommand};
use crate::cluster::DumpFiles;
use crate::failure::Failure;
use crate::settings;
use crate::source::InputReader;
use crate::stdout::{print, write_one};

/// The exit status if a Namespace has no level of its own.
const INCOMPLETE: u8 = 1;

const PASS_NAMESPACE: &str = "pass the Namespace with --cluster";

/// Runs a command about the policy selinux; prints nothing if it fails.
pub(crate) fn selinux(command: &SelinuxCommand) -> Result<ExitCode, Failure> {
    match command {
        SelinuxCommand::Allocate(args) => annotations(args),
        SelinuxCommand::Level(args) => level(args),
    }
}

#[derive(Serialize)]
struct Levels {
    namespaces: Vec<NamespaceLevel>,
}

/// Prints the commands that annotate Namespaces, as a shell script.
fn annotations(args: &AllocateArgs) -> Result<ExitCode, Failure> {
    let mut reader = InputReader::default();
    let (settings, name) = settings::of_selinux(&args.settings, &mut reader)?;
    let kinds = [("v1".to_owned(), "Namespace".to_owned())].into();
    let files = DumpFiles::read_any(&args.dump, Kept::Levels, &kinds, &mut reader)?;
    let allocation = allocate(&files.dump, settings).map_err(|error| match error {
        AllocateError::Dump(error) => files.failure(&error),
        error @ AllocateError::Settings(_) => Failure::about(name, error),
    })?;
    print(|out| write_one(out, args.dump.output, &allocation, |out| write_script(out, &allocation)))?;
    Ok(if allocation.is_complete() { ExitCode::SUCCESS } else { ExitCode::from(INCOMPLETE) })
}

/// Writes the annotations as commands, and everything else as comments.
fn write_script(out: &mut dyn Write, allocation: &LevelAllocation) -> io::Result<()> {
    let LevelAllocation { annotations, annotated, collisions, problems } = allocation;
    for NewAnnotation { namespace, key, level, overwrite, instead_of } in annotations {
        if let Some(taken) = instead_of {
            let reason = format!("{namespace}: not {}, which {} has", taken.level, taken.holder);
            writeln!(out, "# {}", one_line(&reason))?;
        }
        // The names, keys and levels contain nothing that a shell interprets.
        let overwrite = if *overwrite { " --overwrite" } else { "" };
        writeln!(out, "kubectl annotate{overwrite} namespace {namespace} {key}={level}")?;
    }
    for collision in collisions {
        writeln!(out, "# same level: {}", one_line(&selinux_level(collision)))?;
    }
    for problem in problems {
        writeln!(out, "# {}", one_line(&format!("{}: {}", problem.namespace, problem.problem)))?;
    }
    writeln!(
        out,
        "# {} to annotate, {annotated} annotated, {} with the same level, {} without a level.",
        annotations.len(),
        collisions.len(),
        problems.len(),
    )
}

fn level(args: &LevelArgs) -> Result<ExitCode, Failure> {
    let mut reader = InputReader::default();
    let (settings, _) = settings::of_selinux(&args.settings, &mut reader)?;
    let files = DumpFiles::read(&args.cluster, Kept::Levels, &mut reader)?;
    let levels = namespace_levels(&args.namespaces, &settings, &files.dump);
    let mut levels = levels.map_err(|error| match error {
        LevelError::Dump(error) => files.failure(&error),
        error @ LevelError::UnknownNamespace { .. } => Failure::new(format!("{error}; {PASS_NAMESPACE}")),
        error @ LevelError::InvalidName(_) => Failure::new(error.to_string()),
    })?;
    for level in levels.iter_mut().filter(|level| level.is_provisional) {
        level.explanation.push_str("; ");
        level.explanation.push_str(PASS_NAMESPACE);
    }
    let levels = Levels { namespaces: levels };
    print(|out| {
        write_one(out, args.output, &levels, |out| {
            for NamespaceLevel { namespace, level, explanation, .. } in &levels.namespaces {
                let level = level.as_deref().unwrap_or("no level of its own");
                writeln!(out, "{}", one_line(&format!("{namespace}: {level} ({explanation})")))?;
            }
            Ok(())
        })
    })?;
    Ok(ExitCode::SUCCESS)
}
