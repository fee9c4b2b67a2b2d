//! The output of verdicts.

mod text;

use kubernetes::review::{AdmissionRequest, AdmissionResponse};
use report::Place;
use serde::Serialize;

use crate::args::TextOrData;
use crate::failure::Failure;
use crate::stdout;

#[derive(Debug)]
pub(crate) struct EvaluatedRequest {
    pub(crate) place: Place,
    pub(crate) request: AdmissionRequest,
    pub(crate) response: AdmissionResponse,
    /// Why the policy admits the request without evaluating it.
    pub(crate) not_evaluated: Option<String>,
}

/// The verdict on a request.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Verdict {
    Admitted,
    Mutated,
    Denied,
    /// Denied because the request cannot be evaluated.
    Fault,
    /// Admitted by a policy that does not evaluate such requests.
    NotEvaluated,
}

impl Verdict {
    pub(crate) fn of(EvaluatedRequest { response, not_evaluated, .. }: &EvaluatedRequest) -> Self {
        let code = response.status.as_ref().and_then(|status| status.code);
        match response {
            AdmissionResponse { allowed: false, .. } if code == Some(500) => Self::Fault,
            AdmissionResponse { allowed: false, .. } => Self::Denied,
            AdmissionResponse { patch: Some(_), .. } => Self::Mutated,
            _ if not_evaluated.is_some() => Self::NotEvaluated,
            _ => Self::Admitted,
        }
    }
}

/// Prints all verdicts on standard output, in order.
pub(crate) fn print(evaluated: &[EvaluatedRequest], format: TextOrData) -> Result<(), Failure> {
    stdout::print(|out| match format {
        TextOrData::Text => text::write(out, evaluated),
        TextOrData::Json => reviews(evaluated).try_for_each(|review| stdout::write_json(out, &review)),
        TextOrData::Yaml => reviews(evaluated).enumerate().try_for_each(|(index, review)| {
            if index > 0 {
                writeln!(out, "---")?;
            }
            stdout::write_yaml(out, &review)
        }),
    })
}

/// The response of a webhook.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AdmissionReview<'r> {
    api_version: &'static str,
    kind: &'static str,
    response: &'r AdmissionResponse,
}

fn reviews(evaluated: &[EvaluatedRequest]) -> impl Iterator<Item = AdmissionReview<'_>> {
    evaluated.iter().map(|EvaluatedRequest { response, .. }| AdmissionReview {
        api_version: "admission.k8s.io/v1",
        kind: "AdmissionReview",
        response,
    })
}
