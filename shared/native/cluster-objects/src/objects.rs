//! The set of objects, and the questions that it answers.

use serde_json::{Map, Value, json};

use crate::fields::FieldSelector;
use crate::intake::{self, Kinds, Object};
use crate::labels::LabelSelector;
use crate::mask::Mask;
use crate::{LookupFailure, ObjectError};

/// Where `kubectl apply` keeps a copy of the object.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// The objects of a cluster.
///
/// Their order is that of lists, as they were given; no answer depends on it otherwise.
#[derive(Clone, Debug)]
pub struct Objects(Result<Kinds, String>);

/// Asks for one object.
#[derive(Clone, Copy, Debug)]
pub struct Fetch<'a> {
    /// `v1`, `apps/v1`.
    pub api_version: &'a str,
    /// `Namespace`.
    pub kind: &'a str,
    /// The namespace of the object; not looked at for cluster-wide kinds.
    pub namespace: Option<&'a str>,
    /// The name of the object.
    pub name: &'a str,
    /// Dotted paths of what is kept; everything if there are none.
    pub field_masks: &'a [String],
}

/// Asks for the objects of a kind.
#[derive(Clone, Copy, Debug)]
pub struct Listing<'a> {
    /// `v1`, `apps/v1`.
    pub api_version: &'a str,
    /// `Service`.
    pub kind: &'a str,
    /// The namespace whose objects are wanted; `None` for all.
    pub namespace: Option<&'a str>,
    /// Which labels are wanted: `app=web,tier in (front, back)`.
    pub label_selector: Option<&'a str>,
    /// Which names and namespaces are wanted: `metadata.name!=a`.
    pub field_selector: Option<&'a str>,
    /// Dotted paths of what is kept of each; everything if there are none.
    pub field_masks: &'a [String],
}

impl Objects {
    /// Takes objects and lists of them: `List`, or `PodList` and the like, whose items may leave out their
    /// type as they do in the API server's answers.
    ///
    /// # Errors
    /// What has no `apiVersion`, `kind` or name, and what is there twice.
    pub fn from_values(values: Vec<Value>) -> Result<Self, ObjectError> {
        intake::take(values).map(|kinds| Self(Ok(kinds)))
    }

    /// A cluster that cannot be reached: every question fails, with this reason.
    #[must_use]
    pub fn unreachable(reason: impl Into<String>) -> Self {
        Self(Err(reason.into()))
    }

    /// One object, cut by the masks and otherwise as it is: the host call `get_resource`.
    ///
    /// # Errors
    /// When it does not exist, or the cluster cannot be asked.
    pub fn fetch(&self, wanted: &Fetch<'_>) -> Result<Value, LookupFailure> {
        let Fetch { api_version, kind, namespace, name, .. } = wanted;
        self.find(wanted)?.ok_or_else(|| {
            LookupFailure::new(format!(
                "Cannot find {api_version}/{kind} named '{name}' inside of namespace '{namespace:?}'"
            ))
        })
    }

    /// The selected objects of a kind as a Kubernetes list, cut by the masks, without `managedFields` and
    /// without kubectl's copy of the object: the host calls `list_resources_all` and
    /// `list_resources_by_namespace`.
    ///
    /// # Errors
    /// When a selector cannot be read, a cluster-wide kind is asked for by namespace, or the cluster cannot be
    /// asked.
    pub fn list(&self, wanted: &Listing<'_>) -> Result<Value, LookupFailure> {
        let Listing { api_version, kind, namespace, label_selector, field_selector, field_masks } = wanted;
        let objects = self.of_kind(api_version, kind)?;
        if namespace.is_some() && !objects.is_empty() && !namespaced(objects) {
            return Err(LookupFailure::new(format!(
                "resource {api_version}/{kind} is cluster wide. Cannot search for it inside of a namespace"
            )));
        }
        let labels = LabelSelector::parse(label_selector.unwrap_or_default())?;
        let fields = FieldSelector::parse(field_selector.unwrap_or_default())?;
        let mask = Mask::of(field_masks);
        let selected = objects.iter().filter(|object| {
            (namespace.is_none() || object.namespace.as_deref() == *namespace)
                && labels.selects(&object.value)
                && fields.selects(object)
        });
        let items: Vec<Value> = selected.map(|object| tidied(mask.object(&object.value))).collect();
        Ok(json!({
            "apiVersion": api_version,
            "kind": format!("{kind}List"),
            "metadata": {},
            "items": items,
        }))
    }

