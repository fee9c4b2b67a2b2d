//! Signals of users and systems that end the tool.

use std::process;
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crate::failure::Failure;
use crate::print_problem;

/// The exit status of a program that a signal ended: 128 and SIGINT.
const ENDED: i32 = 130;

/// The time in which a command that watches for the first signal ends by itself.
const PATIENCE: Duration = Duration::from_millis(900);

static WATCHED: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// Ends the tool at a signal that asks for it, such as Ctrl-C, also as the first process of a
/// container, which has to ask for signals. A command that [watches](watch) for the first one has
/// less than a second to end by itself; the second signal ends it at once.
pub(crate) fn catch() -> Result<(), Failure> {
    let caught = ctrlc::set_handler(|| {
        let Some(flag) = WATCHED.get() else { process::exit(ENDED) };
        if flag.swap(true, Ordering::SeqCst) {
            process::exit(ENDED);
        }
        thread::spawn(|| {
            thread::sleep(PATIENCE);
            print_problem("interrupted before all reports were written");
            process::exit(ENDED);
        });
    });
    caught.map_err(|error| Failure::about("signals", format!("cannot be caught: {error}")))
}

/// Returns a flag that the first signal sets from now on.
pub(crate) fn watch() -> Arc<AtomicBool> {
    Arc::clone(WATCHED.get_or_init(Arc::default))
}
