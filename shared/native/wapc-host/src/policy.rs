//! A module that is deployed.

use std::sync::Arc;

use admission_review::{Answer, SettingsAnswer};
use cluster_objects::Objects;
use serde_json::Value;

use crate::host_calls::Record;
use crate::instance::{self, Failure};
use crate::{AdmissionRequest, AdmissionResponse, Deployment, HostCall, HostError, Module, constraint};

/// A module with settings that it has accepted.
#[derive(Clone, Debug)]
pub struct DeployedPolicy {
    module: Module,
    deployment: Arc<Deployment>,
}

/// What became of a request.
#[derive(Clone, Debug)]
pub struct Evaluation {
    /// What the API server is told.
    pub response: AdmissionResponse,
    /// The module's own answer, as it gave it; `None` if it gave none.
    pub raw: Option<Vec<u8>>,
    /// What the module asked the host, in order.
    pub calls: Vec<HostCall>,
    /// What the module logged, in order; a string if it was no JSON.
    pub logs: Vec<Value>,
}

impl DeployedPolicy {
    pub(crate) fn new(module: Module, deployment: Deployment) -> Result<Self, HostError> {
        let deployment = Arc::new(deployment.checked()?);
        let cluster = Arc::new(Objects::unreachable("settings are validated without a cluster"));
        let settings = deployment.settings.to_string();
        let (answer, _) =
            instance::run(&module, &deployment, &cluster, "validate_settings", settings.as_bytes());
        accepted(answer).map_err(HostError::Settings)?;
        Ok(Self { module, deployment })
    }

    /// Judges a request in a new instance, as the policy server does.
    ///
    /// There is always a response: whatever goes wrong is a denial in the host's words.
    #[must_use]
    pub fn validate(&self, request: &AdmissionRequest, cluster: &Arc<Objects>) -> Evaluation {
        let payload = request.payload(&self.deployment.settings);
        let (answer, Record { calls, logs }) =
            instance::run(&self.module, &self.deployment, cluster, "validate", &payload);
        let (response, raw) = match answer {
            Ok(raw) => (judged(request, &raw), Some(raw)),
            Err(failure) if failure.is_timeout() => (AdmissionResponse::timed_out(request.uid()), None),
            Err(failure) => (AdmissionResponse::internal_error(request.uid(), &failure.to_string()), None),
        };
        Evaluation { response: constraint::apply(&self.deployment, response), raw, calls, logs }
    }
}

fn judged(request: &AdmissionRequest, raw: &[u8]) -> AdmissionResponse {
    match serde_json::from_slice::<Answer>(raw) {
        Ok(answer) => answer.response(request.uid(), request.object()),
        Err(error) => {
            let problem = format!("invalid response from policy: {error}");
            AdmissionResponse::internal_error(request.uid(), &problem)
        }
    }
}

/// Whether the settings are accepted; if not, why not.
fn accepted(answer: Result<Vec<u8>, Failure>) -> Result<(), String> {
    let answer = answer.map_err(|failure| match failure {
        Failure::Start(problem) => problem,
        Failure::Call(error) => format!("HostError invoking settings validation callback: {error:?}"),
    })?;
    match serde_json::from_slice(&answer) {
        Ok(SettingsAnswer { valid: true, .. }) => Ok(()),
        Ok(SettingsAnswer { message, .. }) => Err(message.unwrap_or_else(|| "no message".to_owned())),
        Err(error) => Err(format!("error: invalid response from policy: {error}")),
    }
}
