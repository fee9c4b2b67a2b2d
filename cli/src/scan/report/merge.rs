//! `portcullis report merge`.

use std::process::ExitCode;

use super::args::MergeArgs;
use crate::failure::Failure;
use crate::scan::command::explain_status;
use crate::scan::{baseline, reports};
use crate::source::InputReader;

/// Writes the report of a scan from those of its shards.
///
/// # Errors
/// Files that are not reports of all shards of one scan, and outputs that cannot be written.
pub(super) fn merge(args: &MergeArgs) -> Result<ExitCode, Failure> {
    reports::check(&args.write)?;
    let mut reader = InputReader::default();
    let known = baseline::read(&args.baseline, &mut reader)?;
    let shards = args.reports.iter().map(|file| Ok((file.clone(), super::read(file, &mut reader)?)));
    let shards = shards.collect::<Result<Vec<_>, Failure>>()?;
    let mut report = report::merge(shards).map_err(|error| Failure::new(error.to_string()))?;
    baseline::apply(known, &args.baseline, &mut report)?;
    reports::write(&args.write, &|out, format, options| report::write(out, &report, format, options))?;
    explain_status(&report);
    Ok(ExitCode::from(report::exit(&report, args.write.fail_on).status()))
}
