//! The progress of reading and judging a dump, at a terminal only.

use std::io::Read;

use indicatif::{ProgressBar, ProgressStyle};

/// A bar on standard error, which is hidden unless that is a terminal.
pub(crate) struct Progress(ProgressBar);

impl Progress {
    /// Starts with the number of bytes to read.
    pub(super) fn start(size: u64) -> Self {
        let bar = ProgressBar::new(size);
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {percent}% read, {eta} left") {
            bar.set_style(style);
        }
        Self(bar)
    }

    /// Starts to count objects that are judged.
    pub(crate) fn of_objects() -> Self {
        let bar = ProgressBar::no_length();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {human_pos} objects judged, {per_sec}") {
            bar.set_style(style);
        }
        Self(bar)
    }

    /// Counts an object.
    pub(crate) fn count(&self) {
        self.0.inc(1);
    }

    /// Counts the bytes that are read.
    pub(super) fn watch<'r>(&self, input: impl Read + 'r) -> Box<dyn Read + 'r> {
        Box::new(self.0.wrap_read(input))
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
