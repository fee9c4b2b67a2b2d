//! The verdict of the policy on an object of a dump.

use admission::{Cluster, Outcome, ScopeRule};
use rules::selinux::Selinux;
use serde_json::json;

use super::SelinuxSettings;
use crate::audit::DumpObject;

/// Evaluates an object as the audit scanner sends it: as a creation without a requesting user.
pub(super) fn evaluate(
    rule: &ScopeRule,
    object: &DumpObject,
    settings: &SelinuxSettings,
    cluster: &dyn Cluster,
) -> Outcome {
    let request = json!({
        "uid": "audit",
        "kind": { "group": rule.group, "version": ScopeRule::VERSION, "kind": rule.kind },
        "resource": { "group": rule.group, "version": ScopeRule::VERSION, "resource": rule.resource },
        "name": object.name,
        "namespace": object.namespace,
        "operation": "CREATE",
    });
    // The object is inserted as text: parsing and serialising it once more would cost as much as
    // the verdict.
    let request = request.to_string();
    let open = request.strip_suffix('}').unwrap_or_default();
    let payload = format!(r#"{{"request":{open},"object":{}}},"settings":{}}}"#, object.json, settings.json);
    admission::evaluate::<Selinux, Outcome>(payload.as_bytes(), cluster, |outcome| outcome.into())
}
