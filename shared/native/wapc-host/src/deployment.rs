//! How a module is used: what a `ClusterAdmissionPolicy` says.

use std::time::Duration;

use serde_json::{Map, Value};

use crate::{HostError, capability};

/// The configuration of one policy, as the policy server has it in its `policies.yml`.
///
/// # Example
/// ```
/// use wapc_host::{Deployment, Resource};
/// use serde_json::json;
///
/// let deployment = Deployment {
///     settings: json!({ "allow": { "cidrs": ["192.0.2.0/24"] } }),
///     host_capabilities: vec!["kubernetes/list_resources_all".into()],
///     context_aware_resources: vec![Resource { api_version: "v1".into(), kind: "Service".into() }],
///     ..Deployment::new("external-ips")
/// };
/// # let _ = deployment;
/// ```
#[derive(Clone, Debug)]
pub struct Deployment {
    /// The name of the policy, in the messages of the host.
    pub id: String,
    /// The settings: an object, or null for none.
    pub settings: Value,
    /// What becomes of a denial.
    pub mode: Mode,
    /// Whether the object may be changed.
    pub allowed_to_mutate: bool,
    /// Told instead of the module's message when a request is denied.
    pub message: Option<String>,
    /// Which host calls are granted: `*`, `kubernetes/*`, `oci/v1/*` or the name of one.
    pub host_capabilities: Vec<String>,
    /// Which objects of the cluster may be read.
    pub context_aware_resources: Vec<Resource>,
    /// How long a call may take. The host counts whole seconds, beginning anywhere in the first of them, so
    /// that two seconds end between one and two.
    pub timeout: Duration,
}

/// What becomes of a denial.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Mode {
    /// The request is denied.
    Protect,
    /// The request is allowed, unchanged.
    Monitor,
}

/// A kind of object that may be read.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Resource {
    /// `v1`, `apps/v1`.
    pub api_version: String,
    /// `Namespace`.
    pub kind: String,
}

impl Deployment {
    /// A policy with no settings that protects, changes nothing and may ask nothing, in two seconds.
    #[must_use]
    pub fn new(id: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            settings: Value::Null,
            mode: Mode::Protect,
            allowed_to_mutate: false,
            message: None,
            host_capabilities: Vec::new(),
            context_aware_resources: Vec::new(),
            timeout: Duration::from_secs(2),
        }
    }

    /// Checks what the host checks before it asks the module, and makes the settings an object.
    pub(crate) fn checked(mut self) -> Result<Self, HostError> {
        match self.settings {
            Value::Object(_) => {}
            Value::Null => self.settings = Value::Object(Map::new()),
            _ => return Err(HostError::SettingsType),
        }
        match self.host_capabilities.iter().find(|pattern| !capability::is_pattern(pattern)) {
            Some(pattern) => Err(HostError::Capability(pattern.clone())),
            None => Ok(self),
        }
    }

    /// The time limit in epochs: a limit of none would not let anything run.
    pub(crate) fn epochs(&self) -> u64 {
        let begun = u64::from(self.timeout.subsec_nanos() > 0);
        self.timeout.as_secs().saturating_add(begun).max(1)
    }

    /// Whether a host call such as `kubernetes/get_resource` is granted.
    pub(crate) fn grants_call(&self, call: &str) -> bool {
        self.host_capabilities.iter().any(|pattern| capability::grants(pattern, call))
    }

    /// Whether objects of a kind may be read.
    pub(crate) fn grants_resource(&self, api_version: &str, kind: &str) -> bool {
        self.context_aware_resources
            .iter()
            .any(|resource| resource.api_version == api_version && resource.kind == kind)
    }
}
