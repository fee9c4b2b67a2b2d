//! The instances of policies that values of the Helm chart deploy.

use std::collections::BTreeSet;

use kubewarden::deployment::Needs;
use serde_json::{Value, json};

/// An instance of a policy in the values of the chart, with what it gets from all values.
#[derive(Clone, Debug)]
pub struct Configured {
    /// The name.
    pub name: String,
    /// The id of the policy.
    pub id: String,
    /// The settings: those that all instances of the policy share, below those of the instance.
    pub settings: Value,
    /// The namespaces that the instance leaves out.
    pub skipped_namespaces: BTreeSet<String>,
    /// Whether only the audit scanner uses the instance.
    pub audits: bool,
}

impl Configured {
    /// Reads an instance of the values.
    #[must_use]
    pub fn of(values: &Value, name: &str, instance: &Value) -> Self {
        let id = instance["module"].as_str().unwrap_or(name).to_owned();
        let mut settings = values["settings"].get(&id).cloned().unwrap_or_else(|| json!({}));
        lay_over(&mut settings, &instance["settings"]);
        let mut skipped_namespaces = BTreeSet::new();
        if kubewarden::deployment::find(&id)
            .is_some_and(kubewarden::deployment::Deployment::skips_infrastructure_namespaces)
        {
            let mut skip = |list: &Value| skipped_namespaces.extend(texts(list).map(str::to_owned));
            skip(&values["skippedNamespaces"]);
            skip(&instance["skippedNamespaces"]);
            skip(&values["global"]["skipNamespaces"]);
            if values["skipInfrastructureNamespaces"] == true {
                skip(&values["infrastructureNamespaces"]);
            }
        }
        let audits = instance["audit"] == true;
        Self { name: name.to_owned(), id, settings, skipped_namespaces, audits }
    }

    /// Returns the needs of the instance; `None` if the policy does not exist or cannot be audited.
    #[must_use]
    pub fn needs(&self) -> Option<Needs> {
        let policy = kubewarden::deployment::find(&self.id)?;
        if self.audits { policy.audit_needs(&self.settings) } else { Some(policy.needs(&self.settings)) }
    }

    /// Returns the needs of the instance in a manifest, whose settings can be edited alone.
    #[must_use]
    pub fn manifest_needs(&self) -> Option<Needs> {
        if self.audits {
            return self.needs();
        }
        Some(kubewarden::deployment::find(&self.id)?.manifest_needs(&self.settings))
    }
}

/// Returns the instances that are enabled in values.
#[must_use]
pub fn configured(values: &Value) -> Vec<Configured> {
    let instances = values["policies"].as_object().into_iter().flatten();
    let enabled = instances.filter(|(_, instance)| instance["enabled"] == true);
    enabled.map(|(name, instance)| Configured::of(values, name, instance)).collect()
}

/// Lays values over others as Helm does, which is a merge patch (RFC 7386): maps are merged, null
/// removes a key, all else is replaced.
pub use json_patch::merge as lay_over;

/// Returns the strings of a list; none of another value.
pub fn texts(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str)
}
