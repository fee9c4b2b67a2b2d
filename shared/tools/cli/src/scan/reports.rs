//! The reports of a scan.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

use report::{Format, Options, Place, Span};

use crate::failure::Failure;
use crate::outputs;

use super::args::WriteArgs;

/// Writes a report in a format.
pub(super) type WriteReport<'w> = dyn Fn(&mut dyn Write, Format, &Options<'_>) -> io::Result<()> + 'w;

/// Writes all reports.
pub(super) fn write(args: &WriteArgs, write_report: &WriteReport<'_>) -> Result<(), Failure> {
    let sources = Lines::default();
    let lines = |place: &Place| sources.of(place);
    let folder = folder_in_repository();
    outputs::write(&args.output, &|out, format, colors| {
        let options = Options {
            colors: colors && format == Format::Text,
            fail_on: args.fail_on.unwrap_or_default(),
            category: args.category.as_deref(),
            version: env!("CARGO_PKG_VERSION"),
            sources: Some(&lines),
            folder: &folder,
        };
        write_report(out, format, &options)
    })
}

/// Returns the path of the working directory in its git repository; empty outside of one.
pub(super) fn folder_in_repository() -> String {
    let here = std::env::current_dir().unwrap_or_default();
    let root = here.ancestors().find(|above| above.join(".git").exists());
    let inside = root.and_then(|root| here.strip_prefix(root).ok()).unwrap_or(Path::new(""));
    inside.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/")
}

/// The lines of the files that were evaluated.
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
