//! What the host is told.

use text::{Json, ObjectWriter};

use crate::{Fault, Violations};

/// The host's `ValidationResponse`, field by field as kubewarden-policy-sdk has it, which the tests of the
/// guest crate hold it against; the object is text here, so that nothing of it is lost on the way.
#[derive(Debug, Default)]
pub struct Response {
    /// Whether the request is admitted.
    pub accepted: bool,
    /// Why not.
    pub message: Option<String>,
    /// The HTTP status that the client sees.
    pub code: Option<u16>,
    /// The whole object with the policy's changes, as JSON.
    pub mutated_object: Option<String>,
    /// What is said besides, by field: JSON. A policy that says nothing besides carries no code for it.
    pub notes: Vec<(&'static str, String)>,
}

impl Response {
    /// Denied by a rule.
    const FORBIDDEN: u16 = 403;
    /// Could not be judged; reports count it as an error, not as a failure.
    const ERROR: u16 = 500;

    pub(crate) fn admit() -> Self {
        Self { accepted: true, ..Self::default() }
    }

    pub(crate) fn mutate(object: Option<String>) -> Self {
        Self { accepted: true, mutated_object: object, ..Self::default() }
    }

    #[cold]
    pub(crate) fn deny(violations: &Violations<'_>) -> Self {
        Self { message: Some(violations.to_string()), code: Some(Self::FORBIDDEN), ..Self::default() }
    }

    #[cold]
    pub(crate) fn fault(policy: &str, fault: &Fault) -> Self {
        let message = format!("{policy}: cannot judge this request: {fault}");
        Self { message: Some(message), code: Some(Self::ERROR), ..Self::default() }
    }

    /// The same response with what the client and the audit log are told besides.
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

    /// The response as the host reads it.
    #[must_use]
    pub fn to_json(&self) -> Vec<u8> {
        if self.accepted && self.mutated_object.is_none() && self.notes.is_empty() {
            // What nearly all requests get.
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
