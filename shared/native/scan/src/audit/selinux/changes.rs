//! The changes that the policy makes to a pod.

use std::collections::BTreeSet;

use serde_json::{Map, Value};
use text::{Path, Step};

/// Returns the values of `new` that differ from `old`, by path.
///
/// The policy neither moves list elements nor removes anything, so list elements are compared by
/// index.
pub(super) fn between(old: &Value, new: &Value) -> Map<String, Value> {
    let mut changes = Map::new();
    collect(Some(old), Some(new), &[], &mut changes);
    changes
}

fn collect(old: Option<&Value>, new: Option<&Value>, path: &[Step<&str>], changes: &mut Map<String, Value>) {
    match (old.filter(|old| !old.is_null()), new) {
        (old, new) if old == new => {}
        (Some(Value::Array(old)), Some(Value::Array(new))) if old.len() == new.len() => {
            for (index, (old, new)) in (0..).zip(old.iter().zip(new)) {
                collect(Some(old), Some(new), &[path, &[Step::Index(index)]].concat(), changes);
            }
        }
        (None, Some(Value::Object(new))) if !new.is_empty() => {
            for (key, new) in new {
                collect(None, Some(new), &[path, &[Step::Field(key)]].concat(), changes);
            }
        }
        (Some(Value::Object(old)), Some(Value::Object(new))) => {
            let keys: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
            for key in keys {
                collect(old.get(key), new.get(key), &[path, &[Step::Field(key)]].concat(), changes);
            }
        }
        (_, new) => {
            changes.insert(Path(path).to_string(), new.cloned().unwrap_or_default());
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_changed_value_has_a_path() {
        let old = json!({ "spec": {
            "securityContext": null, "containers": [{ "name": "a", "options": {} }, { "name": "b" }],
        } });
        let new = json!({
            "metadata": { "annotations": { "a.example/b": "true" } },
            "spec": {
                "securityContext": { "options": { "level": "s0:c1,c2" } },
                "containers": [{ "name": "a", "options": { "level": "s0" } }, { "name": "b", "privileged": false }],
            },
        });
        assert_eq!(
            Value::Object(between(&old, &new)),
            json!({
                "metadata.annotations[a.example/b]": "true",
                "spec.securityContext.options.level": "s0:c1,c2",
                "spec.containers[0].options.level": "s0",
                "spec.containers[1].privileged": false,
            })
        );
    }
}
