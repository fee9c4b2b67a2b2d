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
    let Some(new) = &args.write_baseline else { return Ok(()) };
    let is_old = args.baseline.as_ref().is_some_and(|old| outputs::whole(old) == outputs::whole(new));
    if is_old { Ok(()) } else { outputs::refuse_input(new, is_input) }
}

/// Marks the known findings of a report, and writes all of them into a new baseline.
pub(super) fn apply(
    known: Option<NamedBaseline>,
    args: &BaselineArgs,
    report: &mut Report,
) -> Result<(), Failure> {
    // The scan that wrote the baseline may have had another working directory.
    let of_baseline = args.baseline.as_deref().and_then(|file| Path::new(file).parent());
    let exists =
        |file: &str| Path::new(file).exists() || of_baseline.is_some_and(|folder| folder.join(file).exists());
    let new = args.write_baseline.as_deref();
    if let Some((baseline, name)) = known {
        let applied = baseline.apply(report, &exists);
        if applied.moved > 0 && new.is_none() {
            let findings = if applied.moved == 1 { "finding is" } else { "findings are" };
            let moved = applied.moved;
            print_problem(format!(
                "{name}: {moved} {findings} in other files; update it with --write-baseline"
            ));
        }
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
