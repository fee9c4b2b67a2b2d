//! Signals: a benchmark that is interrupted stops its servers.

use std::sync::atomic::{AtomicBool, Ordering};

/// Whether a signal asks this process to end.
static IS_INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Notes that this process has to end: what waits for a server fails.
pub fn interrupt() {
    IS_INTERRUPTED.store(true, Ordering::Relaxed);
}

/// Fails once a signal asks this process to end.
///
/// # Errors
/// A signal asks this process to end.
pub fn check_interrupt() -> Result<(), String> {
    if IS_INTERRUPTED.load(Ordering::Relaxed) { Err("interrupted".to_owned()) } else { Ok(()) }
}
