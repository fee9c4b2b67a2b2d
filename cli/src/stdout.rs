//! Standard output.

use std::io::{self, ErrorKind, Write};

use anstream::AutoStream;
use serde::Serialize;

use crate::failure::Failure;

/// Writes to standard output.
///
/// A reader that closes the pipe early causes no failure.
///
/// # Errors
/// Standard output cannot be written.
pub(crate) fn print(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
    let stdout = io::stdout();
    let choice = AutoStream::choice(&stdout);
    // Buffered, because a diff can have many lines.
    let mut out = io::BufWriter::new(AutoStream::new(stdout.lock(), choice));
    match write(&mut out).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::about("standard output", format!("cannot be written: {error}")))
        }
        _ => Ok(()),
    }
}

/// Writes a value as one line of JSON.
///
/// # Errors
/// The output cannot be written.
pub(crate) fn write_json(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    writeln!(out)
}
