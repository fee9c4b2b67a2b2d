//! Mode, mutation and message of a deployment, applied to a response in the policy server's order.

use kubernetes::review::{AdmissionResponse, Status, StatusCause};

use crate::{Deployment, Mode};

/// Applies mode, mutation and message of a deployment to a response.
pub(crate) fn apply(deployment: &Deployment, response: AdmissionResponse) -> AdmissionResponse {
    let response = match deployment.mode {
        Mode::Monitor => AdmissionResponse { allowed: true, patch: None, status: None, ..response },
        Mode::Protect if response.patch.is_some() && !deployment.allowed_to_mutate => {
            refused(deployment, response)
        }
        Mode::Protect => response,
    };
    match &deployment.message {
        Some(message) if !response.allowed => explained(message, response),
        _ => response,
    }
}

fn refused(Deployment { id, .. }: &Deployment, response: AdmissionResponse) -> AdmissionResponse {
    let message = format!(
        "Request rejected by policy {id}. The policy attempted to mutate the request, but it is currently configured \
         to not allow mutations."
    );
    let status = Some(Status { message: Some(message), ..Status::default() });
    AdmissionResponse { allowed: false, patch: None, status, ..response }
}

fn explained(message: &str, response: AdmissionResponse) -> AdmissionResponse {
    let mut status = response.status.unwrap_or_default();
    let original = status.message.replace(message.to_owned()).unwrap_or_default();
    status.details.get_or_insert_default().causes.push(StatusCause { message: original });
    AdmissionResponse { status: Some(status), ..response }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn applied(deployment: &Deployment, response: AdmissionResponse) -> Value {
        serde_json::to_value(apply(deployment, response)).unwrap()
    }

    fn changed() -> AdmissionResponse {
        AdmissionResponse {
            allowed: true,
            patch: Some(json!([{ "op": "remove", "path": "/a" }])),
            status: None,
            warnings: Some(vec!["w".to_owned()]),
            ..AdmissionResponse::denied("u", "no", Some(403))
        }
    }

    #[test]
    fn monitor_mode_admits_without_the_patch_and_keeps_warnings() {
        let monitor = Deployment { mode: Mode::Monitor, message: Some("m".into()), ..Deployment::new("p") };
        let denied =
            AdmissionResponse { warnings: Some(vec!["w".into()]), ..AdmissionResponse::timed_out("u") };
        let admitted = json!({ "uid": "u", "allowed": true, "warnings": ["w"] });
        assert_eq!(applied(&monitor, denied), admitted);
        assert_eq!(applied(&monitor, changed()), admitted);
    }

    #[test]
    fn denies_a_patch_that_is_not_allowed() {
        assert_eq!(
            applied(&Deployment::new("p"), changed()),
            json!({
                "uid": "u",
                "allowed": false,
                "status": { "message": "Request rejected by policy p. The policy attempted to mutate the request, \
                                        but it is currently configured to not allow mutations." },
                "warnings": ["w"],
            }),
        );
        let mutating = Deployment { allowed_to_mutate: true, ..Deployment::new("p") };
        assert_eq!(apply(&mutating, changed()), changed());
    }

    #[test]
    fn the_deployments_message_replaces_the_modules() {
        let explained = Deployment { message: Some("ask the platform team".into()), ..Deployment::new("p") };
        assert_eq!(
            applied(&explained, AdmissionResponse::denied("u", "no", Some(403))),
            json!({
                "uid": "u",
                "allowed": false,
                "status": {
                    "message": "ask the platform team",
                    "code": 403,
                    "details": { "causes": [{ "message": "no" }] },
                },
            }),
        );
        let admitted = AdmissionResponse { allowed: true, ..AdmissionResponse::denied("u", "fine", None) };
        assert_eq!(apply(&explained, admitted.clone()), admitted);
    }
}
