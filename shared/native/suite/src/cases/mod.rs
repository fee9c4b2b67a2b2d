//! The format of case files, which describe the behaviour of a policy as data.

mod load;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use kubernetes::objects::Objects;
use kubernetes::review::{AdmissionRequest, Draft};
use serde::Deserialize;
use serde_json::{Map, Value};

pub use load::{load, load_dir};

/// A case: a request, its settings and cluster, and the expected outcome.
///
/// `cases.yaml` of this crate explains the fields.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Case {
    /// The behaviour that the case shows, as a sentence.
    pub name: String,
    /// The source of the behaviour.
    #[serde(default)]
    pub source: Option<String>,
    /// The settings of the policy.
    #[serde(default)]
    pub settings: Value,
    /// CREATE, UPDATE, DELETE or CONNECT. The default is UPDATE with an old object and CREATE
    /// without one.
    #[serde(default)]
    pub operation: Option<String>,
    /// The subresource, such as `status`.
    #[serde(default)]
    pub subresource: Option<String>,
    /// The requesting user.
    #[serde(default)]
    pub user: Option<Value>,
    /// The object as it would be stored.
    #[serde(default)]
    pub object: Option<Value>,
    /// The stored object.
    #[serde(default)]
    pub old_object: Option<Value>,
    /// Fields of the `AdmissionRequest` that replace those derived from the fields above; null
    /// removes a field.
    #[serde(default)]
    pub request: Map<String, Value>,
    /// The cluster.
    #[serde(default)]
    pub cluster: Cluster,
    /// The expected outcome.
    pub want: CaseOutcome,
    /// The file that contains the case.
    #[serde(skip)]
    pub file: PathBuf,
}

/// The objects of a cluster, or the reason why it cannot be reached.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Cluster {
    /// The objects.
    #[serde(default)]
    pub objects: Vec<Value>,
    /// The reason why every look-up fails.
    #[serde(default)]
    pub unreachable: Option<String>,
}

/// The outcome of a case, with exactly one of the first five fields.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct CaseOutcome {
    /// Admitted without changes: `true`.
    #[serde(default)]
    pub admitted: Option<bool>,
    /// Denied by a rule: the lines of the message.
    #[serde(default)]
    pub denied: Option<Vec<String>>,
    /// Admitted with changes: the whole object.
    #[serde(default)]
    pub mutated: Option<Value>,
    /// Denied because the request cannot be evaluated: the message.
    #[serde(default)]
    pub fault: Option<String>,
    /// The settings are rejected: the message.
    #[serde(default)]
    pub settings_error: Option<String>,
    /// The warnings, regardless of the verdict.
    #[serde(default)]
    pub warnings: Vec<String>,
    /// The audit annotations, regardless of the verdict.
    #[serde(default)]
    pub audit_annotations: BTreeMap<String, String>,
    /// The look-ups, in order: `get v1 Namespace shop`, `list v1 Service`.
    #[serde(default)]
    pub asked: Vec<String>,
}

impl Case {
    /// Returns the request as the host reads it.
    ///
    /// # Errors
    /// Returns an error if the host cannot read the request, for example because the `uid` is
    /// missing.
    pub fn admission_request(&self) -> Result<AdmissionRequest, String> {
        AdmissionRequest::from_value(self.request_value()).map_err(|error| error.to_string())
    }

    /// Returns the `AdmissionRequest` as an API server sends it.
    #[must_use]
    pub fn request_value(&self) -> Value {
        let draft = Draft {
            operation: self.operation.clone(),
            subresource: self.subresource.clone(),
            user: self.user.clone(),
            object: self.object.clone(),
            old_object: self.old_object.clone(),
        };
        let mut request = draft.request();
        if let Value::Object(fields) = &mut request {
            for (name, value) in &self.request {
                fields.insert(name.clone(), value.clone());
            }
            fields.retain(|_, value| !value.is_null());
        }
        request
    }

    /// Returns the objects of the cluster.
    ///
    /// # Errors
    /// Returns an error if a value is not a Kubernetes object.
    pub fn objects(&self) -> Result<Arc<Objects>, String> {
        match &self.cluster.unreachable {
            Some(reason) => Ok(Arc::new(Objects::unreachable(reason.clone()))),
            None => {
                Objects::from_values(self.cluster.objects.clone()).map(Arc::new).map_err(|e| e.to_string())
            }
        }
    }

    /// Returns the file and name of the case, for messages.
    #[must_use]
    pub fn place(&self) -> String {
        format!("{}: {}", self.file.display(), self.name)
    }
}

/// Parses the cases in the text of a file.
///
/// # Errors
/// Returns an error if the text is not a list of cases, with the line of invalid YAML or the name
/// of an invalid case.
pub fn parse(text: &str) -> Result<Vec<Case>, String> {
    // Cases may repeat objects by alias without limits.
    let documents = manifest::own_documents(text).map_err(|problem| problem.to_string())?;
    let Ok([Value::Array(cases)]) = <[Value; 1]>::try_from(documents) else {
        return Err("expected one list of cases".to_owned());
    };
    cases.into_iter().enumerate().map(|(index, case)| read(index, case)).collect()
}

/// Reads the case with an index in its file.
///
/// # Errors
/// Returns an error with the name of the case if it has unknown keys, values of other types, or
/// not exactly one outcome.
pub fn read(index: usize, case: Value) -> Result<Case, String> {
    let name = case.get("name").and_then(Value::as_str).map(str::to_owned);
    let name = name.unwrap_or_else(|| format!("case {}", index + 1));
    let case: Case = serde_json::from_value(case).map_err(|error| format!("{name}: {error}"))?;
    let CaseOutcome { admitted, denied, mutated, fault, settings_error, .. } = &case.want;
    let given =
        [admitted.is_some(), denied.is_some(), mutated.is_some(), fault.is_some(), settings_error.is_some()];
    if given.into_iter().filter(|given| *given).count() != 1 || *admitted == Some(false) {
        return Err(format!(
            "{name}: want takes exactly one of admitted: true, denied, mutated, fault, settingsError"
        ));
    }
    Ok(case)
}
