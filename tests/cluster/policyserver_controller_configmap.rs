//! The configuration of a policy server, as Kubewarden's controller makes it.
//!
//! Source: `internal/controller/policyserver_controller_configmap.go` of
//! kubewarden/kubewarden-controller at 3460bb71, for policies of the cluster.

use kubewarden::matching::PolicyManifest;
use serde_json::{Map, Value, json};

use crate::policy::Policy;

pub(crate) fn policies(policies: &[Policy]) -> Value {
    let entries = policies.iter().map(|policy| {
        let manifest = PolicyManifest::read(&policy.manifest).unwrap();
        let spec = &policy.manifest["spec"];
        let mut entry = json!({
            "namespacedName": { "namespace": "", "name": manifest.name },
            "module": spec["module"],
            "policyMode": spec["mode"],
            "allowedToMutate": manifest.is_mutating,
            "settings": spec["settings"],
            "hostCapabilities": ["*"],
        });
        for field in ["contextAwareResources", "message", "timeoutEvalSeconds"] {
            if !spec[field].is_null() {
                entry[field] = spec[field].clone();
            }
        }
        (manifest.configuration_name(), entry)
    });
    Value::Object(entries.collect::<Map<_, _>>())
}
