//! The report itself as YAML, with the version of the format.

use std::io::{self, Write};

use serde::Serialize;

use crate::Report;

pub(super) fn write(out: &mut dyn Write, report: &Report) -> io::Result<()> {
    write_document(out, &super::json::Document::new(report))
}

/// Writes a document.
pub(super) fn write_document(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    // Escaped, a text cannot contain a character that changes what a terminal shows.
    let options = serde_saphyr::ser_options! { prefer_block_scalars: false };
    let text = serde_saphyr::to_string_with_options(value, options).map_err(io::Error::other)?;
    out.write_all(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use crate::format::tests::written;
    use crate::{Format, Report, sample};

    #[test]
    fn yaml_is_read_back_as_the_same_report() {
        for report in [sample::report(), sample::clean(), Report::default()] {
            assert_eq!(serde_saphyr::from_str::<Report>(&written(&report, Format::Yaml)).unwrap(), report);
        }
    }
}
