//! The webhook configuration of a policy, as Kubewarden's controller makes it.
//!
//! Source: `internal/controller/policy_subreconciler_webhook.go` of
//! kubewarden/kubewarden-controller at 3460bb71. Only the address differs: the policy server has no
//! Service here.

use kubewarden::matching::PolicyManifest;
use serde_json::{Value, json};

use crate::policy::Policy;

pub(crate) const NAMESPACE: &str = "kubewarden";

/// The kind of a policy's configuration, as kubectl takes it.
pub(crate) fn resource(manifest: &PolicyManifest) -> &'static str {
    if manifest.is_mutating { "mutatingwebhookconfiguration" } else { "validatingwebhookconfiguration" }
}

/// Returns the webhook configuration of a policy whose server has this port and certificate.
pub(crate) fn configuration(policy: &Policy, port: u16, authority: &str) -> Value {
    let manifest = PolicyManifest::read(&policy.manifest).unwrap();
    let metadata = &policy.manifest["metadata"];
    let spec = &policy.manifest["spec"];
    let name = manifest.configuration_name();
    let mut webhook = json!({
        "name": format!("{name}.kubewarden.admission"),
        "clientConfig": { "url": format!("https://127.0.0.1:{port}/validate/{name}"), "caBundle": authority },
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
        "namespaceSelector": namespace_selector(spec),
    });
    let copied =
        ["rules", "failurePolicy", "matchPolicy", "matchConditions", "objectSelector", "timeoutSeconds"];
    for field in copied {
        if !spec[field].is_null() {
            webhook[field] = spec[field].clone();
        }
    }
    let kind =
        if manifest.is_mutating { "MutatingWebhookConfiguration" } else { "ValidatingWebhookConfiguration" };
    json!({
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": kind,
        "metadata": {
            "name": name,
            "labels": { "app.kubernetes.io/part-of": "kubewarden" },
            "annotations": {
                "kubewardenPolicyName": metadata["name"],
                "kubewardenPolicyNamespace": metadata["namespace"].as_str().unwrap_or_default(),
            },
        },
        "webhooks": [webhook],
    })
}

/// Returns the selector, without Kubewarden's own namespace. It has the expressions of the selector
/// of the policy, and not its labels.
fn namespace_selector(spec: &Value) -> Value {
    let own = spec["namespaceSelector"]["matchExpressions"].as_array().cloned().unwrap_or_default();
    let outside = json!({ "key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": [NAMESPACE] });
    let all: Vec<Value> = [outside].into_iter().chain(own).collect();
    json!({ "matchExpressions": all })
}
