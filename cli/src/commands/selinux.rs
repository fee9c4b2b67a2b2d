//! `portcullis selinux`.

use std::process::ExitCode;

use audit::selinux::{LevelError, NamespaceLevel, SelinuxSettings, namespace_levels};
use serde::Serialize;

use crate::args::{FindingsFormat, LevelArgs, SelinuxCommand, SettingsArgs};
use crate::dump::DumpFiles;
use crate::failure::Failure;
use crate::settings;
use crate::source::InputReader;
use crate::stdout::{print, write_json};
use crate::terminal::one_line;

/// How the user provides a Namespace.
const PASS_NAMESPACE: &str = "pass the Namespace with --cluster";

/// Runs a command about the policy selinux.
///
/// # Errors
/// Input that cannot be read, and a level that cannot be computed. Nothing is printed then.
pub(crate) fn selinux(command: &SelinuxCommand) -> Result<ExitCode, Failure> {
    match command {
        SelinuxCommand::Level(args) => level(args),
    }
}

/// Reads the settings of the policy selinux.
///
/// # Errors
/// Settings that cannot be read or are not valid.
pub(super) fn read_settings(
    args: &SettingsArgs,
    reader: &mut InputReader,
) -> Result<SelinuxSettings, Failure> {
    let (settings, name) = settings::read(args, reader)?;
    SelinuxSettings::configure(&settings).map_err(|error| Failure::about(name, error))
}

/// The JSON output.
#[derive(Serialize)]
struct Levels {
    namespaces: Vec<NamespaceLevel>,
}

fn level(args: &LevelArgs) -> Result<ExitCode, Failure> {
    let mut reader = InputReader::default();
    let settings = read_settings(&args.settings, &mut reader)?;
    let files = DumpFiles::read(&args.cluster, &mut reader)?;
    let levels = namespace_levels(&args.namespaces, &settings, &files.dump);
    let mut levels = levels.map_err(|error| match error {
        LevelError::Dump(error) => files.failure(&error),
        error @ LevelError::UnknownNamespace { .. } => Failure::new(format!("{error}; {PASS_NAMESPACE}")),
        error @ (LevelError::InvalidName(_) | LevelError::Unreadable { .. }) => {
            Failure::new(error.to_string())
        }
    })?;
    for level in levels.iter_mut().filter(|level| level.is_provisional) {
        level.explanation.push_str("; ");
        level.explanation.push_str(PASS_NAMESPACE);
    }
    print(|out| match args.output {
        FindingsFormat::Text => {
            for NamespaceLevel { namespace, level, explanation, .. } in &levels {
                let level = level.as_deref().unwrap_or("no level of its own");
                writeln!(out, "{}", one_line(&format!("{namespace}: {level} ({explanation})")))?;
            }
            Ok(())
        }
        FindingsFormat::Json => write_json(out, &Levels { namespaces: levels }),
    })?;
    Ok(ExitCode::SUCCESS)
}
