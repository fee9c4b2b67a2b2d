//! The reports of a scan.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

use report::{Format, Options, Output, Place, Span};

use crate::failure::Failure;
use crate::replace_file::replace_file;
use crate::stdout::print;

use super::args::WriteArgs;

/// Checks that at most one report goes to standard output.
///
/// # Errors
/// Two reports for standard output, and two for one file.
pub(super) fn check(args: &WriteArgs) -> Result<(), Failure> {
    for (index, output) in args.output.iter().enumerate() {
        let same = args.output.iter().skip(index.saturating_add(1)).any(|other| other.file == output.file);
        match &output.file {
            Some(file) if same => {
                return Err(Failure::about(file, "is the file of two formats; name two files"));
            }
            None if same => {
                let problem =
                    "two formats are for standard output; name a file for one, as in -o html=report.html";
                return Err(Failure::about("--output", problem));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Writes a report in a format.
pub(super) type WriteReport<'w> = dyn Fn(&mut dyn Write, Format, &Options<'_>) -> io::Result<()> + 'w;

/// Writes all reports: those with a file first.
///
/// # Errors
/// A report that cannot be written.
pub(super) fn write(args: &WriteArgs, write_report: &WriteReport<'_>) -> Result<(), Failure> {
    let sources = Lines::default();
    let lines = |place: &Place| sources.of(place);
    let options = Options {
        colors: false,
        fail_on: args.fail_on,
        category: args.category.as_deref(),
        version: env!("CARGO_PKG_VERSION"),
        sources: Some(&lines),
    };
    for output in &args.output {
        let Some(file) = &output.file else { continue };
        let mut bytes = Vec::new();
        write_report(&mut bytes, output.format, &options)
            .map_err(|error| Failure::about(file, format!("cannot be written: {error}")))?;
        replace_file(Path::new(file), &bytes)?;
    }
    let text = Output::default();
    let to_stdout = args.output.iter().find(|output| output.file.is_none());
    let quiet = to_stdout.is_none() && !args.output.is_empty();
    if quiet {
        return Ok(());
    }
    let format = to_stdout.unwrap_or(&text).format;
    // Colours are removed again where the output does not show them.
    let options = Options { colors: format == Format::Text, ..options };
    print(|out| write_report(out, format, &options))
}

/// The lines of the files that were judged.
#[derive(Default)]
struct Lines(RefCell<HashMap<String, Option<Vec<String>>>>);

impl Lines {
    /// Returns the lines of a place; `None` if the file cannot be read again.
    fn of(&self, place: &Place) -> Option<String> {
        let mut files = self.0.borrow_mut();
        let read = || {
            let text = fs::read_to_string(&place.file).ok()?;
            Some(text.lines().map(str::to_owned).collect::<Vec<_>>())
        };
        let lines = files.entry(place.file.clone()).or_insert_with(read).as_ref()?;
        let Span { start, end } = place.span?;
        let first = usize::try_from(start.line.checked_sub(1)?).ok()?;
        let last = usize::try_from(end.line).ok()?;
        lines.get(first..last.min(lines.len())).map(|lines| lines.join("\n"))
    }
}
