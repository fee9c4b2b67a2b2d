//! The report itself as JSON, with the version of the format.

use std::io::{self, Write};

use serde::Serialize;

use crate::{Report, VERSION};

/// A report with the version of its format.
#[derive(Serialize)]
pub(super) struct Document<'r> {
    version: u64,
    #[serde(flatten)]
    report: &'r Report,
}

impl<'r> Document<'r> {
    pub(super) fn new(report: &'r Report) -> Self {
        Self { version: VERSION, report }
    }
}

pub(super) fn write(out: &mut dyn Write, report: &Report) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, &Document::new(report))?;
    writeln!(out)
}
