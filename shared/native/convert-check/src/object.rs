//! The objects that are compared.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::PodSpec;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde_json::{Value, json};

/// The workloads with the place of their pod templates.
const TEMPLATES: [(&str, &str, &str); 8] = [
    ("v1", "ReplicationController", "/spec/template"),
    ("v1", "PodTemplate", "/template"),
    ("apps/v1", "Deployment", "/spec/template"),
    ("apps/v1", "ReplicaSet", "/spec/template"),
    ("apps/v1", "StatefulSet", "/spec/template"),
    ("apps/v1", "DaemonSet", "/spec/template"),
    ("batch/v1", "Job", "/spec/template"),
    ("batch/v1", "CronJob", "/spec/jobTemplate/spec/template"),
];

/// The API version and the kind of an object.
pub type Kind = (&'static str, &'static str);

/// The kind of pods.
pub(crate) const POD: Kind = ("v1", "Pod");

/// The kind of Services.
pub(crate) const SERVICE: Kind = ("v1", "Service");

/// The kinds of workloads with a pod template.
pub(crate) fn workloads() -> impl Iterator<Item = Kind> {
    TEMPLATES.into_iter().map(|(version, kind, _)| (version, kind))
}

/// An object with its place.
#[derive(Clone, Debug)]
pub struct Object {
    /// The file and the line, or the cluster.
    pub place: String,
    /// The object.
    pub value: Value,
}

/// A pod, or the pod that a template describes.
#[derive(Debug)]
pub(crate) struct PodOf {
    pub(crate) metadata: ObjectMeta,
    pub(crate) spec: PodSpec,
}

impl Object {
    /// The text at a pointer; empty without one.
    pub(crate) fn text(&self, pointer: &str) -> &str {
        self.value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
    }

    /// The kind.
    pub(crate) fn kind(&self) -> &str {
        self.text("/kind")
    }

    /// The name.
    pub(crate) fn name(&self) -> &str {
        self.text("/metadata/name")
    }

    /// The namespace; `default` if the object names none.
    pub(crate) fn namespace(&self) -> &str {
        Some(self.text("/metadata/namespace")).filter(|name| !name.is_empty()).unwrap_or("default")
    }

    /// The kind, the namespace and the name, for messages.
    pub(crate) fn title(&self) -> String {
        format!("{} {}/{}", self.kind(), self.namespace(), self.name())
    }

    /// Whether the object is a pod.
    pub(crate) fn is_pod(&self) -> bool {
        self.is_of(POD)
    }

    /// Whether the object is of a kind.
    pub(crate) fn is_of(&self, (version, kind): Kind) -> bool {
        self.text("/apiVersion") == version && self.kind() == kind
    }

    /// The group, the version and the resource, of a kind that has a regular plural.
    pub(crate) fn resource(&self) -> (&str, &str, String) {
        let api_version = self.text("/apiVersion");
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        (group, version, format!("{}s", self.kind().to_lowercase()))
    }

    /// The pod that the template describes, as a value; that of a pod is the pod itself.
    pub(crate) fn pod_value(&self) -> Value {
        self.value.pointer(self.place_of_pod()).cloned().unwrap_or_default()
    }

    fn template(&self) -> Option<&'static str> {
        let of = |(version, kind, _): &&(&'static str, &'static str, &str)| self.is_of((version, kind));
        TEMPLATES.iter().find(of).map(|(_, _, place)| *place)
    }

    /// The pod, or the pod that the template describes, with changes to its value.
    ///
    /// # Errors
    /// The reason why it is not one.
    pub(crate) fn pod(&self, value: &Value) -> Result<PodOf, String> {
        let place = if self.is_pod() { "" } else { self.template().unwrap_or_default() };
        let pod = value.pointer(place).cloned().unwrap_or_default();
        let part = |key: &str| pod.get(key).cloned().unwrap_or_else(|| json!({}));
        let metadata = serde_json::from_value(part("metadata"));
        let spec = serde_json::from_value(part("spec"));
        let unreadable = |error: serde_json::Error| format!("the pod cannot be read: {error}");
        Ok(PodOf { metadata: metadata.map_err(unreadable)?, spec: spec.map_err(unreadable)? })
    }

    /// The place of the pod in the value.
    pub(crate) fn place_of_pod(&self) -> &'static str {
        if self.is_pod() { "" } else { self.template().unwrap_or_default() }
    }
}

/// The labels of the Namespaces in the input, by name.
#[derive(Debug, Default)]
pub struct Namespaces(BTreeMap<String, BTreeMap<String, String>>);

impl Namespaces {
    /// Reads the labels of Namespaces.
    pub(crate) fn of(values: &[Value]) -> Self {
        let mut namespaces = Self::default();
        for value in values {
            let name = value.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
            let labels = value.pointer("/metadata/labels").and_then(Value::as_object);
            let mut labels: BTreeMap<String, String> = labels
                .into_iter()
                .flatten()
                .filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned())))
                .collect();
            labels.insert("kubernetes.io/metadata.name".to_owned(), name.to_owned());
            namespaces.0.insert(name.to_owned(), labels);
        }
        namespaces
    }

    /// The labels of a Namespace; `None` if the input does not have it.
    #[must_use]
    pub fn labels(&self, name: &str) -> Option<&BTreeMap<String, String>> {
        self.0.get(name)
    }
}
