//! The object of a finding.

use kubernetes::completion::has_own_uid;
use report::{ObjectRef, OwnerRef};
use serde_json::Value;
use text::{Path, Step};

/// Group, kind, namespace and name, which identify an object in all its versions.
pub type Identity = (String, String, String, String);

pub(crate) fn object_ref(object: &Value) -> ObjectRef {
    let metadata = object.get("metadata").unwrap_or(&Value::Null);
    let text = |of: &Value, name: &str| of.get(name).and_then(Value::as_str).map(str::to_owned);
    let of_metadata = |name| text(metadata, name).filter(|text| !text.is_empty());
    ObjectRef {
        api_version: text(object, "apiVersion").unwrap_or_default(),
        kind: text(object, "kind").unwrap_or_default(),
        namespace: of_metadata("namespace"),
        name: of_metadata("name").or_else(|| of_metadata("generateName")).unwrap_or_default(),
        uid: of_metadata("uid"),
        // A manifest names no owner: only controllers make objects that have one.
        owner: has_own_uid(object).then(|| controller(metadata)).flatten(),
    }
}

/// Returns the controller of an object by its metadata.
pub(crate) fn controller(metadata: &Value) -> Option<OwnerRef> {
    let owners = metadata.get("ownerReferences")?.as_array()?;
    let is_controller = |owner: &&Value| owner.get("controller").and_then(Value::as_bool) == Some(true);
    let owner = owners.iter().find(is_controller)?;
    let text = |name: &str| owner.get(name).and_then(Value::as_str).map(str::to_owned);
    Some(OwnerRef { api_version: text("apiVersion")?, kind: text("kind")?, name: text("name")? })
}

/// Returns the identity of an object; `None` without a name.
pub(crate) fn identity(object: &Value) -> Option<Identity> {
    let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
    let name = text("/metadata/name");
    let group = text("/apiVersion").split_once('/').map_or(String::new(), |(group, _)| group.to_owned());
    (!name.is_empty()).then(|| (group, text("/kind"), text("/metadata/namespace"), name))
}

/// Displays a path with the names of list items in the place of their indices, which change when an
/// item is added: `spec.containers[name=web].image`.
pub(crate) fn stable_path(object: &Value, steps: &[Step]) -> String {
    let mut value = Some(object);
    let mut shown = String::new();
    for step in steps {
        value = value.and_then(|value| manifest::child(value, step));
        let name = value.and_then(|value| value.get("name")).and_then(Value::as_str);
        match (step, name) {
            (Step::Index(_), Some(name)) => shown = format!("{shown}[name={name}]"),
            (Step::Index(index), None) => shown = format!("{shown}[{index}]"),
            (Step::Field(_), _) => {
                let field = Path(&[step.borrowed()]).to_string();
                let dot = if shown.is_empty() || field.starts_with('[') { "" } else { "." };
                shown = format!("{shown}{dot}{field}");
            }
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_stable_path_names_the_items_of_lists() {
        let object = json!({ "spec": { "containers": [{ "name": "a" }, { "name": "web", "args": ["x"] }] } });
        let field = |name: &str| Step::Field(name.to_owned());
        let steps = [field("spec"), field("containers"), Step::Index(1), field("args"), Step::Index(0)];
        assert_eq!(stable_path(&object, &steps), "spec.containers[name=web].args[0]");
        assert_eq!(
            stable_path(&object, &[field("metadata"), field("labels"), field("a.b/c")]),
            "metadata.labels[a.b/c]"
        );
        assert_eq!(stable_path(&object, &[field("x"), Step::Index(7), field("y")]), "x[7].y");
    }

    #[test]
    fn the_owner_is_the_controller() {
        let owner = |name: &str, controller: bool| json!({ "apiVersion": "v1", "kind": "A", "name": name, "controller": controller });
        let object = |owners: Value| {
            let metadata = json!({ "generateName": "a-", "uid": "u", "ownerReferences": owners });
            json!({ "kind": "Pod", "metadata": metadata })
        };
        let named = |owners: Value| object_ref(&object(owners)).owner.map(|owner| owner.name);
        assert_eq!(named(json!([owner("a", false), owner("b", true)])).as_deref(), Some("b"));
        assert_eq!(named(json!([owner("a", false)])), None);
        let mut of_file = object(json!([owner("a", true)]));
        of_file["metadata"]["uid"].take();
        assert_eq!(object_ref(&of_file).owner, None);
        assert_eq!(named(json!([])), None);
        assert_eq!(object_ref(&object(json!([]))).name, "a-");
    }
}
