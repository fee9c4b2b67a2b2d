//! A deployed module.

use std::sync::Arc;

use kubernetes::objects::Objects;
use kubernetes::review::ValidationResponse;
use serde::Deserialize;
use serde_json::Value;

use crate::host_calls::{Answers, Record};
use crate::instance::{self, CallFailure};
use crate::{
    AdmissionRequest, AdmissionResponse, Deployment, HostCall, HostError, Module, Replay, constraint,
};

/// A module with settings that it has accepted.
#[derive(Clone, Debug)]
pub struct DeployedPolicy {
    module: Module,
    deployment: Arc<Deployment>,
}

/// The evaluation of a request, and how the module came to it.
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

    /// Evaluates a request in a new instance, as the policy server does.
    ///
    /// There is always a response: whatever goes wrong denies the request, in the policy server's
    /// words.
    #[must_use]
    pub fn validate(&self, request: &AdmissionRequest, cluster: &Arc<Objects>) -> Evaluation {
        self.evaluate(request, &Answers::Objects(Arc::clone(cluster)))
    }

    /// Evaluates a request as [`DeployedPolicy::validate`] does, with a recording in the place of
    /// the cluster, which may answer every host call.
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
            Err(CallFailure::Timeout) => (AdmissionResponse::timed_out(request.uid()), None),
            Err(failure) => (AdmissionResponse::internal_error(request.uid(), &failure.to_string()), None),
        };
        Evaluation { response: constraint::apply(&self.deployment, response), raw, calls, logs }
    }
}

impl Deployment {
    /// Returns the response to a request, made of the answer of a policy as the policy server makes
    /// it of that of a module. Callers that evaluate natively use it to get the same response.
    #[must_use]
    pub fn response(&self, request: &AdmissionRequest, answer: &[u8]) -> AdmissionResponse {
        constraint::apply(self, response(request, answer))
    }
}

fn response(request: &AdmissionRequest, raw: &[u8]) -> AdmissionResponse {
    match serde_json::from_slice::<ValidationResponse>(raw) {
        Ok(answer) => answer.response(request.uid(), request.object()),
        Err(error) => {
            let problem = format!("invalid response from policy: {error}");
            AdmissionResponse::internal_error(request.uid(), &problem)
        }
    }
}

/// The answer of a module to settings. Name and fields are those of the type in
/// kubewarden-policy-sdk, as errors contain them.
#[derive(Debug, Deserialize)]
struct SettingsValidationResponse {
    valid: bool,
    message: Option<String>,
}

/// Whether the settings are accepted; the error is the reason why not.
fn accepted(answer: Result<Vec<u8>, CallFailure>) -> Result<(), String> {
    let answer = answer.map_err(|failure| match failure {
        CallFailure::Start(_) => failure.to_string(),
        CallFailure::Call(_) | CallFailure::Timeout => {
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

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::fmt::Debug;

    use kubewarden_policy_sdk as sdk;
    use serde::Serialize;
    use serde::de::DeserializeOwned;
    use serde_json::json;

    use super::*;

    #[test]
    fn reads_answers_as_the_types_of_the_sdk() {
        let answer = sdk::response::ValidationResponse {
            accepted: false,
            message: Some("no".into()),
            code: Some(403),
            mutated_object: Some(json!({ "a": [1, null] })),
            audit_annotations: Some(HashMap::from([("a".into(), "b".into())])),
            warnings: Some(vec!["w".into()]),
        };
        reads_as::<_, ValidationResponse>(&answer);
        let answer = sdk::settings::SettingsValidationResponse { valid: false, message: Some("no".into()) };
        reads_as::<_, SettingsValidationResponse>(&answer);
    }

    /// Compares how a type of the SDK and ours read variants of an answer: into the same fields, or
    /// with the same error.
    fn reads_as<S: Debug + Serialize + DeserializeOwned, O: Debug + DeserializeOwned>(answer: &S) {
        let whole = serde_json::to_value(answer).unwrap();
        assert_eq!(read::<O>(&whole.to_string()), format!("{answer:?}"));
        let with = |field: &str, value: Value| {
            let mut variant = whole.clone();
            variant[field] = value;
            variant
        };
        let without = |field: &str| {
            let mut variant = whole.clone();
            variant.as_object_mut().unwrap().remove(field);
            variant
        };
        let values: Vec<&Value> = whole.as_object().unwrap().values().collect();
        let mut variants = vec![
            with("unknown", json!(1)),
            json!(values),
            json!([]),
            json!([true]),
            json!("v"),
            json!(1),
            Value::Null,
        ];
        for field in whole.as_object().unwrap().keys() {
            variants.push(without(field));
            let others =
                [json!(-7), json!(65536), json!(1.5), json!("v"), json!([1]), json!({ "v": 1 }), Value::Null];
            variants.extend(others.into_iter().map(|value| with(field, value)));
        }
        let mut texts: Vec<String> = variants.iter().map(Value::to_string).collect();
        texts.extend(["", "{", "{}{}", "{}"].map(String::from));
        texts.push(whole.to_string().replacen('{', r#"{"message":"yes","#, 1));
        for text in texts {
            assert_eq!(read::<O>(&text), read::<S>(&text), "{text}");
        }
    }

    fn read<T: Debug + DeserializeOwned>(text: &str) -> String {
        match serde_json::from_str::<T>(text) {
            Ok(answer) => format!("{answer:?}"),
            Err(error) => error.to_string(),
        }
    }
}
