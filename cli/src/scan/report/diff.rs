//! `portcullis report diff`.

use std::process::ExitCode;

use report::{Comparison, Format};

use super::args::DiffArgs;
use crate::failure::Failure;
use crate::scan::args::WriteArgs;
use crate::scan::{compare, reports};
use crate::source::InputReader;

/// Writes what changed between two scans.
///
/// # Errors
/// Files that are not reports, formats that comparisons do not have, and outputs that cannot be
/// written.
pub(super) fn diff(args: &DiffArgs) -> Result<ExitCode, Failure> {
    let write = WriteArgs { output: args.output.clone(), fail_on: args.fail_on, category: None };
    reports::check(&write)?;
    compare::check_formats(&write.output, "a comparison")?;
    let mut reader = InputReader::default();
    let old = super::read(&args.old, &mut reader)?;
    let new = super::read(&args.new, &mut reader)?;
    let comparison = Comparison::since(&old, &new);
    reports::write(&write, &|out, format: Format, options| {
        // Other formats are refused above.
        comparison.write(out, format, options).map(drop)
    })?;
    Ok(ExitCode::from(comparison.exit(args.fail_on).status()))
}
