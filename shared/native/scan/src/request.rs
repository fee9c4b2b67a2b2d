//! The requests in which the API server would receive the objects.

use kubernetes::kinds::{Kinds, Origin};
use kubernetes::review::UID;
use serde_json::{Map, Value, json};

use crate::labels::add_name_label;
use crate::options::Options;
use crate::pods::at;

#[derive(Debug)]
pub(crate) enum Change {
    Create(Value),
    Update { old: Value, new: Value },
    Delete(Value),
}

/// A change of an object by a user, from which a request is made as an API server makes it.
#[derive(Clone, Debug, Default)]
pub struct Question {
    /// CREATE, UPDATE, DELETE or CONNECT. The default is CREATE, UPDATE or DELETE, depending on
    /// which objects there are.
    pub operation: Option<String>,
    /// The subresource, such as `status`.
    pub subresource: Option<String>,
    /// The `userInfo` of the request.
    pub user: Value,
    /// The object as it would be stored.
    pub object: Option<Value>,
    /// The stored object.
    pub old_object: Option<Value>,
    /// The namespace of objects that need one and name none.
    pub namespace: String,
}

impl Question {
    /// Returns the `AdmissionRequest`; `None` if there is no object.
    #[must_use]
    pub fn request(self, kinds: &Kinds) -> Option<Value> {
        let options = Options { default_namespace: self.namespace, ..Options::default() };
        let completed = |object: Option<Value>| {
            object.map(|mut object| {
                complete(&mut object, &options, kinds);
                object
            })
        };
        let is_deletion = self.operation.as_deref() == Some("DELETE");
        let change = match (completed(self.object), completed(self.old_object)) {
            (Some(object), None) if is_deletion => Change::Delete(object),
            (_, Some(old)) if is_deletion => Change::Delete(old),
            (Some(new), Some(old)) => Change::Update { old, new },
            (Some(new), None) => Change::Create(new),
            (None, Some(old)) => Change::Delete(old),
            (None, None) => return None,
        };
        let mut request = request(change, &self.user, kinds);
        if let Value::Object(fields) = &mut request {
            if let Some(operation) = self.operation {
                let kind = match operation.as_str() {
                    "UPDATE" => Some("UpdateOptions"),
                    "DELETE" => Some("DeleteOptions"),
                    "CREATE" => Some("CreateOptions"),
                    // The object of a connection has its options.
                    _ => None,
                };
                let options = kind.map(|kind| json!({ "apiVersion": "meta.k8s.io/v1", "kind": kind }));
                fields.insert("options".to_owned(), options.unwrap_or_default());
                fields.insert("operation".to_owned(), operation.into());
            }
            if let Some(subresource) = self.subresource.filter(|subresource| !subresource.is_empty()) {
                set_parent(fields, &subresource);
                fields.insert("subResource".to_owned(), subresource.clone().into());
                fields.insert("requestSubResource".to_owned(), subresource.into());
            }
            fields.retain(|_, value| !value.is_null());
        }
        Some(request)
    }
}

/// The subresources whose objects have a kind of their own: the kind, the subresource and the
/// resource that it belongs to.
///
/// Source: the storage of `pods` and `serviceaccounts` in `pkg/registry/core/rest/storage_core.go`
/// of Kubernetes 1.37, and their `GroupVersionKind`.
const OF_PARENTS: [(&str, &str, &str); 3] = [
    ("Binding", "binding", "pods"),
    ("Eviction", "eviction", "pods"),
    ("TokenRequest", "token", "serviceaccounts"),
];

/// Sets the resource of a request about a subresource with a kind of its own: that of its parent.
fn set_parent(fields: &mut Map<String, Value>, subresource: &str) {
    let kind = fields.get("kind").and_then(|kind| kind.get("kind")).and_then(Value::as_str);
    let parent = OF_PARENTS.iter().find(|(of, name, _)| Some(*of) == kind && *name == subresource);
    let Some((.., resource)) = parent else { return };
    for name in ["resource", "requestResource"] {
        fields.insert(name.to_owned(), json!({ "group": "", "version": "v1", "resource": resource }));
    }
}

