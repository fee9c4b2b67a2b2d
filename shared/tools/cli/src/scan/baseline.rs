//! The baseline of a scan: findings that are known.

use std::path::Path;

use report::{Baseline, Report};

use super::args::BaselineArgs;
use crate::failure::Failure;
use crate::outputs;
use crate::print_problem;
use crate::replace_file::replace_file;
use crate::source::{InputReader, SourceName};

pub(super) type NamedBaseline = (Baseline, SourceName);

pub(super) fn read(args: &BaselineArgs, reader: &mut InputReader) -> Result<Option<NamedBaseline>, Failure> {
    let Some(file) = &args.baseline else { return Ok(None) };
    let source = reader.text(file)?;
    match Baseline::read(&source.text) {
        Ok(baseline) => Ok(Some((baseline, source.name))),
        Err(error) => Err(Failure::about(source.name, error)),
    }
}

/// Checks that the new baseline replaces no input but the old one.
pub(super) fn refuse_input(args: &BaselineArgs, is_input: &dyn Fn(&str) -> bool) -> Result<(), Failure> {
    match &args.write_baseline {
        Some(new) if args.baseline.as_ref() != Some(new) => outputs::refuse_input(new, is_input),
        _ => Ok(()),
    }
}

/// Marks the known findings of a report, and writes all of them into a new baseline.
pub(super) fn apply(
    known: Option<NamedBaseline>,
    args: &BaselineArgs,
    report: &mut Report,
) -> Result<(), Failure> {
    let exists = |file: &str| Path::new(file).exists();
    let new = args.write_baseline.as_deref();
    if let Some((baseline, name)) = known {
        let applied = baseline.apply(report, &exists);
        let gone: u64 = applied.gone.iter().map(|entry| entry.count).sum();
        if gone > 0 && !report.is_partial && new.is_none() {
            let findings = if gone == 1 { "finding is" } else { "findings are" };
            print_problem(format!("{name}: {gone} {findings} gone; update it with --write-baseline"));
        }
    }
    let Some(file) = new else { return Ok(()) };
    if report.is_partial {
        return Err(Failure::about(file, "the baseline is not written, because the scan was interrupted"));
    }
    let baseline = Baseline::of(report);
    replace_file(Path::new(file), baseline.write().as_bytes())?;
    // All that the report has is known from now on.
    drop(baseline.apply(report, &exists));
    Ok(())
}
