//! The look-ups of modules, as tests and reports show them.

use std::fmt;

use admission::{CanI, Get, How, List};

use crate::cluster::{Kind, rbac_kinds};

/// A question of a module to the cluster, or to another service of the host.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct LookUp {
    /// The API version that the question is about; empty if it is not about objects.
    pub api_version: String,
    /// The kind that the question is about.
    pub kind: String,
    /// The kind of question; `None` if it is not one about the cluster.
    pub how: Option<How>,
    text: String,
}

/// Displays the question: `get v1 Namespace shop`, `list v1 Service in shop`,
/// `can alice create services in shop`, or the name of another call of the host.
impl fmt::Display for LookUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl LookUp {
    /// Returns the kinds of the objects that the answer depends on.
    #[must_use]
    pub fn kinds(&self) -> Vec<Kind> {
        match self.how {
            Some(How::CanI) => rbac_kinds().collect(),
            _ => vec![(self.api_version.clone(), self.kind.clone())],
        }
    }

    pub(crate) fn get(Get { api_version, kind, name, .. }: &Get<'_>) -> Self {
        let text = format!("get {api_version} {kind} {name}");
        Self { api_version: (*api_version).to_owned(), kind: (*kind).to_owned(), how: Some(How::Get), text }
    }

    pub(crate) fn list(List { api_version, kind, namespace, .. }: &List<'_>) -> Self {
        let (how, place) = match namespace {
            None => (How::ListAll, String::new()),
            Some(namespace) => (How::ListIn, format!(" in {namespace}")),
        };
        let text = format!("list {api_version} {kind}{place}");
        Self { api_version: (*api_version).to_owned(), kind: (*kind).to_owned(), how: Some(how), text }
    }

    pub(crate) fn can_i(wanted: &CanI<'_>) -> Self {
        let what = wanted.to_string().replacen("permission to", "", 1);
        Self {
            api_version: "authorization.k8s.io/v1".to_owned(),
            kind: "SubjectAccessReview".to_owned(),
            how: Some(How::CanI),
            text: format!("can {}{what} in {}", wanted.user, wanted.namespace),
        }
    }

    /// Returns the question of a module in the embedded host.
    #[cfg(feature = "modules")]
    pub(crate) fn of_call(call: &wapc_host::HostCall) -> Self {
        let at = |pointer: &str| call.payload.pointer(pointer).and_then(serde_json::Value::as_str);
        let text = |pointer: &str| at(pointer).unwrap_or_default();
        let (api_version, kind, shape) = (text("/api_version"), text("/kind"), admission::Shape::ALL);
        let list = |namespace| Self::list(&List { api_version, kind, namespace, shape });
        match (call.namespace.as_str(), call.operation.as_str()) {
            ("kubernetes", "get_resource") => {
                Self::get(&Get { api_version, kind, namespace: None, name: text("/name"), shape })
            }
            ("kubernetes", "list_resources_all") => list(None),
            ("kubernetes", "list_resources_by_namespace") => list(Some(text("/namespace"))),
            ("kubernetes", "can_i") => {
                let of = |name: &str| text(&format!("/subject_access_review/resource_attributes/{name}"));
                Self::can_i(&CanI {
                    user: text("/subject_access_review/user"),
                    groups: &[],
                    verb: of("verb"),
                    group: of("group"),
                    resource: of("resource"),
                    subresource: of("subresource"),
                    name: of("name"),
                    namespace: of("namespace"),
                })
            }
            (namespace, operation) => Self {
                api_version: String::new(),
                kind: String::new(),
                how: None,
                text: format!("{namespace}/{operation}"),
            },
        }
    }
}
