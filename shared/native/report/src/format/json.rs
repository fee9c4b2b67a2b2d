//! The report itself as JSON.

use std::io::{self, Write};

use crate::Report;

pub(super) fn write(out: &mut dyn Write, report: &Report) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, report)?;
    writeln!(out)
}
