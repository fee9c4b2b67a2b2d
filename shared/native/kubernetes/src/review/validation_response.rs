//! The answer of a policy to a request.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use crate::review::AdmissionResponse;
use crate::review::response::Status;

/// The answer of a policy to a request.
///
/// Name and fields are those of `ValidationResponse` in kubewarden-policy-sdk, as errors contain
/// them; a test of `wapc-host` compares the two.
#[derive(Debug, Deserialize)]
pub struct ValidationResponse {
    /// Whether the request is admitted.
    pub accepted: bool,
    /// The message for the client.
    pub message: Option<String>,
    /// The HTTP status code for the client.
    pub code: Option<u16>,
    /// The whole object with the policy's changes.
    pub mutated_object: Option<Value>,
    /// The annotations for the audit log.
    pub audit_annotations: Option<BTreeMap<String, String>>,
    /// The warnings for the client.
    pub warnings: Option<Vec<String>>,
}

impl ValidationResponse {
    /// Returns the response to the API server that Kubewarden makes of the answer to a request with
    /// this `uid` and object.
    ///
    /// The patch (RFC 6902) leads from the object of the request to the policy's: it removes every
    /// field that the policy omits. If a policy changes the object of a request that has none, the
    /// request is denied.
    #[must_use]
    pub fn response(self, uid: &str, object: Option<&Value>) -> AdmissionResponse {
        let patch = match (&self.mutated_object, object) {
            (None, _) => None,
            (Some(mutated), Some(object)) => match patch(object, mutated) {
                Ok(patch) => patch,
                Err(error) => {
                    return AdmissionResponse::internal_error(
                        uid,
                        &format!("invalid response format: {error}"),
                    );
                }
            },
            (Some(_), None) => {
                let message = "Incoming object is null, which happens only with DELETE operations, but the policy \
                               is attempting a mutation. This is not allowed";
                return AdmissionResponse::denied(uid, message, None);
            }
        };
        let status = Status { message: self.message, code: self.code, details: None };
        AdmissionResponse {
            uid: uid.to_owned(),
            allowed: self.accepted,
            patch,
            status: Some(status).filter(|status| status.message.is_some() || status.code.is_some()),
            audit_annotations: self.audit_annotations,
            warnings: self.warnings,
        }
    }
}

/// Returns the JSON patch from one object to another; `None` if they are equal.
fn patch(object: &Value, mutated: &Value) -> Result<Option<Value>, serde_json::Error> {
    let patch = json_patch::diff(object, mutated);
    if patch.is_empty() { Ok(None) } else { serde_json::to_value(patch).map(Some) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn response(answer: Value, object: Option<&Value>) -> AdmissionResponse {
        serde_json::from_value::<ValidationResponse>(answer).unwrap().response("u", object)
    }

    #[test]
    fn keeps_every_field_of_the_answer() {
        let answer = json!({
            "accepted": false, "message": "no", "code": 403,
            "audit_annotations": { "a": "b" }, "warnings": ["w"], "unknown": 1,
        });
        assert_eq!(
            serde_json::to_value(response(answer, None)).unwrap(),
            json!({
                "uid": "u",
                "allowed": false,
                "status": { "message": "no", "code": 403 },
                "auditAnnotations": { "a": "b" },
                "warnings": ["w"],
            }),
        );
    }

    #[test]
    fn turns_a_changed_object_into_a_patch() {
        let answer = json!({ "accepted": true, "mutated_object": { "a": 1, "b": 2 } });
        let response = response(answer, Some(&json!({ "a": 1, "c": 3 })));
        assert_eq!(
            response.patch,
            Some(json!([{ "op": "add", "path": "/b", "value": 2 }, { "op": "remove", "path": "/c" }])),
        );
        assert_eq!(response.status, None);
    }

    #[test]
    fn an_unchanged_object_has_no_patch() {
        let answer = json!({ "accepted": true, "mutated_object": { "a": 1 } });
        assert_eq!(response(answer, Some(&json!({ "a": 1 }))).patch, None);
    }

    #[test]
    fn denies_a_change_to_a_request_without_an_object() {
        let response = response(json!({ "accepted": true, "mutated_object": {} }), None);
        assert!(!response.allowed);
        assert_eq!(
            response.status.unwrap().message.unwrap(),
            "Incoming object is null, which happens only with DELETE operations, but the policy is attempting a \
             mutation. This is not allowed",
        );
    }
}
