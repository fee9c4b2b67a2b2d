//! The set of objects and its look-ups.

use std::collections::BTreeMap;

use admission::CanI;
use serde_json::{Map, Value, json};

use crate::objects::fields::FieldSelector;
use crate::objects::intake::{Intake, KindKey, Object};
use crate::objects::labels::LabelSelector;
use crate::objects::mask::Mask;
use crate::objects::{LookupFailure, ObjectError, ObjectPlace, rbac};

/// The annotation in which `kubectl apply` stores a copy of the object.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// The objects of a cluster.
///
/// Lists have the objects in the given order. No other answer depends on the order.
#[derive(Clone, Debug)]
pub struct Objects(Result<BTreeMap<KindKey, OfKind>, String>);

#[derive(Clone, Debug, Default)]
struct OfKind {
    objects: Vec<Object>,
    by_name: BTreeMap<(Option<String>, String), usize>,
    is_namespaced: bool,
}

impl OfKind {
    fn new(objects: Vec<Object>) -> Self {
        let names = objects.iter().map(|object| (object.namespace.clone(), object.name.clone()));
        let by_name = names.zip(0..).collect();
        let is_namespaced = objects.iter().any(|object| object.namespace.is_some());
        Self { objects, by_name, is_namespaced }
    }
}

/// A cluster whose objects come one by one, such as from a file that is too large for memory.
#[derive(Debug, Default)]
pub struct ObjectsBuilder(Intake);

impl ObjectsBuilder {
    /// Adds an object, or the objects of a list. `place` names it in errors.
    ///
    /// # Errors
    /// Returns an error if an object has no `apiVersion`, `kind` or name, or is a duplicate.
    pub fn add(&mut self, value: Value, place: &ObjectPlace) -> Result<(), ObjectError> {
        self.0.value(value, place)
    }

    /// Returns the cluster with the objects.
    #[must_use]
    pub fn finish(self) -> Objects {
        let kinds = self.0.kinds.into_iter();
        Objects(Ok(kinds.map(|(key, objects)| (key, OfKind::new(objects))).collect()))
    }
}

/// The look-up of one object.
#[derive(Clone, Copy, Debug)]
pub struct Fetch<'a> {
    /// The API version, such as `v1` or `apps/v1`.
    pub api_version: &'a str,
    /// The kind, such as `Namespace`.
    pub kind: &'a str,
    /// The namespace of the object; ignored for cluster-wide kinds.
    pub namespace: Option<&'a str>,
    /// The name of the object.
    pub name: &'a str,
    /// The dotted paths of the fields that are kept; if empty, all fields are kept.
    pub field_masks: &'a [String],
}

/// The look-up of the objects of a kind.
#[derive(Clone, Copy, Debug)]
pub struct Listing<'a> {
    /// The API version, such as `v1` or `apps/v1`.
    pub api_version: &'a str,
    /// The kind, such as `Service`.
    pub kind: &'a str,
    /// The namespace of the objects; `None` for all namespaces.
    pub namespace: Option<&'a str>,
    /// A label selector: `app=web,tier in (front, back)`.
    pub label_selector: Option<&'a str>,
    /// A field selector, for names and namespaces only: `metadata.name!=a`.
    pub field_selector: Option<&'a str>,
    /// The dotted paths of the fields that are kept of each object; if empty, all fields are kept.
    pub field_masks: &'a [String],
}

impl Objects {
    /// Creates a cluster from objects and lists: `List`, or typed lists such as `PodList`, whose
    /// items may omit their type as in the API server's answers.
    ///
    /// # Errors
    /// Returns an error if an object has no `apiVersion`, `kind` or name, or is a duplicate.
    pub fn from_values(values: Vec<Value>) -> Result<Self, ObjectError> {
        let mut builder = ObjectsBuilder::default();
        for (index, value) in values.into_iter().enumerate() {
            builder.add(value, &ObjectPlace { index, steps: Vec::new() })?;
        }
        Ok(builder.finish())
    }