    /// One object, if there is one.
    pub(crate) fn find(&self, wanted: &Fetch<'_>) -> Result<Option<Value>, LookupFailure> {
        let Fetch { api_version, kind, namespace, name, field_masks } = wanted;
        let objects = self.of_kind(api_version, kind)?;
        let namespace = if namespaced(objects) {
            Some(namespace.ok_or_else(|| {
                LookupFailure::new(format!(
                    "Resource {api_version}/{kind} is namespaced, but no namespace was provided"
                ))
            })?)
        } else {
            None
        };
        let mut named = objects.iter().filter(|object| object.name == *name);
        let found = named.find(|object| object.namespace.as_deref() == namespace);
        Ok(found.map(|object| Mask::of(field_masks).object(&object.value)))
    }

    fn of_kind(&self, api_version: &str, kind: &str) -> Result<&[Object], LookupFailure> {
        let kinds = self.0.as_ref().map_err(LookupFailure::new)?;
        let key = (api_version.to_owned(), kind.to_owned());
        Ok(kinds.get(&key).map(Vec::as_slice).unwrap_or_default())
    }
}

/// Whether objects of this kind live in namespaces.
fn namespaced(objects: &[Object]) -> bool {
    objects.iter().any(|object| object.namespace.is_some())
}

/// An item as lists have it: the host's cache of objects does not keep what only takes room.
fn tidied(mut item: Value) -> Value {
    if let Some(metadata) = item.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.insert("managedFields".to_owned(), Value::Array(Vec::new()));
        let annotations = metadata.entry("annotations").or_insert(Value::Null);
        match annotations {
            Value::Object(annotations) => {
                annotations.remove(LAST_APPLIED);
            }
            // The host reads annotations in order to remove one, and so always writes them.
            _ => *annotations = Value::Object(Map::new()),
        }
    }
    item
}

#[cfg(test)]
mod tests {
    use super::*;

