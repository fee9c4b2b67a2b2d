use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};

/// The content of `asked.yaml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Data {
    pub(crate) definitions: Vec<Value>,
    pub(crate) stored: Vec<Value>,
    pub(crate) webhooks: BTreeMap<String, Value>,
    pub(crate) requests: Vec<Asked>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Asked {
    pub(crate) what: String,
    pub(crate) operation: String,
    /// The group, version and resource.
    pub(crate) resource: [String; 3],
    #[serde(default)]
    pub(crate) subresource: String,
    /// The API version and kind of the object.
    pub(crate) of: [String; 2],
    /// The namespace and name.
    pub(crate) at: [String; 2],
    #[serde(default)]
    labels: Value,
    fields: Option<Value>,
    /// Fields of the stored object that cannot be changed.
    #[serde(default)]
    pub(crate) kept: Vec<String>,
    /// The parameters of a connection.
    #[serde(default)]
    query: String,
}

pub(crate) fn data() -> Data {
    let mut data: Data = serde_saphyr::from_str(include_str!("asked.yaml")).unwrap();
    for webhook in data.webhooks.values_mut() {
        for rule in webhook["rules"].as_array_mut().unwrap() {
            let mut whole = json!({
                "apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*/*"], "operations": ["*"],
            });
            whole.as_object_mut().unwrap().extend(rule.as_object().unwrap().clone());
            *rule = whole;
        }
    }
    data
}

impl Asked {
    /// The path of the resource, with the name unless an object is created.
    pub(crate) fn path(&self) -> String {
        let [group, version, resource] = &self.resource;
        let [namespace, name] = &self.at;
        let mut path = match group.as_str() {
            "" => format!("/api/{version}"),
            group => format!("/apis/{group}/{version}"),
        };
        if !namespace.is_empty() {
            path = format!("{path}/namespaces/{namespace}");
        }
        path = format!("{path}/{resource}");
        if self.operation != "CREATE" || !self.subresource.is_empty() {
            path = format!("{path}/{name}");
        }
        if !self.subresource.is_empty() {
            path = format!("{path}/{}", self.subresource);
        }
        path + &self.query
    }

    pub(crate) fn object(&self) -> Option<Value> {
        let fields = self.fields.as_ref()?.as_object().unwrap();
        let [api_version, kind] = &self.of;
        let [namespace, name] = &self.at;
        let mut object = json!({ "apiVersion": api_version, "kind": kind, "metadata": { "name": name } });
        if !namespace.is_empty() {
            object["metadata"]["namespace"] = json!(namespace);
        }
        if !self.labels.is_null() {
            object["metadata"]["labels"] = self.labels.clone();
        }
        object.as_object_mut().unwrap().extend(fields.clone());
        Some(object)
    }
}