    /// Returns the objects of a kind as in a list, one by one, by namespace and name.
    ///
    /// # Errors
    /// Returns an error if the cluster cannot be asked.
    pub fn each<'o>(
        &'o self,
        api_version: &str,
        kind: &str,
    ) -> Result<impl Iterator<Item = Value> + use<'o>, LookupFailure> {
        let known = self.kind(api_version, kind)?;
        let ordered = known
            .into_iter()
            .flat_map(|known| known.by_name.values().filter_map(|index| known.objects.get(*index)));
        Ok(ordered.map(|object| tidied(object.value.clone())))
    }

    /// Creates a cluster that cannot be reached: every look-up fails with this reason.
    #[must_use]
    pub fn unreachable(reason: impl Into<String>) -> Self {
        Self(Err(reason.into()))
    }

    /// Returns one object, reduced to the field masks and otherwise unchanged: the host call
    /// `get_resource`.
    ///
    /// # Errors
    /// Returns an error if the object does not exist or the cluster cannot be asked.
    pub fn fetch(&self, wanted: &Fetch<'_>) -> Result<Value, LookupFailure> {
        let Fetch { api_version, kind, namespace, name, .. } = wanted;
        self.find(wanted)?.ok_or_else(|| {
            LookupFailure::new(format!(
                "Cannot find {api_version}/{kind} named '{name}' inside of namespace '{namespace:?}'"
            ))
        })
    }

    /// Returns the selected objects of a kind as a Kubernetes list, reduced to the field masks,
    /// without `managedFields` and kubectl's copy of the object: the host calls
    /// `list_resources_all` and `list_resources_by_namespace`.
    ///
    /// # Errors
    /// Returns an error if a selector is not valid, if a namespace is given for a cluster-wide
    /// kind, or if the cluster cannot be asked.
    pub fn list(&self, wanted: &Listing<'_>) -> Result<Value, LookupFailure> {
        let Listing { api_version, kind, namespace, label_selector, field_selector, field_masks } = wanted;
        let known = self.kind(api_version, kind)?;
        let objects = known.map(|known| known.objects.as_slice()).unwrap_or_default();
        if namespace.is_some() && known.is_some_and(|known| !known.is_namespaced) {
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

    /// Returns whether the roles and their bindings among the objects grant a permission,
    /// as a `SubjectAccessReviewStatus`: the host call `can_i`.
    ///
    /// # Errors
    /// Returns an error if the cluster cannot be asked.
    pub fn can_i(&self, wanted: &CanI<'_>) -> Result<Value, LookupFailure> {
        rbac::grants(self, wanted).map(|allowed| json!({ "allowed": allowed }))
    }

    /// Returns one object, reduced to the field masks; `None` if it does not exist.
    pub(crate) fn find(&self, wanted: &Fetch<'_>) -> Result<Option<Value>, LookupFailure> {
        let Fetch { api_version, kind, namespace, name, field_masks } = wanted;
        let Some(known) = self.kind(api_version, kind)? else { return Ok(None) };
        let namespace = if known.is_namespaced {
            Some(namespace.ok_or_else(|| {
                LookupFailure::new(format!(
                    "Resource {api_version}/{kind} is namespaced, but no namespace was provided"
                ))
            })?)
        } else {
            None
        };
        let identity = (namespace.map(str::to_owned), (*name).to_owned());
        let found = known.by_name.get(&identity).and_then(|index| known.objects.get(*index));
        Ok(found.map(|object| Mask::of(field_masks).object(&object.value)))
    }

    pub(crate) fn of_kind(&self, api_version: &str, kind: &str) -> Result<&[Object], LookupFailure> {
        Ok(self.kind(api_version, kind)?.map(|known| known.objects.as_slice()).unwrap_or_default())
    }

    fn kind(&self, api_version: &str, kind: &str) -> Result<Option<&OfKind>, LookupFailure> {
        let kinds = self.0.as_ref().map_err(LookupFailure::new)?;
        Ok(kinds.get(&(api_version.to_owned(), kind.to_owned())))
    }
}

/// Returns an item as in lists: the host's object cache drops bulky metadata.
fn tidied(mut item: Value) -> Value {
    if let Some(metadata) = item.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.insert("managedFields".to_owned(), Value::Array(Vec::new()));
        let annotations = metadata.entry("annotations").or_insert(Value::Null);
        match annotations {
            Value::Object(annotations) => {
                annotations.remove(LAST_APPLIED);
            }
            // The host reads the annotations to remove one, and therefore always writes them.
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
    fn finds_an_object_in_its_namespace() {
        assert_eq!(cluster().fetch(&fetch("Pod", Some("d"), "a")), Ok(pod("d", "a")));
        assert_eq!(cluster().fetch(&fetch("Pod", Some("e"), "a")), Ok(pod("e", "a")));
    }

    #[test]
    fn reports_absent_objects_like_the_host() {
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
    fn fetch_ignores_and_list_rejects_the_namespace_of_a_cluster_wide_kind() {
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
    fn fetch_keeps_metadata_that_lists_omit() {
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
    fn lists_the_selected_objects_in_their_order() {
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
    fn every_look_up_fails_if_the_cluster_is_unreachable() {
        let cluster = Objects::unreachable("no route to host");
        let text = "Callback evaluation failure: no route to host";
        assert_eq!(cluster.fetch(&fetch("Node", None, "n")).unwrap_err().to_string(), text);
        assert_eq!(cluster.list(&POD).unwrap_err().to_string(), text);
    }
}
