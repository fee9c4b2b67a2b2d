//! What a policy answers.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use crate::AdmissionResponse;
use crate::response::Status;

/// `ValidationResponse` of kubewarden-policy-sdk.
#[derive(Debug, Deserialize)]
pub struct Answer {
    accepted: bool,
    message: Option<String>,
    code: Option<u16>,
    mutated_object: Option<Value>,
    audit_annotations: Option<BTreeMap<String, String>>,
    warnings: Option<Vec<String>>,
}

/// `SettingsValidationResponse` of kubewarden-policy-sdk.
#[derive(Debug, Deserialize)]
pub struct SettingsAnswer {
    /// Whether they are accepted.
    pub valid: bool,
    /// Why not.
    pub message: Option<String>,
}

impl Answer {
    /// What the API server is told. The patch leads from the object of the request to the policy's: whatever
    /// the policy left out of it is removed.
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

fn patch(object: &Value, mutated: &Value) -> Result<Option<Value>, serde_json::Error> {
    let patch = json_patch::diff(object, mutated);
    if patch.is_empty() { Ok(None) } else { serde_json::to_value(patch).map(Some) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn response(answer: Value, object: Option<&Value>) -> AdmissionResponse {
        serde_json::from_value::<Answer>(answer).unwrap().response("u", object)
    }

    #[test]
    fn everything_the_module_says_arrives() {
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
    fn a_changed_object_becomes_a_patch() {
        let answer = json!({ "accepted": true, "mutated_object": { "a": 1, "b": 2 } });
        let response = response(answer, Some(&json!({ "a": 1, "c": 3 })));
        assert_eq!(
            response.patch,
            Some(json!([{ "op": "add", "path": "/b", "value": 2 }, { "op": "remove", "path": "/c" }])),
        );
        assert_eq!(response.status, None);
    }

    #[test]
    fn an_unchanged_object_becomes_no_patch() {
        let answer = json!({ "accepted": true, "mutated_object": { "a": 1 } });
        assert_eq!(response(answer, Some(&json!({ "a": 1 }))).patch, None);
    }

    #[test]
    fn a_changed_object_without_an_object_is_a_denial() {
        let response = response(json!({ "accepted": true, "mutated_object": {} }), None);
        assert!(!response.allowed);
        assert_eq!(
            response.status.unwrap().message.unwrap(),
            "Incoming object is null, which happens only with DELETE operations, but the policy is attempting a \
             mutation. This is not allowed",
        );
    }
}
