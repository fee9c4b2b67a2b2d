//! The progress of reading a dump, at a terminal only.

use std::io::Read;

use indicatif::{ProgressBar, ProgressStyle};

/// A bar on standard error, which is hidden unless that is a terminal.
pub(super) struct Progress(ProgressBar);

impl Progress {
    /// Starts with the number of bytes to read.
    pub(super) fn start(size: u64) -> Self {
        let bar = ProgressBar::new(size);
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {percent}% read, {eta} left") {
            bar.set_style(style);
        }
        Self(bar)
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
