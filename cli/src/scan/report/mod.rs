//! `portcullis report`: other formats of the reports of scans, comparisons, merges, and policy
//! reports in a cluster.

#[cfg_attr(not(feature = "live"), path = "apply_disabled.rs")]
mod apply;
mod args;
mod convert;
mod diff;
mod merge;

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
        ReportCommand::Merge(args) => merge::merge(args),
        ReportCommand::Apply(args) => apply::apply(args),
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

/// Reads the report of a whole scan.
///
/// # Errors
/// As those of [`read`], and the report of a shard.
fn read_whole(file: &str, reader: &mut InputReader) -> Result<Report, Failure> {
    let report = read(file, reader)?;
    match &report.shard {
        Some(shard) => {
            let problem =
                format!("is only shard {} of a scan; merge all shards with report merge", shard.share);
            Err(Failure::about(file, problem))
        }
        None => Ok(report),
    }
}
