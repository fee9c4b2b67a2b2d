//! The report itself as JSON, with the version of the format.

use std::io::{self, Write};

use serde::Serialize;

use crate::{Report, VERSION};

#[derive(Serialize)]
struct Document<'r> {
    version: u64,
    #[serde(flatten)]
    report: &'r Report,
}

pub(super) fn write(out: &mut dyn Write, report: &Report) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, &Document { version: VERSION, report })?;
    writeln!(out)
}
