//! The format of case files: behaviour of a policy as data.
//!
//! # What this crate does not do
//! It judges nothing and reads no files; `cases` does.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use admission_review::{AdmissionRequest, Draft};
use cluster_objects::Objects;
use serde::Deserialize;
use serde_json::{Map, Value};

/// One case: a request, what surrounds it, and what is wanted.
///
/// The fields are explained by `cases/readme.yaml` of this crate.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Case {
    /// What the case shows, as a sentence.
    pub name: String,
    /// Where the behaviour comes from.
    #[serde(default)]
    pub source: Option<String>,
    /// The settings of the policy.
    #[serde(default)]
    pub settings: Value,
    /// CREATE, UPDATE, DELETE or CONNECT; UPDATE where there is an old object, CREATE where there is none.
    #[serde(default)]
    pub operation: Option<String>,
    /// `status` and the like.
    #[serde(default)]
    pub subresource: Option<String>,
    /// Who asks.
    #[serde(default)]
    pub user: Option<Value>,
    /// The object as it would be stored.
    #[serde(default)]
    pub object: Option<Value>,
    /// The object as it is stored.
    #[serde(default)]
    pub old_object: Option<Value>,
    /// Fields of the `AdmissionRequest` that take the place of what follows from the above; null takes one away.
    #[serde(default)]
    pub request: Map<String, Value>,
    /// What the cluster has.
    #[serde(default)]
    pub cluster: Cluster,
    /// What has to come of it.
    pub want: CaseOutcome,
    /// The file that it stands in.
    #[serde(skip)]
    pub file: PathBuf,
}

/// What the cluster has, or that it cannot be asked.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Cluster {
    /// Its objects.
    #[serde(default)]
    pub objects: Vec<Value>,
    /// Why every question fails.
    #[serde(default)]
    pub unreachable: Option<String>,
}

/// What comes of a case. Exactly one of the first five.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct CaseOutcome {
    /// Admitted as it is: `true`.
    #[serde(default)]
    pub admitted: Option<bool>,
    /// Denied by a rule: the lines of the message.
    #[serde(default)]
    pub denied: Option<Vec<String>>,
    /// Admitted with changes: the whole object.
    #[serde(default)]
    pub mutated: Option<Value>,
    /// Denied because it could not be judged: the message.
    #[serde(default)]
    pub fault: Option<String>,
    /// The settings are refused: the message.
    #[serde(default)]
    pub settings_error: Option<String>,
    /// The warnings, whatever the verdict.
    #[serde(default)]
    pub warnings: Vec<String>,
    /// The audit annotations, whatever the verdict.
    #[serde(default)]
    pub audit_annotations: BTreeMap<String, String>,
    /// The questions to the cluster, in order: `get v1 Namespace shop`, `list v1 Service`.
    #[serde(default)]
    pub asked: Vec<String>,
}

impl Case {
    /// The request as the host takes it.
    ///
    /// # Errors
    /// What the host refuses to read, such as a request without uid.
    pub fn admission_request(&self) -> Result<AdmissionRequest, String> {
        AdmissionRequest::from_value(self.request_value()).map_err(|error| error.to_string())
    }

    /// The `AdmissionRequest` as an API server sends it.
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

    /// The cluster.
    ///
    /// # Errors
    /// What is no object of Kubernetes.
    pub fn objects(&self) -> Result<Arc<Objects>, String> {
        match &self.cluster.unreachable {
            Some(reason) => Ok(Arc::new(Objects::unreachable(reason.clone()))),
            None => {
                Objects::from_values(self.cluster.objects.clone()).map(Arc::new).map_err(|e| e.to_string())
            }
        }
    }

    /// Where the case stands, for messages.
    #[must_use]
    pub fn place(&self) -> String {
        format!("{}: {}", self.file.display(), self.name)
    }
}

/// The cases in a text.
///
/// # Errors
/// What is no list of cases, with the line of what is no YAML and the name of what is no case.
pub fn parse(text: &str) -> Result<Vec<Case>, String> {
    // Cases repeat objects by alias as often as they like.
    let documents = manifest::own_documents(text).map_err(|problem| problem.to_string())?;
    let Ok([Value::Array(cases)]) = <[Value; 1]>::try_from(documents) else {
        return Err("expected one list of cases".to_owned());
    };
    cases.into_iter().enumerate().map(|(index, case)| read(index, case)).collect()
}

fn read(index: usize, case: Value) -> Result<Case, String> {
    let name = case.get("name").and_then(Value::as_str).map(str::to_owned);
    let name = name.unwrap_or_else(|| format!("case {}", index.saturating_add(1)));
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
