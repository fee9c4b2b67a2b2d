//! The progress of a command.

use indicatif::{ProgressBar, ProgressStyle};

/// Starts a bar on standard error, which is hidden unless that is a terminal. Its end clears it.
pub(crate) fn bar(size: Option<u64>, template: &str) -> ProgressBar {
    let bar = size.map_or_else(ProgressBar::no_length, ProgressBar::new);
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}
