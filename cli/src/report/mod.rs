//! The verdicts, printed.

mod people;
mod programs;

use std::io::{self, ErrorKind, Write};

use admission_review::{AdmissionRequest, AdmissionResponse};
use anstream::AutoStream;

use crate::args::Output;
use crate::failure::Failure;

/// A request and what becomes of it.
#[derive(Debug)]
pub(crate) struct Judged {
    pub(crate) request: AdmissionRequest,
    pub(crate) response: AdmissionResponse,
}

/// Prints all verdicts on standard output, in order.
///
/// # Errors
/// When standard output cannot be written.
pub(crate) fn print(judged: &[Judged], output: Output) -> Result<(), Failure> {
    to_stdout(|out| match output {
        Output::Text => people::print(out, judged),
        Output::Json => programs::json(out, judged),
        Output::Yaml => programs::yaml(out, judged),
    })
}

/// Writes to standard output.
///
/// A reader that has seen enough and closes the pipe is no failure: the exit status says the rest.
///
/// # Errors
/// When standard output cannot be written.
pub(crate) fn to_stdout(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
    let stdout = io::stdout();
    let choice = AutoStream::choice(&stdout);
    // Buffered, as a diff may have many lines.
    let mut out = io::BufWriter::new(AutoStream::new(stdout.lock(), choice));
    match write(&mut out).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::about("standard output", format!("cannot be written: {error}")))
        }
        _ => Ok(()),
    }
}
