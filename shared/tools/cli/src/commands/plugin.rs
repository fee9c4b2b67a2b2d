//! Completion of `kubectl portcullis`.

use std::ffi::OsString;
use std::process::ExitCode;

use clap_complete::engine::{CompletionCandidate, complete};

use crate::called_as::CalledAs;
use crate::failure::Failure;
use crate::stdout::print;

/// The use that the shell makes of the candidates, in the numbers of Cobra, which kubectl reads
/// from the last line (cobra, `completions.go`: `ShellCompDirective`).
mod directive {
    /// The shell completes file names if there are no candidates.
    pub(super) const DEFAULT: u8 = 0;
    pub(super) const NO_SPACE: u8 = 2;
    /// Completes no file names.
    pub(super) const NO_FILES: u8 = 4;
}

/// Prints the candidates for the last argument, each with its help after a tab, and a directive.
pub(crate) fn complete_plugin() -> Result<ExitCode, Failure> {
    let mut words: Vec<OsString> = std::env::args_os().collect();
    if words.len() < 2 {
        words.push(OsString::new());
    }
    let last = words.len().saturating_sub(1);
    let here = std::env::current_dir().ok();
    let candidates = complete(&mut CalledAs::PluginCompletion.command(), words, last, here.as_deref())
        .map_err(|error| Failure::about("the command line", format!("cannot be completed: {error}")))?;
    print(|out| {
        for candidate in &candidates {
            writeln!(out, "{}", line(candidate))?;
        }
        writeln!(out, ":{}", what_follows(&candidates))
    })?;
    Ok(ExitCode::SUCCESS)
}

/// A candidate with the first line of its help.
fn line(candidate: &CompletionCandidate) -> String {
    let value = candidate.get_value().to_string_lossy();
    let help = candidate.get_help().map(ToString::to_string).unwrap_or_default();
    match help.lines().next() {
        Some(help) => format!("{value}\t{help}"),
        None => value.into_owned(),
    }
}

/// Files go on after the name of a directory.
fn what_follows(candidates: &[CompletionCandidate]) -> u8 {
    let is_directory = |candidate: &CompletionCandidate| {
        candidate.get_value().to_string_lossy().ends_with(std::path::MAIN_SEPARATOR)
    };
    match candidates {
        [] => directive::DEFAULT,
        _ if candidates.iter().any(is_directory) => directive::NO_FILES | directive::NO_SPACE,
        _ => directive::NO_FILES,
    }
}
