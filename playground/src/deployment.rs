//! How to deploy a restriction with settings.

use serde_json::{Value, json};

use crate::input;
use crate::text::yaml;
use crate::types::{Field, Problem};

/// The manifests that the project deploys, of which the first counts whose condition holds.
const MANIFESTS: &[Base] = &[
    Base { policy: "external-ips", mode: None, text: include_str!("../../deploy/external-ips.yaml") },
    Base { policy: "node-labels", mode: None, text: include_str!("../../deploy/node-labels.yaml") },
    Base { policy: "node-pods", mode: None, text: include_str!("../../deploy/node-pods.yaml") },
    Base { policy: "pod-security", mode: None, text: include_str!("../../deploy/pod-security.yaml") },
    Base { policy: "selinux", mode: Some("Validate"), text: include_str!("../../deploy/selinux-guard.yaml") },
    Base { policy: "selinux", mode: None, text: include_str!("../../deploy/selinux-default.yaml") },
];

/// A manifest for a policy, or for a policy whose setting `mode` has a value.
struct Base {
    policy: &'static str,
    mode: Option<&'static str>,
    text: &'static str,
}

/// A `ClusterAdmissionPolicy` with the settings, as YAML, and what it needs besides: the rights for its look-ups.
///
/// It is the one of `deploy` with whatever the settings need besides: the right to change objects, and the requests
/// that a setting wants judged.
///
/// # Errors
/// Settings that are not understood.
pub(crate) fn manifest(restriction: &str, text: &str) -> Result<String, Problem> {
    let settings = input::settings(restriction, text)?;
    let unknown = |message: String| Problem { field: Field::Settings, message, mark: None };
    let mode = settings.get("mode").and_then(Value::as_str);
    let base = MANIFESTS
        .iter()
        .find(|base| base.policy == restriction && (base.mode.is_none() || base.mode == mode))
        .ok_or_else(|| unknown(format!("there is no manifest for {restriction}")))?;
    let mut documents = manifest::documents(base.text).map_err(|problem| unknown(problem.to_string()))?;
    let is_policy = |document: &&mut Value| {
        document.get("kind").and_then(Value::as_str) == Some("ClusterAdmissionPolicy")
    };
    let policy = documents.iter_mut().find(is_policy).and_then(|policy| policy.get_mut("spec"));
    if let Some(Value::Object(spec)) = policy {
        if restriction == "node-pods" && mode == Some("Munge") {
            spec.insert("mutating".to_owned(), true.into());
        }
        let fields = settings.get("fields").and_then(Value::as_array);
        if let Some(fields) = fields.filter(|_| restriction == "external-ips") {
            // The condition lets through those alone that claim external IPs.
            spec.remove("matchConditions");
            let of_status = |field: &Value| field.as_str().is_some_and(|field| field.starts_with("status."));
            if fields.iter().any(of_status)
                && let Some(Value::Array(rules)) = spec.get_mut("rules")
            {
                rules.push(json!({
                    "apiGroups": [""], "apiVersions": ["v1"],
                    "resources": ["services/status"], "operations": ["UPDATE"],
                }));
                // The audit scanner cannot list a subresource.
                spec.insert("backgroundAudit".to_owned(), false.into());
            }
        }
        spec.insert("settings".to_owned(), settings);
    }
    let documents: Vec<String> = documents.iter().map(yaml).collect();
    Ok(documents.join("---\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(restriction: &str, settings: &str) -> Value {
        let text = manifest(restriction, settings).unwrap();
        let documents = manifest::documents(&text).unwrap();
        let policies = documents.into_iter().filter(|document| document["kind"] == "ClusterAdmissionPolicy");
        let [mut policy] = policies.collect::<Vec<Value>>().try_into().unwrap();
        policy["spec"].take()
    }

    #[test]
    fn every_restriction_has_a_manifest_that_takes_the_settings() {
        for entry in rules::CATALOG {
            let spec = spec(entry.id, "");
            assert_eq!(spec["settings"], json!({}), "{}", entry.id);
            assert!(spec["module"].as_str().unwrap().contains(entry.id));
        }
        assert_eq!(spec("pod-security", "level: restricted")["settings"], json!({ "level": "restricted" }));
    }

    #[test]
    fn settings_that_change_objects_get_the_right_to() {
        assert_eq!(spec("node-pods", "")["mutating"], json!(false));
        assert_eq!(spec("node-pods", "mode: Munge")["mutating"], json!(true));
        assert_eq!(spec("selinux", "mode: Mutate")["mutating"], json!(true));
        assert_eq!(spec("selinux", "mode: Validate")["mutating"], json!(false));
        let rights = manifest("node-pods", "").unwrap();
        assert!(rights.contains("kind: ClusterRole\n"), "{rights}");
        assert_eq!(spec("selinux", "")["mutating"], json!(true));
    }

    #[test]
    fn settings_that_judge_more_get_the_requests() {
        assert!(spec("external-ips", "").get("matchConditions").is_some());
        let more = spec("external-ips", "fields: [spec.loadBalancerIP]");
        assert_eq!((more.get("matchConditions"), more["backgroundAudit"].as_bool()), (None, Some(true)));
        let status = spec(
            "external-ips",
            "{fields: [spec.externalIPs, status.loadBalancer.ingress], exempt: {users: [a]}}",
        );
        assert_eq!(status["rules"][1]["resources"], json!(["services/status"]));
        assert_eq!(status["backgroundAudit"], json!(false));
    }

    #[test]
    fn settings_that_are_not_understood_have_no_manifest() {
        let problem = manifest("selinux", "mode: Mute").unwrap_err();
        assert_eq!(problem.message, "mode: \"Mute\" is no value of this setting; did you mean Mutate?");
        assert_eq!(problem.mark.unwrap().line, 1);
    }
}