/// Returns the `AdmissionRequest` about an object.
pub(crate) fn request(change: Change, user: &Value, kinds: &Kinds) -> Value {
    let (operation, options, object, old) = match change {
        Change::Create(object) => ("CREATE", "CreateOptions", Some(object), None),
        Change::Update { old, new } => ("UPDATE", "UpdateOptions", Some(new), Some(old)),
        Change::Delete(old) => ("DELETE", "DeleteOptions", None, Some(old)),
    };
    let subject = object.as_ref().or(old.as_ref());
    let text = |path: &[&str]| {
        let value = subject.and_then(|subject| at(subject, path));
        value.and_then(Value::as_str)
    };
    let (api_version, kind) = (text(&["apiVersion"]).unwrap_or("v1"), text(&["kind"]).unwrap_or_default());
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    let resource = kinds.resource(api_version, kind);
    let name = text(&["metadata", "name"]);
    let namespace = match (group, kind) {
        // As in requests of the API server, a Namespace is in the namespace of its own name.
        ("", "Namespace") => name,
        _ => text(&["metadata", "namespace"]),
    };
    let kind = json!({ "group": group, "version": version, "kind": kind });
    let resource =
        json!({ "group": resource.group, "version": resource.version, "resource": resource.plural });
    let fields = [
        ("dryRun", Some(false.into())),
        ("kind", Some(kind.clone())),
        ("name", name.map(Value::from)),
        ("namespace", namespace.map(Value::from)),
        ("operation", Some(operation.into())),
        ("options", Some(json!({ "apiVersion": "meta.k8s.io/v1", "kind": options }))),
        ("requestKind", Some(kind)),
        ("requestResource", Some(resource.clone())),
        ("resource", Some(resource)),
        ("uid", Some(UID.into())),
        ("userInfo", Some(user.clone())),
        // The objects themselves are large, and are moved into the request.
        ("object", object),
        ("oldObject", old),
    ];
    fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

/// Completes an object as the API server does before admission: it sets the namespace of a
/// namespaced object that names none, and the label with the name of a Namespace. It decodes
/// objects of Kubernetes' own kinds into types, which loses fields that are null.
pub(crate) fn complete(object: &mut Value, options: &Options, kinds: &Kinds) {
    let text = |name| object.get(name).and_then(Value::as_str).unwrap_or_default();
    let is_namespace = text("apiVersion") == "v1" && text("kind") == "Namespace";
    let resource = kinds.resource(text("apiVersion"), text("kind"));
    // Objects of unknown kinds count as namespaced.
    let is_namespaced = resource.is_namespaced != Some(false);
    if matches!(resource.origin, Origin::BuiltIn | Origin::Removed) {
        remove_nulls(object);
    }
    if is_namespace {
        add_name_label(object);
    }
    // The API server removes the namespace of an object that has none, so that no selector for
    // namespaces can apply to it.
    if resource.is_namespaced == Some(false)
        && let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut)
    {
        metadata.remove("namespace");
    }
    let Some(fields) = object.as_object_mut().filter(|_| is_namespaced) else { return };
    let metadata = fields.entry("metadata").or_insert_with(|| json!({}));
    if let Some(metadata) = metadata.as_object_mut() {
        let namespace = metadata.entry("namespace").or_insert(Value::Null);
        if namespace.as_str().is_none_or(str::is_empty) {
            *namespace = options.default_namespace.clone().into();
        }
    }
}

/// Removes fields that are null. Items of lists stay.
fn remove_nulls(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            // Nearly no object has any.
            if fields.values().any(Value::is_null) {
                fields.retain(|_, value| !value.is_null());
            }
            fields.values_mut().for_each(remove_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(remove_nulls),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pod() -> Value {
        json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "a", "namespace": "shop" } })
    }

    #[test]
    fn requests_have_what_the_api_server_sends() {
        let user = crate::user::service_account("kube-system", "job-controller");
        let create = request(Change::Create(pod()), &user, &Kinds::default());
        assert_eq!(create["object"], pod());
        assert_eq!(create["userInfo"]["username"], "system:serviceaccount:kube-system:job-controller");
        assert_eq!(create["requestResource"], json!({ "group": "", "version": "v1", "resource": "pods" }));
        let update = request(Change::Update { old: pod(), new: pod() }, &user, &Kinds::default());
        assert_eq!((&update["operation"], &update["oldObject"]), (&json!("UPDATE"), &pod()));
        let delete = request(Change::Delete(pod()), &user, &Kinds::default());
        assert_eq!((&delete["operation"], delete.get("object")), (&json!("DELETE"), None));
        assert_eq!((&delete["name"], &delete["namespace"]), (&json!("a"), &json!("shop")));
    }

    #[test]
    fn an_eviction_is_a_subresource_of_pods() {
        let eviction = json!({ "apiVersion": "policy/v1", "kind": "Eviction", "metadata": { "name": "a" } });
        let question = |subresource: &str| Question {
            subresource: Some(subresource.to_owned()),
            object: Some(eviction.clone()),
            namespace: "d".to_owned(),
            ..Question::default()
        };
        let request = question("eviction").request(&Kinds::default()).unwrap();
        assert_eq!(request["resource"], json!({ "group": "", "version": "v1", "resource": "pods" }));
        assert_eq!(request["kind"]["group"], "policy");
        assert_eq!(question("x").request(&Kinds::default()).unwrap()["resource"]["group"], "policy");
    }

    #[test]
    fn namespaced_objects_get_a_namespace() {
        let options = Options { default_namespace: "d".to_owned(), ..Options::default() };
        for (object, want) in [
            (pod(), json!("shop")),
            (json!({ "apiVersion": "v1", "kind": "Pod" }), json!("d")),
            (json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "namespace": "" } }), json!("d")),
            (json!({ "apiVersion": "v1", "kind": "Node", "metadata": {} }), Value::Null),
            (json!({ "apiVersion": "v1", "kind": "Pod", "metadata": null }), json!("d")),
        ] {
            let mut object = object;
            complete(&mut object, &options, &Kinds::default());
            assert_eq!(object["metadata"]["namespace"], want);
            assert!(!object.to_string().contains("null"));
        }
    }
}
