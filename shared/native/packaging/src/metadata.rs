//! The metadata of a policy.

use std::collections::BTreeMap;

use semver::Version;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use serde_saphyr::UserMessageFormatter;
use text::nearest;

use crate::{PackagingError, annotations, rules};

/// The protocol that modules speak with the host, as the metadata of an annotated module says it.
pub const PROTOCOL_VERSION: &str = "v1";

/// The keys of `metadata.yml`.
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

/// What a policy says about itself: the content of `metadata.yml`.
///
/// # Example
/// ```
/// let metadata = packaging::Metadata::from_yaml("mutating: false\nrules: []\n");
/// assert_eq!(metadata.unwrap_err().to_string(), "rules: is empty; name at least one rule");
/// ```
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Metadata {
    /// The protocol between module and host. [`annotate`](crate::annotate) writes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol_version: Option<String>,
    /// The requests that concern the policy.
    pub rules: Vec<RuleWithOperations>,
    /// Whether the policy changes objects.
    pub mutating: bool,
    /// Whether the policy can judge stored objects, in a request without a user.
    #[serde(default = "yes")]
    pub background_audit: bool,
    /// How the host talks to the module.
    #[serde(default)]
    pub execution_mode: ExecutionMode,
    /// What the policy judges.
    #[serde(default)]
    pub policy_type: PolicyType,
    /// The kinds of objects that the policy asks the cluster for.
    #[serde(default, deserialize_with = "or_default")]
    pub context_aware_resources: Vec<ContextAwareResource>,
    /// The host calls that the policy makes: `kubernetes/get_resource`, `oci/*`.
    #[serde(default, deserialize_with = "or_default")]
    pub host_capabilities: Vec<String>,
    /// The oldest host that knows all that the policy needs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minimum_kubewarden_version: Option<Version>,
    /// Who wrote it, what it is for, where it is.
    #[serde(default, deserialize_with = "or_default")]
    pub annotations: BTreeMap<String, String>,
}

/// Requests for some resources.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RuleWithOperations {
    /// API groups; the empty text is the core group.
    pub api_groups: Vec<String>,
    /// Versions of the groups.
    pub api_versions: Vec<String>,
    /// Plurals, with a subresource `pods/ephemeralcontainers`.
    pub resources: Vec<String>,
    /// What is done.
    pub operations: Vec<Operation>,
}

/// What a request does.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Operation {
    /// An object is created.
    Create,
    /// An object is changed.
    Update,
    /// An object is deleted.
    Delete,
    /// A connection to a subresource such as `pods/exec`.
    Connect,
    /// Any of them.
    #[serde(rename = "*")]
    All,
}

/// How the host talks to a module.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExecutionMode {
    /// waPC.
    #[default]
    KubewardenWapc,
    /// Rego, as Open Policy Agent calls it.
    Opa,
    /// Rego, as Gatekeeper calls it.
    Gatekeeper,
    /// Standard input and output.
    Wasi,
}

/// What a policy judges.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PolicyType {
    /// Admission requests.
    #[default]
    Kubernetes,
    /// Any JSON.
    Raw,
}

/// A kind of object that a policy asks the cluster for.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ContextAwareResource {
    /// `v1`, `apps/v1`.
    pub api_version: String,
    /// `Namespace`.
    pub kind: String,
}

impl Metadata {
    /// Reads `metadata.yml` and holds it against what the host and the catalogues accept.
    ///
    /// Stricter than the host at the top level only: a misspelt key there would be silently without effect.
    ///
    /// # Errors
    /// Text that is no YAML, keys that do not exist, and values that Kubewarden refuses or that a published
    /// policy needs; the first one, with the path of the field.
    pub fn from_yaml(yaml: &str) -> Result<Self, PackagingError> {
        let value = parse("metadata", yaml)?;
        check_keys(&value)?;
        let metadata = Self::from_value(value)?;
        metadata.check()?;
        Ok(metadata)
    }

    /// The metadata in a module, as the host reads it: what it does not know is ignored, and nothing is held
    /// against the rules for published policies. `None` if the module carries none.
    ///
    /// # Errors
    /// Bytes that are no WebAssembly module, or metadata that is no JSON of the right types.
    pub fn read(wasm: &[u8]) -> Result<Option<Self>, PackagingError> {
        let Some(json) = crate::section::find(wasm)? else { return Ok(None) };
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
                format!("write {PROTOCOL_VERSION} or leave the key out"),
            ));
        }
        rules::check(&self.rules)?;
        if self.execution_mode != ExecutionMode::KubewardenWapc {
            let problem = "the modules here speak waPC; write kubewarden-wapc or leave the key out";
            return Err(PackagingError::new("executionMode", problem));
        }
        rules::check_reads(&self.context_aware_resources)?;
        rules::check_capabilities(&self.host_capabilities)?;
        annotations::check(&self.annotations)
    }
}

/// YAML as a value; `what` it is meant to be is the place of what is wrong with all of it.
///
/// # Errors
/// Text that is no YAML.
pub(crate) fn parse(what: &str, yaml: &str) -> Result<Value, PackagingError> {
    let options = serde_saphyr::options! { with_snippet: false };
    serde_saphyr::from_str_with_options(yaml, options)
        .map_err(|error| PackagingError::new(what, error.render_with_formatter(&UserMessageFormatter)))
}

/// A value as YAML, always in the same way; `what` it is, is the place of what is wrong.
///
/// # Errors
/// A value that YAML cannot hold. There is none among those of this crate.
pub(crate) fn print(what: &str, value: &impl Serialize) -> Result<String, PackagingError> {
    // As wide as the other files here, so that addresses stay on their line.
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
                    None => format!("known are {}", KEYS.join(", ")),
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

/// `null` is an absent key, as in YAML that a person leaves half filled in.
fn or_default<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(value: D) -> Result<T, D::Error> {
    Ok(Option::deserialize(value)?.unwrap_or_default())
}
