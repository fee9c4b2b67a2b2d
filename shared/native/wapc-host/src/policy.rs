//! A deployed module.

use std::collections::BTreeMap;
use std::sync::Arc;

use admission_review::Answer;
use cluster_objects::Objects;
use kubewarden_policy_sdk::response::ValidationResponse;
use kubewarden_policy_sdk::settings::SettingsValidationResponse;
use serde_json::Value;

use crate::host_calls::{Answers, Record};
use crate::instance::{self, Failure};
use crate::{
    AdmissionRequest, AdmissionResponse, Deployment, HostCall, HostError, Module, Replay, constraint,
};

/// A module with settings that it has accepted.
#[derive(Clone, Debug)]
pub struct DeployedPolicy {
    module: Module,
    deployment: Arc<Deployment>,
}

/// The judgement of a request, and how the module came to it.
#[derive(Clone, Debug)]
pub struct Evaluation {
    /// The response to the API server.
    pub response: AdmissionResponse,
    /// The module's answer, byte by byte; `None` if it gave none.
    pub raw: Option<Vec<u8>>,
    /// The module's questions to the host, in order.
    pub calls: Vec<HostCall>,
    /// The module's log entries, in order, then the lines it printed; a string for each that is not
    /// JSON.
    pub logs: Vec<Value>,
}

impl DeployedPolicy {
    pub(crate) fn new(module: Module, deployment: Deployment) -> Result<Self, HostError> {
        let deployment = Arc::new(deployment.checked()?);
        let cluster = Objects::unreachable("settings are validated without a cluster");
        let cluster = Answers::Objects(Arc::new(cluster));
        let settings = deployment.settings.to_string();
        let (answer, _) =
            instance::run(&module, &deployment, &cluster, "validate_settings", settings.as_bytes());
        accepted(answer).map_err(HostError::Settings)?;
        Ok(Self { module, deployment })
    }

    /// Returns the module.
    #[must_use]
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// Judges a request in a new instance, as the policy server does.
    ///
    /// There is always a response: whatever goes wrong denies the request, in the policy server's
    /// words.
    #[must_use]
    pub fn validate(&self, request: &AdmissionRequest, cluster: &Arc<Objects>) -> Evaluation {
        self.evaluate(request, &Answers::Objects(Arc::clone(cluster)))
    }

    /// Judges a request as [`DeployedPolicy::validate`] does, with a recording in the place of the
    /// cluster, which may answer every host call.
    #[must_use]
    pub fn replay(&self, request: &AdmissionRequest, recording: &Arc<dyn Replay>) -> Evaluation {
        self.evaluate(request, &Answers::Recording(Arc::clone(recording)))
    }

    fn evaluate(&self, request: &AdmissionRequest, answers: &Answers) -> Evaluation {
        let payload = request.payload(&self.deployment.settings);
        let (answer, Record { calls, logs }) =
            instance::run(&self.module, &self.deployment, answers, "validate", &payload);
        let (response, raw) = match answer {
            Ok(raw) => (response(request, &raw), Some(raw)),
            Err(Failure::Timeout) => (AdmissionResponse::timed_out(request.uid()), None),
            Err(failure) => (AdmissionResponse::internal_error(request.uid(), &failure.to_string()), None),
        };
        Evaluation { response: constraint::apply(&self.deployment, response), raw, calls, logs }
    }
}

fn response(request: &AdmissionRequest, raw: &[u8]) -> AdmissionResponse {
    match serde_json::from_slice::<ValidationResponse>(raw) {
        Ok(answer) => converted(answer).response(request.uid(), request.object()),
        Err(error) => {
            let problem = format!("invalid response from policy: {error}");
            AdmissionResponse::internal_error(request.uid(), &problem)
        }
    }
}

/// The answer in this project's type, with annotations in a fixed order.
fn converted(answer: ValidationResponse) -> Answer {
    let ValidationResponse { accepted, message, code, mutated_object, audit_annotations, warnings } = answer;
    let audit_annotations = audit_annotations.map(BTreeMap::from_iter);
    Answer { accepted, message, code, mutated_object, audit_annotations, warnings }
}

/// Whether the settings are accepted; the error is the reason why not.
fn accepted(answer: Result<Vec<u8>, Failure>) -> Result<(), String> {
    let answer = answer.map_err(|failure| match failure {
        Failure::Start(_) => failure.to_string(),
        Failure::Call(_) | Failure::Timeout => {
            let reason = failure.reason();
            format!("Error invoking settings validation callback: GuestCallFailure({reason:?})")
        }
    })?;
    match serde_json::from_slice(&answer) {
        Ok(SettingsValidationResponse { valid: true, .. }) => Ok(()),
        Ok(SettingsValidationResponse { message, .. }) => {
            Err(message.unwrap_or_else(|| "no message".to_owned()))
        }
        Err(error) => Err(format!("error: invalid response from policy: {error}")),
    }
}
