//! The namespace of Kubewarden.

use serde_json::Value;

use crate::connection::Connection;
use crate::error::Error;

/// The configurations of the webhooks of policies, which the controller of Kubewarden labels.
const PATHS: [&str; 2] = [
    "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations?labelSelector=\
     app.kubernetes.io%2Fpart-of%3Dkubewarden&limit=500",
    "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations?labelSelector=\
     app.kubernetes.io%2Fpart-of%3Dkubewarden&limit=500",
];

/// Returns the namespace that Kubewarden is installed in, which is that of the services of its
/// webhooks; `None` if it has none.
///
/// Source: `reconcileValidatingWebhookConfiguration` in
/// `internal/controller/policy_subreconciler_webhook.go` of kubewarden-controller.
///
/// # Errors
/// The configurations cannot be listed.
pub fn kubewarden_namespace(connection: &Connection) -> Result<Option<String>, Error> {
    for path in PATHS {
        let list = connection.get(path)?;
        let list: Value = serde_json::from_str(&list)
            .map_err(|error| Error::new(format!("{path}: the answer is not JSON: {error}")))?;
        let configurations = list.get("items").and_then(Value::as_array).into_iter().flatten();
        let mut webhooks = configurations.flat_map(|configuration| {
            configuration.get("webhooks").and_then(Value::as_array).into_iter().flatten()
        });
        let namespace = |webhook: &Value| {
            let namespace = webhook.pointer("/clientConfig/service/namespace");
            namespace.and_then(Value::as_str).map(str::to_owned)
        };
        if let Some(namespace) = webhooks.find_map(namespace) {
            return Ok(Some(namespace));
        }
    }
    Ok(None)
}
