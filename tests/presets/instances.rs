//! The policies that the chart deploys with a preset.

use std::collections::BTreeSet;

use admission::PolicyEntry;
use kubewarden::matching::{Decision, Webhook};
use serde_json::{Value, json};
use suite::cases::Case;
use tests::chart::{Configured, configured, lay_over};
use tests::root;

use crate::files::parse_one;

/// The label with the name of a Namespace, which the API server sets.
pub(crate) const NAME_LABEL: &str = "kubernetes.io/metadata.name";

/// A policy of the chart, as it is deployed in `mode: protect`.
#[derive(Debug)]
pub(crate) struct Instance {
    configured: Configured,
    /// The fields of its `spec` that follow from the settings.
    pub(crate) spec: Value,
    webhook: Webhook,
}

impl Instance {
    fn new(configured: Configured) -> Self {
        let needs = configured.needs().unwrap_or_else(|| panic!("{}: no such instance", configured.name));
        let spec = json!({
            "rules": needs.rules,
            "matchConditions": needs.match_conditions,
            "contextAwareResources": needs.context_aware_resources,
            "namespaceSelector": selector(&configured.skipped_namespaces),
            "mutating": needs.mutating,
        });
        let webhook =
            Webhook::from_spec(&spec).unwrap_or_else(|error| panic!("{}: {error}", configured.name));
        Self { configured, spec, webhook }
    }

    pub(crate) fn name(&self) -> &str {
        &self.configured.name
    }

    pub(crate) fn settings(&self) -> &Value {
        &self.configured.settings
    }

    pub(crate) fn entry(&self) -> &'static PolicyEntry {
        rules::CATALOG.iter().find(|entry| entry.id == self.configured.id).expect("a module")
    }

    pub(crate) fn has_valid_settings(&self) -> bool {
        (self.entry().check_settings)(self.configured.settings.to_string().as_bytes()).is_ok()
    }

    pub(crate) fn mutates(&self) -> bool {
        self.spec["mutating"] == true
    }

    /// Returns the same instance for all namespaces.
    pub(crate) fn everywhere(&self) -> Self {
        Self::new(Configured { skipped_namespaces: BTreeSet::new(), ..self.configured.clone() })
    }

    /// Checks that a `ClusterAdmissionPolicy` has the settings, and the fields that follow from
    /// them.
    pub(crate) fn assert_is_in(&self, policy: &Value) {
        assert_eq!(policy["spec"]["settings"], self.configured.settings, "{}", self.configured.name);
        for (field, value) in self.spec.as_object().expect("fields") {
            let is_set = |value: &&Value| **value != json!([]) && **value != json!({});
            let found = policy["spec"].get(field).filter(is_set);
            assert_eq!(found, Some(value).filter(is_set), "{}: {field}", self.configured.name);
        }
    }

    /// Returns whether the API server sends the request to the instance.
    pub(crate) fn is_reached_by(&self, case: &Case) -> bool {
        let request = case.request_value();
        let namespace = request["namespace"].as_str().and_then(|name| {
            let is_named =
                |object: &&Value| object["kind"] == "Namespace" && object["metadata"]["name"] == name;
            case.cluster.objects.iter().find(is_named)
        });
        match self.webhook.decide(&request, namespace) {
            Decision::Called(_) => true,
            Decision::Unknown(reason) => panic!("{}: {}: {reason}", case.name, self.configured.name),
            Decision::ConditionFailed(error) => panic!("{}: {}: {error}", case.name, self.configured.name),
            _ => false,
        }
    }
}

pub(crate) fn selector(skipped: &BTreeSet<String>) -> Value {
    if skipped.is_empty() {
        return json!({});
    }
    json!({ "matchExpressions": [{ "key": NAME_LABEL, "operator": "NotIn", "values": skipped }] })
}

/// Returns the instances, with their effective settings.
pub(crate) fn all_instances(values: &Value) -> Vec<Instance> {
    configured(values).into_iter().map(Instance::new).collect()
}

/// Returns the instances that take part in admission, with their effective settings.
pub(crate) fn instances(values: &Value) -> Vec<Instance> {
    all_instances(values).into_iter().filter(|instance| !instance.configured.audits).collect()
}

pub(crate) fn default_values() -> Value {
    parse_one(&root().join("artifacthub/charts/portcullis/values.yaml"))
}

pub(crate) fn preset_of(system: &str) -> Value {
    parse_one(&root().join("artifacthub/charts/portcullis/presets").join(format!("{system}.yaml")))
}

/// Returns the default values of the chart with those of a preset.
pub(crate) fn values(system: &str) -> Value {
    let mut values = default_values();
    lay_over(&mut values, &preset_of(system));
    values
}

/// Returns the values at the end of the roll-out of `selinux`: the guard has the settings that all
/// instances share, without those of its first step.
pub(crate) fn rolled_out(values: &Value) -> Value {
    let mut values = values.clone();
    values["policies"]["selinux-guard"]["settings"] = json!({ "mode": "Validate" });
    values
}

pub(crate) fn everywhere(instances: &[Instance]) -> Vec<Instance> {
    instances.iter().map(Instance::everywhere).collect()
}
