//! Verdicts as `AdmissionReview`s, the responses of a webhook.

use std::io::{self, Write};

use admission_review::AdmissionResponse;
use serde::Serialize;

use super::JudgedRequest;
use crate::stdout;

/// The response of a webhook.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AdmissionReview<'r> {
    api_version: &'static str,
    kind: &'static str,
    response: &'r AdmissionResponse,
}

impl<'r> AdmissionReview<'r> {
    fn of(judged: &'r JudgedRequest) -> Self {
        Self { api_version: "admission.k8s.io/v1", kind: "AdmissionReview", response: &judged.response }
    }
}

/// Writes an `AdmissionReview` per line.
///
/// # Errors
/// The output cannot be written.
pub(super) fn write_json(out: &mut dyn Write, judged: &[JudgedRequest]) -> io::Result<()> {
    judged.iter().try_for_each(|judged| stdout::write_json(out, &AdmissionReview::of(judged)))
}

/// Writes an `AdmissionReview` per YAML document.
///
/// # Errors
/// The output cannot be written.
pub(super) fn write_yaml(out: &mut dyn Write, judged: &[JudgedRequest]) -> io::Result<()> {
    for (index, judged) in judged.iter().enumerate() {
        if index > 0 {
            writeln!(out, "---")?;
        }
        stdout::write_yaml(out, &AdmissionReview::of(judged))?;
    }
    Ok(())
}
