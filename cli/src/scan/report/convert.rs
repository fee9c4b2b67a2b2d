//! `portcullis report convert`.

use std::process::ExitCode;

use super::args::ConvertArgs;
use crate::failure::Failure;
use crate::scan::reports;
use crate::source::InputReader;

/// Writes a report in other formats.
///
/// # Errors
/// A file that is not a report, and outputs that cannot be written.
pub(super) fn convert(args: &ConvertArgs) -> Result<ExitCode, Failure> {
    reports::check(&args.write)?;
    let report = super::read(&args.report, &mut InputReader::default())?;
    reports::write(&args.write, &|out, format, options| report::write(out, &report, format, options))?;
    Ok(ExitCode::SUCCESS)
}
