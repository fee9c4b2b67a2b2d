//! The response to the API server.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Serialize, Serializer};
use serde_json::Value;

/// A Kubernetes `AdmissionResponse`. When it is serialized, the patch is encoded in base64 and
/// absent fields are omitted.
#[derive(Clone, Debug, PartialEq)]
pub struct AdmissionResponse {
    /// The `uid` of the request.
    pub uid: String,
    /// Whether the request is admitted.
    pub allowed: bool,
    /// The changes, as a JSON patch (RFC 6902).
    pub patch: Option<Value>,
    /// The reason why the request is not admitted.
    pub status: Option<Status>,
    /// The annotations for the audit log.
    pub audit_annotations: Option<BTreeMap<String, String>>,
    /// The warnings for the client.
    pub warnings: Option<Vec<String>>,
}

/// The reason why a request is not admitted.
#[derive(Clone, Debug, Default, Eq, PartialEq, Serialize)]
pub struct Status {
    /// The message for the client.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The HTTP status code for the client.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<u16>,
    /// The details of the denial.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<StatusDetails>,
}

/// The details of a denial.
#[derive(Clone, Debug, Default, Eq, PartialEq, Serialize)]
pub struct StatusDetails {
    /// The causes of the denial.
    pub causes: Vec<StatusCause>,
}

/// A cause of a denial.
#[derive(Clone, Debug, Default, Eq, PartialEq, Serialize)]
pub struct StatusCause {
    /// The message of the module, if the deployment replaces it with a custom one.
    pub message: String,
}

impl AdmissionResponse {
    const INTERNAL_ERROR: u16 = 500;

    /// Creates a response that denies the request.
    #[must_use]
    pub fn denied(uid: &str, message: impl Into<String>, code: Option<u16>) -> Self {
        Self {
            uid: uid.to_owned(),
            allowed: false,
            patch: None,
            status: Some(Status { message: Some(message.into()), code, details: None }),
            audit_annotations: None,
            warnings: None,
        }
    }

    /// Creates a response that denies the request because the host failed.
    #[must_use]
    pub fn internal_error(uid: &str, problem: &str) -> Self {
        Self::denied(uid, format!("internal server error: {problem}"), Some(Self::INTERNAL_ERROR))
    }

    /// Creates a response that denies the request because the module took too long.
    #[must_use]
    pub fn timed_out(uid: &str) -> Self {
        let message = "Policy execution interrupted because it exceeded the allowed execution time";
        Self::denied(uid, message, Some(Self::INTERNAL_ERROR))
    }
}

impl Serialize for AdmissionResponse {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Wire {
            uid: &self.uid,
            allowed: self.allowed,
            patch_type: self.patch.as_ref().map(|_| "JSONPatch"),
            patch: self.patch.as_ref().map(|patch| STANDARD.encode(patch.to_string())),
            status: self.status.as_ref(),
            audit_annotations: self.audit_annotations.as_ref(),
            warnings: self.warnings.as_deref(),
        }
        .serialize(serializer)
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Wire<'r> {
    uid: &'r str,
    allowed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    patch_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    patch: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'r Status>,
    #[serde(skip_serializing_if = "Option::is_none")]
    audit_annotations: Option<&'r BTreeMap<String, String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    warnings: Option<&'r [String]>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn omits_absent_fields() {
        let mut response = AdmissionResponse::denied("u", "no", None);
        assert_eq!(
            serde_json::to_value(&response).unwrap(),
            json!({ "uid": "u", "allowed": false, "status": { "message": "no" } }),
        );
        response.status = None;
        assert_eq!(serde_json::to_value(&response).unwrap(), json!({ "uid": "u", "allowed": false }));
    }

    #[test]
    fn encodes_the_patch_in_base64() {
        let patch = Some(json!([{ "op": "remove", "path": "/a" }]));
        let response =
            AdmissionResponse { allowed: true, status: None, patch, ..AdmissionResponse::timed_out("u") };
        assert_eq!(
            serde_json::to_value(&response).unwrap(),
            json!({
                "uid": "u",
                "allowed": true,
                "patchType": "JSONPatch",
                "patch": "W3sib3AiOiJyZW1vdmUiLCJwYXRoIjoiL2EifV0=",
            }),
        );
    }
}
