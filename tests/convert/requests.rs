//! The verdicts of manifests on requests.

use kubewarden::matching::{Decision, Webhook};
use serde_json::{Value, json};
use suite::cases::Case;
use tests::evaluate;

/// A request for the creation of an object or, with an old object, for its update.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request<'r> {
    pub(super) old: Option<&'r Value>,
    pub(super) new: &'r Value,
    /// The labels of the namespace; null if it has none but its name.
    pub(super) labels: &'r Value,
    /// The groups of the requesting user.
    pub(super) groups: &'r Value,
}

/// The answers of all manifests to a request.
#[derive(Debug, Default)]
pub(super) struct Answer {
    /// The manifests that refuse the request, and why, whatever their mode is.
    pub(super) refusals: Vec<String>,
    pub(super) warnings: Vec<String>,
    pub(super) changes: bool,
}

/// The refusals of a request in a namespace without labels.
pub(super) fn refusals(manifests: &[Value], old: Option<&Value>, new: &Value) -> Vec<String> {
    let groups = json!(["system:authenticated"]);
    answer(manifests, Request { old, new, labels: &Value::Null, groups: &groups }).refusals
}

/// Sends a request to the manifests whose webhooks match it.
pub(super) fn answer(manifests: &[Value], request: Request<'_>) -> Answer {
    let Request { old, new, labels, groups } = request;
    let (api_version, kind) = (new["apiVersion"].as_str().unwrap(), new["kind"].as_str().unwrap());
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    let name = &new["metadata"]["namespace"];
    let mut labels = labels.as_object().cloned().unwrap_or_default();
    labels.insert("kubernetes.io/metadata.name".to_owned(), name.clone());
    let namespace =
        json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": name, "labels": labels } });
    let user = json!({ "username": "ann", "groups": groups });
    let sent = json!({
        "uid": "u",
        "operation": if old.is_some() { "UPDATE" } else { "CREATE" },
        "kind": { "group": group, "version": version, "kind": kind },
        "resource": { "group": group, "version": version, "resource": format!("{}s", kind.to_lowercase()) },
        "name": new["metadata"]["name"],
        "namespace": name,
        "userInfo": user,
        "object": new,
        "oldObject": old,
    });
    let mut answer = Answer::default();
    for manifest in manifests {
        let spec = &manifest["spec"];
        let decision = Webhook::from_spec(spec).unwrap().decide(&sent, Some(&namespace));
        match decision {
            Decision::Called(_) => {}
            Decision::Unknown(_) | Decision::ConditionFailed(_) => {
                panic!("{}: {manifest}", decision.explain())
            }
            _ => continue,
        }
        let case: Case = serde_json::from_value(json!({
            "name": "converted",
            "settings": spec["settings"],
            "user": user,
            "object": new,
            "oldObject": old,
            "cluster": { "objects": [namespace] },
            "want": {},
        }))
        .unwrap();
        let (_, module) = spec["module"].as_str().unwrap().rsplit_once('/').unwrap();
        let (policy, _) = module.split_once(':').unwrap();
        let outcome = evaluate::natively(rules::find(policy).unwrap(), &case).unwrap().outcome;
        assert!(outcome.fault.is_none() && outcome.settings_error.is_none(), "{manifest}: {outcome:?}");
        if let Some(denied) = outcome.denied {
            answer.refusals.push(format!("{}: {denied:?}", manifest["metadata"]["name"]));
        }
        answer.warnings.extend(outcome.warnings);
        answer.changes |= outcome.mutated.is_some();
    }
    answer
}
