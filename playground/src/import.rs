//! Texts from which policies are imported.

use serde_json::Value;

/// Returns whether a document is one that policies are imported from.
pub(crate) fn is_source(document: &Value) -> bool {
    let text = |name: &str| document.get(name).and_then(Value::as_str).unwrap_or_default();
    let groups = [
        "policies.kubewarden.io/",
        "pod-security.admission.config.k8s.io/",
        "apiserver.config.k8s.io/",
        "kyverno.io/",
    ];
    groups.iter().any(|group| text("apiVersion").starts_with(group))
}
