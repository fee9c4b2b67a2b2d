//! `portcullis report`: other formats of the reports of scans, and comparisons.

mod args;
mod convert;
mod diff;

use std::process::ExitCode;

use report::Report;

use crate::failure::Failure;
use crate::source::InputReader;
pub(crate) use args::ReportArgs;
use args::ReportCommand;

/// Reads reports and does what the command says.
///
/// # Errors
/// Files that are not reports, and outputs that cannot be written.
pub(crate) fn report(args: &ReportArgs) -> Result<ExitCode, Failure> {
    match &args.command {
        ReportCommand::Convert(args) => convert::convert(args),
        ReportCommand::Diff(args) => diff::diff(args),
    }
}

/// Reads a report.
///
/// # Errors
/// A file that cannot be read or is not a report.
fn read(file: &str, reader: &mut InputReader) -> Result<Report, Failure> {
    let source = reader.text(file)?;
    report::read(&source.text).map_err(|error| Failure::about(source.name, error))
}
