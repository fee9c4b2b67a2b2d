use serde_json::{Value, json};

use crate::date::Date;
use crate::user::service_account;

/// The options of a scan.
#[derive(Clone, Debug)]
pub struct Options {
    /// The question about each object.
    pub operation: Operation,
    /// The name of the requesting user.
    pub user: String,
    /// The groups of the requesting user.
    pub groups: Vec<String>,
    /// The namespace of namespaced objects that name none.
    pub default_namespace: String,
    /// Whether workloads are also evaluated as the pods that they would make.
    pub pods: Pods,
    /// Whether unknown fields, duplicate keys and workloads without containers are errors.
    pub is_strict: bool,
    /// The date on which exceptions in annotations of the input are evaluated; `None` honours none.
    /// The report counts those that are not honoured.
    pub exceptions_on: Option<Date>,
    /// Whether the report has the changes that policies make. They take memory.
    pub reports_mutations: bool,
    /// The objects whose exceptions are honoured.
    pub exceptions_of: ExceptionsOf,
    /// The number of threads that evaluate; at least one.
    pub workers: usize,
}

/// The objects whose exceptions are honoured.
///
/// The exceptions of a manifest are reviewed with it. Everyone who can change a stored object can
/// annotate it, and could hide it from a scan of a cluster or of a dump.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum ExceptionsOf {
    /// Objects that never were in a cluster: those with neither `metadata.uid` nor
    /// `metadata.resourceVersion`, which only API servers set.
    #[default]
    Manifests,
    /// All objects.
    All,
}

/// The question about each object.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Operation {
    /// May it be created? With an old side: may it be updated if the old side has it, may it be
    /// created if not, and may what only the old side has be deleted?
    #[default]
    Create,
    /// May it be updated without a change? A warning says that policies then tolerate more. With an
    /// old side as for [`Operation::Create`].
    Update,
    /// May it be deleted?
    Delete,
}

/// Whether workloads are also evaluated as the pods that they would make.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Pods {
    /// By policies that evaluate pods and did not object to the workload itself.
    #[default]
    Auto,
    /// By all policies that evaluate pods.
    On,
    /// Never.
    Off,
}

impl Default for Options {
    /// CREATE by an ordinary user, in the namespace `default`, without exceptions.
    fn default() -> Self {
        Self {
            operation: Operation::default(),
            user: "alice".to_owned(),
            groups: vec!["developers".to_owned(), "system:authenticated".to_owned()],
            default_namespace: "default".to_owned(),
            pods: Pods::default(),
            is_strict: false,
            exceptions_on: None,
            reports_mutations: false,
            exceptions_of: ExceptionsOf::default(),
            workers: std::thread::available_parallelism().map_or(1, usize::from),
        }
    }
}

impl Options {
    /// Makes a service account the requesting user, with the groups that the API server adds.
    pub fn set_service_account(&mut self, namespace: &str, name: &str) {
        let user = service_account(namespace, name);
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        self.user = user.get("username").map(text).unwrap_or_default();
        self.groups = user.get("groups").and_then(Value::as_array).into_iter().flatten().map(text).collect();
    }

    pub(crate) fn user(&self) -> Value {
        json!({ "username": self.user, "groups": self.groups })
    }
}
