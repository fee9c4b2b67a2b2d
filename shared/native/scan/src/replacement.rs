//! Updates that an API server refuses, so that the object has to be replaced.
//!
//! Sources, of kubernetes/kubernetes 1.31 and later: `ValidatePodUpdate` in `validation.go` of
//! `pkg/apis/core/validation`, `ValidateJobSpecUpdate` and `validatePodTemplateUpdate` in that of
//! `pkg/apis/batch/validation`, and `validationOptionsForJob` in `strategy.go` of
//! `pkg/registry/batch/job`.
//!
//! A change that only some versions allow counts as refused: a creation is evaluated at least as
//! strictly.

use serde_json::{Map, Value};
use text::Step;

use crate::pods;

/// The fields of a Job beside its template that never change.
const OF_JOBS: [&str; 6] =
    ["backoffLimitPerIndex", "completionMode", "managedBy", "podFailurePolicy", "selector", "successPolicy"];

/// Returns the path of a change for which an API server refuses the update of a pod or Job.
pub(crate) fn refused(old: &Value, new: &Value) -> Option<Vec<Step>> {
    let text = |name| new.get(name).and_then(Value::as_str).unwrap_or_default();
    let at = |value: &Value, path: &[&str]| pods::at(value, path).cloned().unwrap_or_default();
    let below = |path: &[&str], mut old: Value, mut new: Value, forgive: fn(&mut Value, &mut Value)| {
        forgive(&mut old, &mut new);
        let mut steps: Vec<Step> = path.iter().map(|name| Step::Field((*name).to_owned())).collect();
        differs(&old, &new, &mut steps).then_some(steps)
    };
    let compare = |path: &[&str], forgive| below(path, at(old, path), at(new, path), forgive);
    match (text("apiVersion"), text("kind")) {
        ("v1", "Pod") => compare(&["spec"], changes_of_pods),
        ("batch/v1", "Job") => {
            let waits = at(old, &["spec", "suspend"]) == true && at(old, &["status", "startTime"]).is_null();
            let forgive = if waits { changes_of_waiting_jobs } else { |_: &mut _, _: &mut _| () };
            let fixed = OF_JOBS.iter().find_map(|field| compare(&["spec", field], |_, _| ()));
            let completions = || compare(&["spec", "completions"], |_, _| ());
            let is_elastic = at(new, &["spec", "completionMode"]) == "Indexed"
                && at(new, &["spec", "completions"]) == at(new, &["spec", "parallelism"]);
            compare(&["spec", "template"], forgive)
                .or(fixed)
                .or_else(|| if is_elastic { None } else { completions() })
        }
        _ => None,
    }
}

/// Removes the changes that a pod allows from both specs.
fn changes_of_pods(old: &mut Value, new: &mut Value) {
    for list in ["containers", "initContainers"] {
        for spec in [&mut *old, &mut *new] {
            for container in spec.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten() {
                remove(container, "image");
            }
        }
    }
    let is_gated =
        old.get("schedulingGates").and_then(Value::as_array).is_some_and(|gates| !gates.is_empty());
    forgive(old, new, "activeDeadlineSeconds", |old, new| match (old.as_i64(), new.as_i64()) {
        (Some(old), Some(new)) => (0..=old).contains(&new),
        (None, Some(new)) => new >= 0,
        _ => false,
    });
    // A negative value, which no server accepts any more, becomes 1.
    forgive(old, new, "terminationGracePeriodSeconds", |old, new| {
        old.as_i64().is_some_and(|old| old < 0) && new == 1
    });
    forgive(old, new, "schedulingGates", |old, new| contains(old, new, ""));
    forgive(old, new, "tolerations", |old, new| contains(new, old, "tolerationSeconds"));
    if is_gated {
        forgive(old, new, "nodeSelector", |old, new| {
            let old = old.as_object().into_iter().flatten();
            old.into_iter().all(|(key, value)| new.get(key) == Some(value))
        });
    }
}

/// Removes the changes that the template of a suspended Job allows, which has not started.
fn changes_of_waiting_jobs(old: &mut Value, new: &mut Value) {
    for template in [old, new] {
        for (part, fields) in [
            ("metadata", ["annotations", "labels", ""]),
            ("spec", ["nodeSelector", "schedulingGates", "tolerations"]),
        ] {
            for field in fields {
                if let Some(part) = template.get_mut(part) {
                    remove(part, field);
                }
            }
        }
        if let Some(spec) = template.get_mut("spec") {
            if let Some(affinity) = spec.get_mut("affinity") {
                remove(affinity, "nodeAffinity");
            }
            if spec.get("affinity").and_then(Value::as_object).is_some_and(Map::is_empty) {
                remove(spec, "affinity");
            }
        }
    }
}

/// Removes a field from both sides if its change is allowed.
fn forgive(old: &mut Value, new: &mut Value, field: &str, allows: impl Fn(&Value, &Value) -> bool) {
    let (before, after) = (old.get(field).unwrap_or(&Value::Null), new.get(field).unwrap_or(&Value::Null));
    if allows(before, after) {
        remove(old, field);
        remove(new, field);
    }
}

/// Says whether the first list has all items of the second, apart from a field of theirs.
fn contains(all: &Value, some: &Value, except: &str) -> bool {
    let items = |list: &Value| {
        let mut items = list.as_array().cloned().unwrap_or_default();
        for item in &mut items {
            remove(item, except);
        }
        items
    };
    let all = items(all);
    items(some).iter().all(|item| all.contains(item))
}

fn remove(object: &mut Value, field: &str) {
    if let Some(fields) = object.as_object_mut() {
        fields.remove(field);
    }
}

/// Says whether two values differ, and adds the steps to the first difference. As in Go, an empty
/// list and an absent one are equal.
fn differs(old: &Value, new: &Value, steps: &mut Vec<Step>) -> bool {
    let is_empty = |value: &Value| value.is_null() || value.as_array().is_some_and(Vec::is_empty);
    let none = Value::Null;
    match (old, new) {
        (Value::Object(old), Value::Object(new)) => {
            let names = new.keys().chain(old.keys().filter(|name| !new.contains_key(*name)));
            for name in names {
                steps.push(Step::Field(name.clone()));
                if differs(old.get(name).unwrap_or(&none), new.get(name).unwrap_or(&none), steps) {
                    return true;
                }
                steps.pop();
            }
            false
        }
        (Value::Array(old), Value::Array(new)) if old.len() == new.len() => {
            for (index, (old, new)) in (0..).zip(old.iter().zip(new)) {
                steps.push(Step::Index(index));
                if differs(old, new, steps) {
                    return true;
                }
                steps.pop();
            }
            false
        }
        _ => old != new && !(is_empty(old) && is_empty(new)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn pods_and_jobs_allow_few_changes() {
        let [rows] = manifest::documents(include_str!("replacement.yaml")).unwrap().try_into().unwrap();
        let rows: Vec<(Value, Value, Value, Value, String)> = serde_json::from_value(rows).unwrap();
        for (api_version, kind, old, new, want) in rows {
            let object = |spec: &Value| json!({ "apiVersion": api_version, "kind": kind, "spec": spec });
            let path = refused(&object(&old), &object(&new)).map(|steps| manifest::path(&steps));
            assert_eq!(path.unwrap_or_default(), want, "{kind} {old} {new}");
        }
    }
}
