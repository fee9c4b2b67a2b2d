//! The requests that no webhook receives, whatever its rules are.

use serde_json::Value;

/// Returns whether a request is about a resource that configures admission itself
/// (`IsExemptAdmissionConfigurationResource` in k8s.io/apiserver), or about a review of a user, a
/// token or a right. Servers before 1.37 send reviews.
///
/// Source: `Excluded` in `pkg/kubeapiserver/admission/exclusion` of Kubernetes 1.37.
pub(crate) fn is_never_sent(request: &Value) -> bool {
    const REVIEWS: [[&str; 2]; 6] = [
        ["authentication.k8s.io", "selfsubjectreviews"],
        ["authentication.k8s.io", "tokenreviews"],
        ["authorization.k8s.io", "localsubjectaccessreviews"],
        ["authorization.k8s.io", "selfsubjectaccessreviews"],
        ["authorization.k8s.io", "selfsubjectrulesreviews"],
        ["authorization.k8s.io", "subjectaccessreviews"],
    ];
    const KINDS: [&str; 6] = [
        "MutatingAdmissionPolicy",
        "MutatingAdmissionPolicyBinding",
        "MutatingWebhookConfiguration",
        "ValidatingAdmissionPolicy",
        "ValidatingAdmissionPolicyBinding",
        "ValidatingWebhookConfiguration",
    ];
    let text = |field: &str, part: &str| -> &str {
        let value = request.get(field).and_then(|field| field.get(part));
        value.and_then(Value::as_str).unwrap_or_default()
    };
    let configures = text("kind", "group") == "admissionregistration.k8s.io";
    configures && KINDS.contains(&text("kind", "kind"))
        || REVIEWS.contains(&[text("resource", "group"), text("resource", "resource")])
}
