//! The format of case files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use host::AdmissionRequest;
use objects::Objects;
use serde::Deserialize;
use serde_json::{Map, Value, json};

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
    pub want: Outcome,
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
pub struct Outcome {
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
        let subject = self.object.as_ref().or(self.old_object.as_ref());
        let text = |pointer: &str| subject.and_then(|object| object.pointer(pointer)).and_then(Value::as_str);
        let (group, version) = match text("/apiVersion").unwrap_or("v1").split_once('/') {
            Some((group, version)) => (group, version),
            None => ("", text("/apiVersion").unwrap_or("v1")),
        };
        let kind = text("/kind").unwrap_or_default();
        let operation = if self.old_object.is_some() { "UPDATE" } else { "CREATE" };
        let user = json!({ "username": "alice", "groups": ["developers", "system:authenticated"] });
        let mut request = json!({
            "uid": "705ab4f5-6393-11e8-b7cc-42010a800002",
            "kind": { "group": group, "version": version, "kind": kind },
            "resource": { "group": group, "version": version, "resource": format!("{}s", kind.to_lowercase()) },
            "operation": self.operation.as_deref().unwrap_or(operation),
            "userInfo": self.user.clone().unwrap_or(user),
            "dryRun": false,
        });
        if let Value::Object(fields) = &mut request {
            let optional = [
                ("name", text("/metadata/name").map(Value::from)),
                ("namespace", text("/metadata/namespace").map(Value::from)),
                ("subResource", self.subresource.clone().map(Value::from)),
                ("object", self.object.clone()),
                ("oldObject", self.old_object.clone()),
            ];
            fields.extend(optional.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
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

/// The cases of a file.
///
/// # Errors
/// What cannot be read, with the file, and the line where the format knows it.
pub fn load(file: &Path) -> Result<Vec<Case>, String> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    // Cases repeat objects by alias as often as they like; the limits are against strangers.
    let options = serde_saphyr::options! { budget: None };
    let mut cases: Vec<Case> = serde_saphyr::from_str_with_options(&text, options)
        .map_err(|error| format!("{}: {error}", file.display()))?;
    for case in &mut cases {
        file.clone_into(&mut case.file);
        let Outcome { admitted, denied, mutated, fault, settings_error, .. } = &case.want;
        let given = [
            admitted.is_some(),
            denied.is_some(),
            mutated.is_some(),
            fault.is_some(),
            settings_error.is_some(),
        ];
        if given.into_iter().filter(|given| *given).count() != 1 || *admitted == Some(false) {
            return Err(format!(
                "{}: want takes exactly one of admitted: true, denied, mutated, fault, settingsError",
                case.place()
            ));
        }
    }
    Ok(cases)
}

/// The cases of all `*.yaml` files in a folder, by file name.
///
/// # Errors
/// What cannot be read, and a name that stands twice.
pub fn load_dir(dir: &Path) -> Result<Vec<Case>, String> {
    let entries = std::fs::read_dir(dir).map_err(|error| format!("{}: {error}", dir.display()))?;
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "yaml"));
    files.sort();
    let mut cases: Vec<Case> = Vec::new();
    for file in &files {
        for case in load(file)? {
            if cases.iter().any(|known| known.name == case.name) {
                return Err(format!("{}: the name is taken", case.place()));
            }
            cases.push(case);
        }
    }
    Ok(cases)
}
