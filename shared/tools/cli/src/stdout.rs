//! Standard output.

use std::io::{self, ErrorKind, Write};

use anstream::AutoStream;
use serde::Serialize;

use crate::args::TextOrData;
use crate::failure::Failure;

/// Writes to standard output.
///
/// A reader that closes the pipe early causes no failure.
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

/// Writes the only result of a command: text, JSON or YAML.
pub(crate) fn write_one(
    out: &mut dyn Write,
    format: TextOrData,
    value: &impl Serialize,
    text: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    match format {
        TextOrData::Text => text(out),
        TextOrData::Json => write_json(out, value),
        TextOrData::Yaml => write_yaml(out, value),
    }
}

/// Writes a value as YAML, without a separator.
pub(crate) fn write_yaml(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    let text = serde_saphyr::to_string(value).map_err(io::Error::other)?;
    out.write_all(text.as_bytes())
}

/// Writes a value as one line of JSON.
pub(crate) fn write_json(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    writeln!(out)
}
