//! Requests without an API server.

use serde_json::{Value, json};

/// An operation on an object, from which a request is made without an API server.
///
/// # Example
/// ```
/// use kubernetes::review::Draft;
/// use serde_json::json;
///
/// let object = json!({ "apiVersion": "v1", "kind": "Service", "metadata": { "name": "web", "namespace": "shop" } });
/// let request = Draft { object: Some(object), ..Draft::default() }.request();
/// assert_eq!(request["operation"], "CREATE");
/// assert_eq!(request["resource"]["resource"], "services");
/// assert_eq!(request["namespace"], "shop");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Draft {
    /// CREATE, UPDATE, DELETE or CONNECT. The default is UPDATE with an old object and CREATE
    /// without one.
    pub operation: Option<String>,
    /// The subresource, such as `status`.
    pub subresource: Option<String>,
    /// The requesting user: `username` and `groups`. The default is an
    /// [ordinary user](Draft::ordinary_user).
    pub user: Option<Value>,
    /// The object as it would be stored.
    pub object: Option<Value>,
    /// The stored object.
    pub old_object: Option<Value>,
}

/// The `uid` of requests that are made without an API server.
pub const UID: &str = "705ab4f5-6393-11e8-b7cc-42010a800002";

impl Draft {
    /// Returns a user with a name and no special groups: the default `userInfo` of a request.
    #[must_use]
    pub fn ordinary_user() -> Value {
        json!({ "username": "alice", "groups": ["developers", "system:authenticated"] })
    }

    /// Returns the `AdmissionRequest` as an API server sends it, with the kind, name and namespace
    /// of the object, or of the old object if there is no object.
    #[must_use]
    pub fn request(&self) -> Value {
        let subject = self.object.as_ref().or(self.old_object.as_ref());
        let text = |pointer: &str| subject.and_then(|object| object.pointer(pointer)).and_then(Value::as_str);
        let (group, version) = match text("/apiVersion").unwrap_or("v1").split_once('/') {
            Some((group, version)) => (group, version),
            None => ("", text("/apiVersion").unwrap_or("v1")),
        };
        let kind = text("/kind").unwrap_or_default();
        // As in requests of the API server, a Namespace is in the namespace of its own name.
        let namespace = match (group, kind) {
            ("", "Namespace") => text("/metadata/name"),
            _ => text("/metadata/namespace"),
        };
        let operation = if self.old_object.is_some() { "UPDATE" } else { "CREATE" };
        let mut request = json!({
            "uid": UID,
            "kind": { "group": group, "version": version, "kind": kind },
            // A guess: no policy reads it, and a table of kinds would make the playground larger.
            "resource": { "group": group, "version": version, "resource": crate::kinds::guess(kind) },
            "operation": self.operation.as_deref().unwrap_or(operation),
            "userInfo": self.user.clone().unwrap_or_else(Self::ordinary_user),
            "dryRun": false,
        });
        if let Value::Object(fields) = &mut request {
            let optional = [
                ("name", text("/metadata/name").map(Value::from)),
                ("namespace", namespace.map(Value::from)),
                ("subResource", self.subresource.clone().map(Value::from)),
                ("object", self.object.clone()),
                ("oldObject", self.old_object.clone()),
            ];
            fields.extend(optional.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
        }
        request
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_namespace_is_in_its_own_namespace() {
        let object = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": "shop" } });
        let request = Draft { object: Some(object), ..Draft::default() }.request();
        assert_eq!((&request["name"], &request["namespace"]), (&json!("shop"), &json!("shop")));
    }

    #[test]
    fn the_default_with_an_old_object_is_an_update() {
        let object = || Some(json!({ "apiVersion": "apps/v1", "kind": "Deployment" }));
        let update = Draft { object: object(), old_object: object(), ..Draft::default() }.request();
        assert_eq!(update["operation"], "UPDATE");
        assert_eq!(update["kind"], json!({ "group": "apps", "version": "v1", "kind": "Deployment" }));
        let delete = Draft { operation: Some("DELETE".into()), old_object: object(), ..Draft::default() };
        assert_eq!(delete.request()["kind"]["kind"], "Deployment");
        assert_eq!(delete.request().get("object"), None);
    }
}
