//! Verdicts for programs: what a webhook answers.

use std::io::{self, Write};

use admission_review::AdmissionResponse;
use serde::Serialize;

use super::Judged;

/// The answer of a webhook.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AdmissionReview<'r> {
    api_version: &'static str,
    kind: &'static str,
    response: &'r AdmissionResponse,
}

impl<'r> AdmissionReview<'r> {
    fn of(judged: &'r Judged) -> Self {
        Self { api_version: "admission.k8s.io/v1", kind: "AdmissionReview", response: &judged.response }
    }
}

/// An `AdmissionReview` on each line.
///
/// # Errors
/// When it cannot be written.
pub(super) fn json(out: &mut dyn Write, judged: &[Judged]) -> io::Result<()> {
    for judged in judged {
        serde_json::to_writer(&mut *out, &AdmissionReview::of(judged))?;
        writeln!(out)?;
    }
    Ok(())
}

/// An `AdmissionReview` in each YAML document.
///
/// # Errors
/// When it cannot be written.
pub(super) fn yaml(out: &mut dyn Write, judged: &[Judged]) -> io::Result<()> {
    for (index, judged) in judged.iter().enumerate() {
        if index > 0 {
            writeln!(out, "---")?;
        }
        let review = serde_saphyr::to_string(&AdmissionReview::of(judged)).map_err(io::Error::other)?;
        out.write_all(review.as_bytes())?;
    }
    Ok(())
}
