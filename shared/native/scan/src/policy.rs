//! The policies of a scan.

use std::fmt;

use admission::{How, PolicyEntry};
use matching::Webhook;
use report::PolicyRef;
use serde_json::{Value, json};

/// A policy as it is deployed.
#[derive(Debug)]
pub struct Policy {
    /// Its name, kind and module in reports.
    pub reference: PolicyRef,
    /// The requests that it receives.
    pub webhook: Webhook,
    /// The settings: an object.
    pub settings: Value,
    /// What judges.
    pub engine: Engine,
    /// Whether it is called as a mutating webhook, so that it judges before the others.
    pub is_mutating: bool,
    /// Whether a request is rejected if the policy cannot be asked (`failurePolicy: Fail`).
    pub fails_closed: bool,
    /// The message that replaces that of the module.
    pub message: Option<String>,
    /// The kinds that it may look up: API version and kind.
    pub look_ups: Vec<(String, String)>,
    /// Whether it depends on the labels of Namespaces (`namespaceSelector`).
    pub selects_namespaces: bool,
}

/// What judges requests.
#[derive(Debug)]
pub enum Engine {
    /// A policy of Portcullis in this program.
    Native(&'static PolicyEntry),
    /// A module in the embedded host, deployed in protect mode without a message of its own.
    #[cfg(feature = "modules")]
    Module(Box<wapc_host::DeployedPolicy>),
    /// Nothing, for this reason: every object that the policy receives is unknown.
    Unavailable(String),
}

impl Policy {
    /// Returns one of the policies of Portcullis with settings, deployed in protect mode with the
    /// rules and conditions that these settings need; `None` if there is no policy with this id.
    #[must_use]
    pub fn of_id(id: &str, settings: &Value) -> Option<Self> {
        let entry = rules::find(id)?;
        let settings = if settings.is_null() { json!({}) } else { settings.clone() };
        let needs = deployment::find(id)?.needs(&settings);
        let spec = json!({ "rules": needs.rules, "matchConditions": needs.match_conditions });
        let resources = needs.context_aware_resources.into_iter();
        let mut policy = Self {
            reference: PolicyRef {
                name: id.to_owned(),
                module: id.to_owned(),
                protects: true,
                ..PolicyRef::default()
            },
            webhook: Webhook::from_spec(&spec).ok()?,
            settings,
            engine: Engine::Native(entry),
            is_mutating: needs.mutating,
            fails_closed: true,
            message: None,
            look_ups: resources.map(|resource| (resource.api_version, resource.kind)).collect(),
            selects_namespaces: false,
        };
        policy.check_settings();
        Some(policy)
    }

    /// Makes the policy unavailable if its module rejects the settings.
    pub fn check_settings(&mut self) {
        let Engine::Native(entry) = &self.engine else { return };
        if let Err(error) = (entry.check_settings)(self.settings.to_string().as_bytes()) {
            self.engine = Engine::Unavailable(format!("the settings are not valid: {error}"));
        }
    }

    /// Returns whether the policy can ask for permissions of users.
    pub(crate) fn asks_permissions(&self) -> bool {
        match &self.engine {
            Engine::Native(entry) => entry.reads.ask(How::CanI),
            #[cfg(feature = "modules")]
            Engine::Module(_) => true,
            Engine::Unavailable(_) => false,
        }
    }

    /// Returns the key by which the API server sorts: mutating configurations before validating
    /// ones, each by the name that Kubewarden's controller gives.
    pub(crate) fn order(&self) -> (bool, String) {
        let PolicyRef { name, kind, namespace, .. } = &self.reference;
        let group = if kind.ends_with("Group") { "group-" } else { "" };
        let configuration = match namespace {
            Some(namespace) => format!("namespaced-{group}{namespace}-{name}"),
            None => format!("clusterwide-{group}{name}"),
        };
        (!self.is_mutating, configuration)
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reference.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_of_portcullis_has_its_needs() {
        let policy = Policy::of_id("selinux", &Value::Null).unwrap();
        assert!(policy.is_mutating && matches!(policy.engine, Engine::Native(_)));
        assert!(policy.look_ups.contains(&("v1".to_owned(), "Namespace".to_owned())));
        assert!(Policy::of_id("selinux", &json!({ "mode": "Mutated" })).is_some_and(
            |policy| matches!(&policy.engine, Engine::Unavailable(reason) if reason.contains("did you mean Mutate?"))
        ));
        assert!(Policy::of_id("other", &Value::Null).is_none());
    }

    #[test]
    fn mutating_policies_come_first_then_names_of_configurations_count() {
        let policy = |name: &str, namespace: Option<&str>, is_mutating| {
            let mut policy = Policy::of_id("pod-security", &Value::Null).unwrap();
            policy.reference.name = name.to_owned();
            policy.reference.namespace = namespace.map(str::to_owned);
            Policy { is_mutating, ..policy }
        };
        let mut policies =
            [policy("b", None, false), policy("a", Some("n"), true), policy("a", None, false), policy("z", None, true)];
        policies.sort_by_key(Policy::order);
        let names: Vec<String> = policies.iter().map(|policy| policy.order().1).collect();
        assert_eq!(names, ["clusterwide-z", "namespaced-n-a", "clusterwide-a", "clusterwide-b"]);
    }
}