    const POD: Listing<'_> = Listing {
        api_version: "v1",
        kind: "Pod",
        namespace: None,
        label_selector: None,
        field_selector: None,
        field_masks: &[],
    };

    fn pod(namespace: &str, name: &str) -> Value {
        json!({
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": { "namespace": namespace, "name": name, "labels": { "app": name } },
            "spec": { "nodeName": "n" },
        })
    }

    fn cluster() -> Objects {
        let team = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": "team-a" } });
        Objects::from_values(vec![pod("d", "b"), team, pod("e", "a"), pod("d", "a")]).unwrap()
    }

    fn fetch<'a>(kind: &'a str, namespace: Option<&'a str>, name: &'a str) -> Fetch<'a> {
        Fetch { api_version: "v1", kind, namespace, name, field_masks: &[] }
    }

    fn listed(wanted: &Listing<'_>) -> Vec<String> {
        let list = cluster().list(wanted).unwrap();
        let items = list["items"].as_array().unwrap();
        let text = |item: &Value, name: &str| item["metadata"][name].as_str().unwrap().to_owned();
        items.iter().map(|item| format!("{}/{}", text(item, "namespace"), text(item, "name"))).collect()
    }

    #[test]
    fn an_object_is_found_in_its_namespace() {
        assert_eq!(cluster().fetch(&fetch("Pod", Some("d"), "a")), Ok(pod("d", "a")));
        assert_eq!(cluster().fetch(&fetch("Pod", Some("e"), "a")), Ok(pod("e", "a")));
    }

    #[test]
    fn a_missing_object_is_told_as_the_host_tells_it() {
        for (wanted, text) in [
            (
                fetch("Namespace", None, "x"),
                "Callback evaluation failure: Cannot find v1/Namespace named 'x' inside of namespace 'None'",
            ),
            (
                fetch("Pod", Some("d"), "x"),
                "Callback evaluation failure: Cannot find v1/Pod named 'x' inside of namespace 'Some(\"d\")'",
            ),
            (
                fetch("Pod", None, "a"),
                "Callback evaluation failure: Resource v1/Pod is namespaced, but no namespace was provided",
            ),
        ] {
            assert_eq!(cluster().fetch(&wanted).unwrap_err().to_string(), text);
        }
    }

    #[test]
    fn a_namespace_is_not_looked_at_for_cluster_wide_kinds() {
        assert!(cluster().fetch(&fetch("Namespace", Some("d"), "team-a")).is_ok());
        assert_eq!(
            cluster()
                .list(&Listing { kind: "Namespace", namespace: Some("d"), ..POD })
                .unwrap_err()
                .to_string(),
            "Callback evaluation failure: resource v1/Namespace is cluster wide. Cannot search for it inside of a \
             namespace",
        );
    }

    #[test]
    fn one_object_keeps_what_lists_leave_out() {
        let object = json!({
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": { "name": "n", "managedFields": [{ "manager": "x" }], "annotations": { LAST_APPLIED: "{}" } },
            "spec": { "podCIDR": "10.0.0.0/8", "unschedulable": true },
        });
        let cluster = Objects::from_values(vec![object.clone()]).unwrap();
        assert_eq!(cluster.fetch(&fetch("Node", None, "n")), Ok(object));
        let list =
            cluster.list(&Listing { kind: "Node", field_masks: &["spec.podCIDR".into()], ..POD }).unwrap();
        assert_eq!(
            list,
            json!({
                "apiVersion": "v1",
                "kind": "NodeList",
                "metadata": {},
                "items": [{
                    "apiVersion": "v1",
                    "kind": "Node",
                    "metadata": { "name": "n", "managedFields": [], "annotations": {} },
                    "spec": { "podCIDR": "10.0.0.0/8" },
                }],
            }),
        );
    }

    #[test]
    fn lists_have_the_selected_objects_in_their_order() {
        assert_eq!(listed(&POD), ["d/b", "e/a", "d/a"]);
        assert_eq!(listed(&Listing { namespace: Some("d"), ..POD }), ["d/b", "d/a"]);
        assert_eq!(listed(&Listing { label_selector: Some("app in (a)"), ..POD }), ["e/a", "d/a"]);
        assert_eq!(listed(&Listing { field_selector: Some("metadata.name=b"), ..POD }), ["d/b"]);
        assert_eq!(listed(&Listing { namespace: Some("d"), label_selector: Some("app!=b"), ..POD }), ["d/a"],);
        assert_eq!(listed(&Listing { namespace: Some("f"), ..POD }), [""; 0]);
    }

    #[test]
    fn a_kind_without_objects_has_an_empty_list() {
        assert_eq!(
            cluster().list(&Listing { api_version: "apps/v1", kind: "Deployment", ..POD }),
            Ok(json!({ "apiVersion": "apps/v1", "kind": "DeploymentList", "metadata": {}, "items": [] })),
        );
    }

    #[test]
    fn an_unreachable_cluster_fails_every_question() {
        let cluster = Objects::unreachable("no route to host");
        let text = "Callback evaluation failure: no route to host";
        assert_eq!(cluster.fetch(&fetch("Node", None, "n")).unwrap_err().to_string(), text);
        assert_eq!(cluster.list(&POD).unwrap_err().to_string(), text);
    }
}
