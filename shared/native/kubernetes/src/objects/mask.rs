//! Field masks, which reduce objects to the named fields.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// Dotted paths as a tree. A leaf keeps everything below it; a root without children keeps
/// everything.
#[derive(Debug, Default)]
pub(crate) struct Mask {
    children: BTreeMap<String, Mask>,
}

impl Mask {
    /// Creates a mask from dotted paths. A longer path replaces its prefix: of `spec` and
    /// `spec.nodeName`, the latter applies.
    pub(crate) fn of(paths: &[String]) -> Self {
        let mut root = Self::default();
        for path in paths {
            let mut node = &mut root;
            for name in path.split('.') {
                node = node.children.entry(name.to_owned()).or_default();
            }
        }
        root
    }

    /// Returns the object with only the fields of the mask. Its type and metadata are always kept
    /// whole.
    pub(crate) fn object(&self, object: &Value) -> Value {
        match object {
            Value::Object(fields) if !self.children.is_empty() => {
                let mut kept = self.fields(fields);
                for name in ["apiVersion", "kind", "metadata"] {
                    if let Some(value) = fields.get(name) {
                        kept.insert(name.to_owned(), value.clone());
                    }
                }
                Value::Object(kept)
            }
            _ => object.clone(),
        }
    }

    fn value(&self, value: &Value) -> Value {
        match value {
            _ if self.children.is_empty() => value.clone(),
            Value::Object(fields) => Value::Object(self.fields(fields)),
            // Arrays are transparent: the same paths apply to every item.
            Value::Array(items) => items.iter().map(|item| self.value(item)).collect(),
            // A scalar has no fields to remove.
            _ => value.clone(),
        }
    }

    fn fields(&self, fields: &Map<String, Value>) -> Map<String, Value> {
        let kept = self.children.iter().filter_map(|(name, mask)| {
            let value = fields.get(name)?;
            Some((name.clone(), mask.value(value)))
        });
        kept.collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn spec(masks: &[&str]) -> Value {
        let pod = json!({
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": { "name": "p", "labels": { "a": "b" } },
            "spec": {
                "containers": [{ "name": "a", "image": "i" }, { "image": "j" }, "text"],
                "hostNetwork": true,
                "nodeName": null,
            },
            "status": { "phase": "Running" },
        });
        let masks: Vec<String> = masks.iter().map(|&mask| mask.to_owned()).collect();
        let mut left = Mask::of(&masks).object(&pod);
        for name in ["apiVersion", "kind", "metadata"] {
            let kept = left.as_object_mut().unwrap().remove(name);
            assert_eq!(kept.as_ref(), pod.get(name), "{name} is kept");
        }
        left
    }

    #[test]
    fn keeps_everything_without_masks() {
        assert_eq!(spec(&[])["status"], json!({ "phase": "Running" }));
        assert_eq!(spec(&[])["spec"]["hostNetwork"], json!(true));
    }

    #[test]
    fn keeps_the_named_fields() {
        assert_eq!(spec(&["status"]), json!({ "status": { "phase": "Running" } }));
        assert_eq!(
            spec(&["spec.hostNetwork", "status.phase"]),
            json!({ "spec": { "hostNetwork": true }, "status": { "phase": "Running" } }),
        );
    }

    #[test]
    fn arrays_are_transparent() {
        assert_eq!(
            spec(&["spec.containers.name"]),
            json!({ "spec": { "containers": [{ "name": "a" }, {}, "text"] } }),
        );
        assert_eq!(spec(&["spec.containers.0"]), json!({ "spec": { "containers": [{}, {}, "text"] } }));
    }

    #[test]
    fn the_narrower_of_two_masks_applies() {
        let narrow = json!({ "spec": { "hostNetwork": true } });
        assert_eq!(spec(&["spec", "spec.hostNetwork"]), narrow);
        assert_eq!(spec(&["spec.hostNetwork", "spec"]), narrow);
    }

    #[test]
    fn a_longer_path_keeps_scalars_and_null() {
        assert_eq!(
            spec(&["spec.hostNetwork.deeper", "spec.nodeName.deeper"]),
            json!({ "spec": { "hostNetwork": true, "nodeName": null } }),
        );
    }

    #[test]
    fn masks_without_matches_keep_no_fields() {
        for nothing in ["", "metadata", "metadata.name", "kind", "nope.nope"] {
            assert_eq!(spec(&[nothing]), json!({}), "{nothing}");
        }
        assert_eq!(spec(&["spec..containers"]), json!({ "spec": {} }));
    }
}
