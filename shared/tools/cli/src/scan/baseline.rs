//! The baseline of a scan: findings that are known.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use report::{Baseline, BaselineError, Level, Report};

use super::args::BaselineArgs;
use super::reports::folder_in_repository;
use crate::failure::Failure;
use crate::outputs;
use crate::print_problem;
use crate::replace_file::replace_file;
use crate::source::{InputReader, SourceName, regular_text};

pub(super) type NamedBaseline = (Baseline, SourceName);

pub(super) fn read(args: &BaselineArgs, reader: &mut InputReader) -> Result<Option<NamedBaseline>, Failure> {
    let Some(file) = &args.baseline else { return Ok(None) };
    if args.write_baseline.as_ref() == Some(file) && !Path::new(file).exists() {
        return Ok(None);
    }
    let source = reader.text(file)?;
    match Baseline::read(&source.text) {
        Ok(baseline) => Ok(Some((baseline.renamed(&from_repository), source.name))),
        Err(error) => Err(Failure::about(source.name, error)),
    }
}

/// Returns the name of a file in a baseline, which is the same in every directory of a repository.
fn in_repository(file: &str) -> String {
    let folder = folder_in_repository();
    report::Options { folder: &folder, ..report::Options::default() }.in_repository(file)
}

/// Returns the name of a file of a baseline relative to the working directory.
fn from_repository(file: &str) -> String {
    if file.starts_with('/') || file == "-" {
        return file.to_owned();
    }
    let folder = folder_in_repository();
    let name = match folder.as_str() {
        "" => file.to_owned(),
        folder => ::scan::relative(Path::new(folder), Path::new(file)).to_string_lossy().into_owned(),
    };
    ::scan::with_colon(name)
}

/// Checks that the new baseline replaces only the old one, another baseline or an empty file.
pub(super) fn refuse_input(args: &BaselineArgs, is_input: &dyn Fn(&str) -> bool) -> Result<(), Failure> {
    let Some(new) = &args.write_baseline else { return Ok(()) };
    let is_old = args.baseline.as_ref().is_some_and(|old| outputs::whole(old) == outputs::whole(new));
    if !is_old {
        outputs::refuse_input(new, is_input)?;
    }
    if Path::new(new).is_dir() {
        return Err(Failure::about(new, "is a directory; name the file, as in --write-baseline=FILE"));
    }
    let is_other = |text: &str| !text.is_empty() && Baseline::read(text) == Err(BaselineError::NotABaseline);
    if Path::new(new).is_file() && regular_text(new).is_none_or(|text| is_other(&text)) {
        return Err(Failure::about(new, "exists and is not a baseline; remove it, or name another file"));
    }
    Ok(())
}

/// Marks the known findings of a report, and writes all of them into a new baseline. `input` has
/// the files and folders that were evaluated.
pub(super) fn apply(
    known: Option<NamedBaseline>,
    args: &BaselineArgs,
    input: &[PathBuf],
    report: &mut Report,
) -> Result<(), Failure> {
    let exists = |file: &str| Path::new(file).exists();
    let errors = report.notices.iter().filter(|notice| notice.level == Level::Error);
    let unread: BTreeSet<String> = errors.filter_map(|error| Some(error.place.clone()?.file)).collect();
    // A file in the input that has no objects, or no longer any, was evaluated.
    let is_elsewhere = |file: &str| {
        let path = Path::new(file).canonicalize();
        path.is_ok_and(|path| unread.contains(file) || !input.iter().any(|one| path.starts_with(one)))
    };
    let new = args.write_baseline.as_deref();
    if let Some((baseline, name)) = known {
        let applied = baseline.apply(report, &exists, &is_elsewhere);
        if applied.moved > 0 && new.is_none() {
            let findings = if applied.moved == 1 { "finding is" } else { "findings are" };
            let moved = applied.moved;
            print_problem(format!(
                "{name}: {moved} {findings} in other files; update it with --write-baseline"
            ));
        }
        let gone = applied.gone;
        if gone > 0 && !report.is_partial && new.is_none() {
            let findings = if gone == 1 { "finding is" } else { "findings are" };
            print_problem(format!("{name}: {gone} {findings} gone; update it with --write-baseline"));
        }
    }
    let Some(file) = new else { return Ok(()) };
    if report.is_partial {
        return Err(Failure::about(file, "the baseline is not written, because the scan was interrupted"));
    }
    let mut baseline = Baseline::of(report);
    // A scan of a part of the input says nothing about the rest.
    if let Some(Ok(earlier)) = regular_text(file).map(|text| Baseline::read(&text)) {
        baseline.keep(earlier.renamed(&from_repository), report, &is_elsewhere);
    }
    let written = baseline.clone().renamed(&in_repository).write();
    replace_file(Path::new(file), written.as_bytes())?;
    // All that the report has is known from now on.
    drop(baseline.apply(report, &exists, &is_elsewhere));
    Ok(())
}
