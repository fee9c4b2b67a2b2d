//! The progress of a scan.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget};
use report::one_line;
use scan::{Explanation, Input, Observer, Policy};

use crate::failure::Failure;
use crate::progress::bar;

/// The time after which the progress is shown. Shorter scans show only their report.
const PATIENCE: Duration = Duration::from_millis(300);

/// Shows the progress at a terminal, and nothing elsewhere.
pub(super) struct Progress {
    bar: ProgressBar,
    since: Instant,
    is_shown: bool,
    interrupted: Arc<AtomicBool>,
    /// The names of the policies, if their decisions are explained.
    explained: Option<Vec<String>>,
    /// The first failure to write an explanation.
    failed: Option<io::Error>,
}

impl Progress {
    /// Starts to watch a scan, which ends when the flag is set.
    pub(super) fn start(
        input: &dyn Input,
        explains: bool,
        policies: &[Policy],
        interrupted: Arc<AtomicBool>,
    ) -> Self {
        let size = input.size();
        let template =
            if size.is_some() { "{bar:30} {percent}% {msg}, {eta} left" } else { "{spinner} {msg}" };
        let bar = bar(size, template);
        bar.set_draw_target(ProgressDrawTarget::hidden());
        let names = || policies.iter().map(ToString::to_string).collect();
        Self {
            bar,
            since: Instant::now(),
            is_shown: false,
            interrupted,
            explained: explains.then(names),
            failed: None,
        }
    }

    /// Removes the progress from the terminal; an error if an explanation could not be written.
    pub(super) fn finish(self) -> Result<(), Failure> {
        self.bar.finish_and_clear();
        match self.failed {
            Some(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                Err(Failure::about("standard error", format!("cannot be written: {error}")))
            }
            _ => Ok(()),
        }
    }
}

impl Observer for Progress {
    fn progress(&mut self, objects: u64, findings: u64, bytes: u64) {
        if !self.is_shown && self.since.elapsed() > PATIENCE {
            self.is_shown = true;
            // The drawing stays hidden unless standard error is a terminal.
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.set_position(bytes);
        if !self.bar.is_hidden() {
            self.bar.set_message(format!("{objects} objects, {findings} findings"));
        }
    }

    fn stop(&self) -> bool {
        self.interrupted.load(Ordering::SeqCst)
    }

    fn wants_explanations(&self) -> bool {
        self.explained.is_some()
    }

    fn explain(&mut self, explanation: &Explanation) {
        let Explanation { policy, object, concerns_pods, is_called, why } = explanation;
        let policy = self.explained.iter().flatten().nth(*policy).map(String::as_str).unwrap_or_default();
        let called = if *is_called { "evaluated" } else { "not evaluated" };
        let pods = if *concerns_pods { ", its pods" } else { "" };
        let line = one_line(&format!("{object}{pods}: {called} by {policy}: {why}"));
        let written = self.bar.suspend(|| writeln!(io::stderr().lock(), "{line}"));
        if let Err(error) = written {
            self.failed.get_or_insert(error);
        }
    }
}
