//! The output of verdicts.

mod diff;
mod review;
mod text;

use admission_review::{AdmissionRequest, AdmissionResponse};

use crate::args::VerdictFormat;
use crate::failure::Failure;
use crate::stdout;

/// A request and the response to it.
#[derive(Debug)]
pub(crate) struct JudgedRequest {
    pub(crate) request: AdmissionRequest,
    pub(crate) response: AdmissionResponse,
}

/// Prints all verdicts on standard output, in order.
///
/// # Errors
/// Standard output cannot be written.
pub(crate) fn print(judged: &[JudgedRequest], format: VerdictFormat) -> Result<(), Failure> {
    stdout::print(|out| match format {
        VerdictFormat::Text => text::write(out, judged),
        VerdictFormat::Json => review::write_json(out, judged),
        VerdictFormat::Yaml => review::write_yaml(out, judged),
    })
}
