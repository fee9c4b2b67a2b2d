//! The reports of a scan.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Component, Path};

use report::{Format, Options, Place, Span};

use crate::failure::Failure;
use crate::outputs;

use super::args::WriteArgs;

/// Writes a report in a format.
pub(super) type WriteReport<'w> = dyn Fn(&mut dyn Write, Format, &Options<'_>) -> io::Result<()> + 'w;

/// The files whose lines a report shows.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Shown {
    /// Those that were evaluated.
    Evaluated,
    /// Those below the working directory: a report that is read can name any file.
    Below,
}

/// Writes all reports.
pub(super) fn write(args: &WriteArgs, shown: Shown, write_report: &WriteReport<'_>) -> Result<(), Failure> {
    let sources = Lines { shown, files: RefCell::default() };
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
struct Lines {
    shown: Shown,
    files: RefCell<HashMap<String, Option<Vec<String>>>>,
}

/// The size up to which a file is read again, and the length up to which a line is shown: that of a
/// file without line ends would be copied for every finding in it.
const LARGEST: u64 = 64 * 1024 * 1024;
const LONGEST: usize = 2000;

impl Lines {
    /// Returns the lines of a place; `None` if the file cannot be read again.
    fn of(&self, place: &Place) -> Option<String> {
        let is_below =
            |file: &str| Path::new(file).components().all(|part| matches!(part, Component::Normal(_)));
        if self.shown == Shown::Below && !is_below(&place.file) {
            return None;
        }
        let mut files = self.files.borrow_mut();
        let read = || {
            // A pipe can be read only once.
            fs::metadata(&place.file).ok().filter(|found| found.is_file() && found.len() <= LARGEST)?;
            let text = fs::read_to_string(&place.file).ok()?;
            Some(text.lines().map(str::to_owned).collect::<Vec<_>>())
        };
        let lines = files.entry(place.file.clone()).or_insert_with(read).as_ref()?;
        let Span { start, end } = place.span?;
        let first = usize::try_from(start.line.checked_sub(1)?).ok()?;
        let last = usize::try_from(end.line).ok()?;
        let lines = lines.get(first..last.min(lines.len()))?;
        lines.iter().all(|line| line.len() <= LONGEST).then(|| lines.join("\n"))
    }
}
