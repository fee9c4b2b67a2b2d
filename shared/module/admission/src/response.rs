use std::fmt::Display;

use text::{Json, ObjectWriter};

use crate::bounds::{MESSAGE, cut};
use crate::{Decision, Outcome, Policy};

/// The response to a `validate` call, with the fields of `ValidationResponse` in
/// kubewarden-policy-sdk. The tests of the crate `guest` compare the two.
///
/// The object is JSON text, because a `serde_json::Value` would round its numbers.
#[derive(Debug, Default)]
pub struct Response {
    /// Whether the request is admitted.
    pub accepted: bool,
    /// The reason of a denial.
    pub message: Option<String>,
    /// The HTTP status code that the client receives.
    pub code: Option<u16>,
    /// The whole object with the policy's changes, as JSON.
    pub mutated_object: Option<String>,
    /// Warnings and audit annotations as JSON, by the name of the field.
    pub notes: Vec<(&'static str, String)>,
}

/// The status code of a request that violates a rule.
const FORBIDDEN: u16 = 403;
/// The status code of a request that cannot be evaluated. Audit reports count it as an error, not
/// as a failure.
const INTERNAL_ERROR: u16 = 500;

/// Returns the response of a module for the outcome of its policy.
#[must_use]
#[inline(never)]
pub fn render<P: Policy, V: Display>(outcome: Outcome<V>) -> Response {
    let Outcome { decision, notes } = outcome;
    let denied =
        |message: String, code| Response { message: Some(message), code: Some(code), ..Response::default() };
    let response = match decision {
        Decision::NotMatched | Decision::Admitted => Response { accepted: true, ..Response::default() },
        Decision::Mutated(object) => {
            Response { accepted: true, mutated_object: Some(object), ..Response::default() }
        }
        Decision::Denied(violations) => denied(violations.to_string(), FORBIDDEN),
        Decision::Fault(fault) => {
            let message = [P::ID, ": cannot evaluate this request: ", &fault.to_string()].concat();
            denied(cut(message, MESSAGE), INTERNAL_ERROR)
        }
    };
    match notes {
        Some(notes) => response.with(&notes.warnings.texts, &notes.audit_annotations),
        None => response,
    }
}

impl Response {
    /// Returns the response with warnings and audit annotations.
    #[must_use]
    pub fn with(mut self, warnings: &[String], audit_annotations: &[(&'static str, String)]) -> Self {
        if !warnings.is_empty() {
            self.notes.push(("warnings", Json::texts(warnings).into_text()));
        }
        if !audit_annotations.is_empty() {
            let fields = audit_annotations.iter();
            let object = fields.fold(ObjectWriter::new(), |json, (key, value)| json.text(key, value));
            self.notes.push(("audit_annotations", object.finish()));
        }
        self
    }

    /// Returns the response as JSON, which is what the host reads.
    #[must_use]
    pub fn to_json(&self) -> Vec<u8> {
        if self.accepted && self.mutated_object.is_none() && self.notes.is_empty() {
            // The response to nearly all requests.
            return br#"{"accepted":true}"#.to_vec();
        }
        let mut json = ObjectWriter::new().raw("accepted", if self.accepted { "true" } else { "false" });
        if let Some(message) = &self.message {
            json = json.text("message", message);
        }
        if let Some(code) = self.code {
            json = json.raw("code", &code.to_string());
        }
        if let Some(object) = &self.mutated_object {
            json = json.raw("mutated_object", object);
        }
        for (field, note) in &self.notes {
            json = json.raw(field, note);
        }
        json.finish().into_bytes()
    }
}
