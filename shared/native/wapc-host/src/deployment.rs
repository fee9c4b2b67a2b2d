//! The use of a module, as a `ClusterAdmissionPolicy` describes it.

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
    /// The name of the policy in the host's messages.
    pub id: String,
    /// The settings: an object, or null for none.
    pub settings: Value,
    /// How a denial is handled.
    pub mode: Mode,
    /// Whether the policy may change the object.
    pub allowed_to_mutate: bool,
    /// The message that replaces the module's when a request is denied.
    pub message: Option<String>,
    /// The granted host calls: `*`, a prefix such as `kubernetes/*` or `oci/v1/*`, or the name of
    /// one.
    pub host_capabilities: Vec<String>,
    /// The kinds of objects that the policy may look up.
    pub context_aware_resources: Vec<Resource>,
    /// The time limit of a call. The host counts whole seconds and starts anywhere in the first, so
    /// that a limit of two seconds ends a call after one to two.
    pub timeout: Duration,
}

/// How a denial is handled.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Mode {
    /// The request is denied.
    Protect,
    /// The request is allowed and its object unchanged.
    Monitor,
}

/// A kind of object that a policy may look up.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Resource {
    /// The API version, such as `v1` or `apps/v1`.
    pub api_version: String,
    /// The kind, such as `Namespace`.
    pub kind: String,
}

impl Deployment {
    /// A policy without settings in protect mode that may neither change objects nor call the host,
    /// with a time limit of two seconds.
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

    /// Makes the settings an object and checks the deployment as the host does before it calls the
    /// module.
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

    /// The time limit in epochs, at least one, without which nothing would run.
    pub(crate) fn epochs(&self) -> u64 {
        let started = u64::from(self.timeout.subsec_nanos() > 0);
        self.timeout.as_secs().saturating_add(started).max(1)
    }

    /// Whether a host call such as `kubernetes/get_resource` is granted.
    pub(crate) fn grants_call(&self, call: &str) -> bool {
        self.host_capabilities.iter().any(|pattern| capability::grants(pattern, call))
    }

    /// Whether objects of a kind may be looked up.
    pub(crate) fn grants_resource(&self, api_version: &str, kind: &str) -> bool {
        self.context_aware_resources
            .iter()
            .any(|resource| resource.api_version == api_version && resource.kind == kind)
    }
}
