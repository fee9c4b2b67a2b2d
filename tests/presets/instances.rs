//! The policies that the chart deploys with a preset.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use admission::PolicyEntry;
use harness::Case;
use matching::{Decision, Webhook};
use serde_json::{Value, json};
use tests::root;

/// The label with the name of a Namespace, which the API server sets.
pub(crate) const NAME_LABEL: &str = "kubernetes.io/metadata.name";

pub(crate) fn parse_one(path: &Path) -> Value {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let documents: Vec<Value> =
        serde_saphyr::from_multiple(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    <[Value; 1]>::try_from(documents).map(|[document]| document).expect("one document")
}

/// Lays values over others as Helm does: maps are merged, null removes a key, all else is replaced.
pub(crate) fn lay_over(base: &mut Value, over: &Value) {
    match (base, over) {
        (Value::Object(base), Value::Object(over)) => {
            for (key, value) in over {
                if value.is_null() {
                    base.remove(key);
                } else {
                    lay_over(base.entry(key.clone()).or_insert_with(|| json!({})), value);
                }
            }
        }
        (base, over) => *base = over.clone(),
    }
}

pub(crate) fn texts(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str)
}

/// A policy of the chart, as it is deployed in `mode: protect`.
#[derive(Debug)]
pub(crate) struct Instance {
    pub(crate) name: String,
    module: String,
    pub(crate) settings: Value,
    /// Whether only the audit scanner uses it.
    audits: bool,
    /// The fields of its `spec` that follow from the settings.
    pub(crate) spec: Value,
    webhook: Webhook,
}

impl Instance {
    fn new(name: &str, module: &str, settings: Value, skipped: &BTreeSet<String>, audits: bool) -> Self {
        let policy = deployment::find(module).expect("a policy");
        let needs = if audits { policy.audit_needs(&settings) } else { Some(policy.needs(&settings)) };
        let needs = needs.unwrap_or_else(|| panic!("{name}: no instance for audits"));
        let spec = json!({
            "rules": needs.rules,
            "matchConditions": needs.match_conditions,
            "contextAwareResources": needs.context_aware_resources,
            "namespaceSelector": selector(skipped),
            "mutating": needs.mutating,
        });
        let webhook = Webhook::from_spec(&spec).unwrap_or_else(|error| panic!("{name}: {error}"));
        Self { name: name.to_owned(), module: module.to_owned(), settings, audits, spec, webhook }
    }

    pub(crate) fn entry(&self) -> &'static PolicyEntry {
        rules::CATALOG.iter().find(|entry| entry.id == self.module).expect("a module")
    }

    pub(crate) fn has_valid_settings(&self) -> bool {
        (self.entry().check_settings)(self.settings.to_string().as_bytes()).is_ok()
    }

    pub(crate) fn mutates(&self) -> bool {
        self.spec["mutating"] == true
    }

    /// Returns the same instance for all namespaces.
    pub(crate) fn everywhere(&self) -> Self {
        Self::new(&self.name, &self.module, self.settings.clone(), &BTreeSet::new(), self.audits)
    }

    /// Checks that a `ClusterAdmissionPolicy` has the settings, and the fields that follow from
    /// them.
    pub(crate) fn assert_is_in(&self, policy: &Value) {
        assert_eq!(policy["spec"]["settings"], self.settings, "{}", self.name);
        for (field, value) in self.spec.as_object().expect("fields") {
            let is_set = |value: &&Value| **value != json!([]) && **value != json!({});
            let found = policy["spec"].get(field).filter(is_set);
            assert_eq!(found, Some(value).filter(is_set), "{}: {field}", self.name);
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
            Decision::Unknown(reason) => panic!("{}: {}: {reason}", case.name, self.name),
            Decision::ConditionFailed(error) => panic!("{}: {}: {error}", case.name, self.name),
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
    let policies = values["policies"].as_object().expect("policies");
    let enabled = policies.iter().filter(|(_, policy)| policy["enabled"] == true);
    enabled.map(|(name, policy)| instance(values, name, policy)).collect()
}

/// Returns the instances that take part in admission, with their effective settings.
pub(crate) fn instances(values: &Value) -> Vec<Instance> {
    all_instances(values).into_iter().filter(|instance| !instance.audits).collect()
}

pub(crate) fn instance(values: &Value, name: &str, policy: &Value) -> Instance {
    let module = policy["module"].as_str().unwrap_or(name);
    let mut settings = match &values["settings"][module] {
        Value::Null => json!({}),
        shared => shared.clone(),
    };
    lay_over(&mut settings, &policy["settings"]);
    let mut skipped = BTreeSet::new();
    if deployment::find(module).expect("a policy").skips_infrastructure_namespaces() {
        let mut skip = |list: &Value| skipped.extend(texts(list).map(str::to_owned));
        skip(&values["skippedNamespaces"]);
        skip(&policy["skippedNamespaces"]);
        if values["skipInfrastructureNamespaces"] == true {
            skip(&values["infrastructureNamespaces"]);
        }
    }
    Instance::new(name, module, settings, &skipped, policy["audit"] == true)
}

pub(crate) fn default_values() -> Value {
    parse_one(&root().join("charts/portcullis/values.yaml"))
}

pub(crate) fn preset_of(system: &str) -> Value {
    parse_one(&root().join("charts/portcullis/presets").join(format!("{system}.yaml")))
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
