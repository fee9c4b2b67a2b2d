//! The output of verdicts.

mod review;
mod text;

use admission_review::{AdmissionRequest, AdmissionResponse};

use crate::args::TextOrData;
use crate::failure::Failure;
use crate::source::SourceName;
use crate::stdout;

/// A request and the response to it.
#[derive(Debug)]
pub(crate) struct JudgedRequest {
    /// The place of the request in the input.
    pub(crate) name: SourceName,
    pub(crate) request: AdmissionRequest,
    pub(crate) response: AdmissionResponse,
}

/// Prints all verdicts on standard output, in order.
///
/// # Errors
/// Standard output cannot be written.
pub(crate) fn print(judged: &[JudgedRequest], format: TextOrData) -> Result<(), Failure> {
    stdout::print(|out| match format {
        TextOrData::Text => text::write(out, judged),
        TextOrData::Json => review::write_json(out, judged),
        TextOrData::Yaml => review::write_yaml(out, judged),
    })
}
