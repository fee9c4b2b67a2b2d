//! The metadata of a policy.

use std::collections::BTreeMap;

use semver::Version;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use text::nearest;

use crate::packaging::{PackagingError, annotations, rules};
use crate::rule::{ContextAwareResource, RuleWithOperations};

/// The version of the protocol between modules and the host, as annotated modules declare it.
pub const PROTOCOL_VERSION: &str = "v1";

const KEYS: &[&str] = &[
    "annotations",
    "backgroundAudit",
    "contextAwareResources",
    "executionMode",
    "hostCapabilities",
    "minimumKubewardenVersion",
    "mutating",
    "policyType",
    "protocolVersion",
    "rules",
];

/// The metadata of a policy: the content of `metadata.yml`.
///
/// # Example
/// ```
/// let metadata = kubewarden::packaging::Metadata::from_yaml("mutating: false\nrules: []\n");
/// assert_eq!(metadata.unwrap_err().to_string(), "rules: is empty; name at least one rule");
/// ```
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Metadata {
    /// The version of the protocol between module and host.
    /// [`annotate`](crate::packaging::annotate) sets it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol_version: Option<String>,
    /// The requests that the policy evaluates.
    pub rules: Vec<RuleWithOperations>,
    /// Whether the policy changes objects.
    pub mutating: bool,
    /// Whether the policy can evaluate stored objects, in requests without a user.
    #[serde(default = "yes")]
    pub background_audit: bool,
    /// The interface between host and module.
    #[serde(default)]
    pub execution_mode: ExecutionMode,
    /// The input of the policy.
    #[serde(default)]
    pub policy_type: PolicyType,
    /// The kinds of objects that the policy looks up.
    #[serde(default, deserialize_with = "or_default")]
    pub context_aware_resources: Vec<ContextAwareResource>,
    /// The host calls of the policy, such as `kubernetes/get_resource`, or patterns for them, such
    /// as `oci/*`.
    #[serde(default, deserialize_with = "or_default")]
    pub host_capabilities: Vec<String>,
    /// The oldest Kubewarden version that the policy runs in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minimum_kubewarden_version: Option<Version>,
    /// Title, authors, addresses and everything else that hosts and catalogues display.
    #[serde(default, deserialize_with = "or_default")]
    pub annotations: BTreeMap<String, String>,
}

/// The interface between host and module.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExecutionMode {
    /// waPC.
    #[default]
    KubewardenWapc,
    /// Rego, called as by Open Policy Agent.
    Opa,
    /// Rego, called as by Gatekeeper.
    Gatekeeper,
    /// Standard input and output.
    Wasi,
}

/// The input of a policy.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PolicyType {
    /// Admission requests.
    #[default]
    Kubernetes,
    /// Any JSON.
    Raw,
}

impl Metadata {
    /// Reads `metadata.yml` and checks that the host and the catalogues accept it.
    ///
    /// Unlike the host it refuses unknown keys at the top level, where a misspelt key would
    /// silently have no effect.
    ///
    /// # Errors
    /// The first syntax error, unknown key, missing value or value that Kubewarden refuses, with
    /// the path of the field.
    pub fn from_yaml(yaml: &str) -> Result<Self, PackagingError> {
        let value = parse("metadata", yaml)?;
        check_keys(&value)?;
        let metadata = Self::from_value(value)?;
        metadata.check()?;
        Ok(metadata)
    }

    /// Reads the metadata of a module as the host does: it ignores unknown keys and does not apply
    /// the checks for published policies. Returns `None` for a module without metadata.
    ///
    /// # Errors
    /// Bytes that are not a core WebAssembly module, and metadata that is not JSON of the right
    /// types.
    pub fn read(wasm: &[u8]) -> Result<Option<Self>, PackagingError> {
        let Some(json) = crate::packaging::section::find(wasm)? else { return Ok(None) };
        let value = serde_json::from_slice(json)
            .map_err(|error| PackagingError::new("metadata", error.to_string()))?;
        Self::from_value(value).map(Some)
    }

    fn from_value(value: Value) -> Result<Self, PackagingError> {
        serde_path_to_error::deserialize(value).map_err(|error| {
            let path = error.path().to_string();
            PackagingError::new(if path == "." { "metadata" } else { &path }, error.inner().to_string())
        })
    }

    fn check(&self) -> Result<(), PackagingError> {
        if let Some(version) = &self.protocol_version
            && version != PROTOCOL_VERSION
        {
            return Err(PackagingError::new(
                "protocolVersion",
                format!("write {PROTOCOL_VERSION} or remove the key"),
            ));
        }
        rules::check(&self.rules)?;
        if self.execution_mode != ExecutionMode::KubewardenWapc {
            let problem = "all modules here use waPC; write kubewarden-wapc or remove the key";
            return Err(PackagingError::new("executionMode", problem));
        }
        rules::check_reads(&self.context_aware_resources)?;
        rules::check_capabilities(&self.host_capabilities)?;
        annotations::check(&self.annotations)
    }
}

/// Reads YAML; `what` it describes is the path of a syntax error.
pub(crate) fn parse(what: &str, yaml: &str) -> Result<Value, PackagingError> {
    let mut documents = manifest::own_documents(yaml)
        .map_err(|problem| PackagingError::new(what, problem.to_string()))?
        .into_iter();
    match (documents.next(), documents.next()) {
        (first, None) => Ok(first.unwrap_or_default()),
        (_, Some(_)) => Err(PackagingError::new(what, "expected one document")),
    }
}

/// Prints a value as YAML; equal values give equal text. `what` it describes is the path of an
/// error.
pub(crate) fn print(what: &str, value: &impl Serialize) -> Result<String, PackagingError> {
    // Wide enough for addresses to stay on their line.
    let options = serde_saphyr::ser_options! { folded_wrap_chars: 120 };
    serde_saphyr::to_string_with_options(value, options)
        .map_err(|error| PackagingError::new(what, error.to_string()))
}

fn check_keys(metadata: &Value) -> Result<(), PackagingError> {
    let found = match metadata {
        Value::Object(fields) => match fields.keys().find(|key| !KEYS.contains(&key.as_str())) {
            None => return Ok(()),
            Some(unknown) => {
                let advice = match nearest(unknown, KEYS) {
                    Some(near) => format!("did you mean {near}?"),
                    None => format!("expected one of {}", KEYS.join(", ")),
                };
                return Err(PackagingError::new(unknown, format!("unknown key; {advice}")));
            }
        },
        Value::Array(_) => "a list",
        Value::Null => "null",
        Value::Bool(_) | Value::Number(_) | Value::String(_) => "a single value",
    };
    Err(PackagingError::new("metadata", format!("expected keys and values, found {found}")))
}

fn yes() -> bool {
    true
}

/// Reads `null` as an absent key, as in YAML that is only partly filled in.
fn or_default<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(value: D) -> Result<T, D::Error> {
    Ok(Option::deserialize(value)?.unwrap_or_default())
}
