//! Expressions in CEL: `validate.cel`, and `ValidatingPolicy`.
//!
//! Source: `pkg/cel/autogen` and `pkg/cel/policies/vpol` of kyverno/kyverno at 111e07b.

use std::collections::BTreeMap;

use matching::{Condition, Variables};
use serde_json::{Value, json};

use super::matching::is_selected;
use super::{Known, list, stated, text};
use crate::{Namespaces, Object};

/// The resources for which Kyverno derives policies.
const CONTROLLERS: [&str; 6] =
    ["daemonsets", "deployments", "replicasets", "statefulsets", "jobs", "cronjobs"];

/// Returns the first expression that is false for an object. `is_derived` says that the object is
/// the pod of a template, for which Kyverno rewrites the expressions.
///
/// # Errors
/// An expression that has no value, or one that depends on more than the object.
pub(super) fn violated(
    variables: &Value,
    validations: &Value,
    object: &Value,
    is_derived: bool,
) -> Known<Option<String>> {
    let mut known: Vec<(String, String)> = Vec::new();
    for variable in list(variables, "") {
        let expression = inlined(text(variable, "/expression"), &known);
        known.push((format!("variables.{}", text(variable, "/name")), format!("({expression})")));
    }
    let request = json!({ "operation": "CREATE", "object": object });
    for (index, validation) in list(validations, "").enumerate() {
        let expression = inlined(text(validation, "/expression"), &known);
        if ["request.", "oldObject", "namespaceObject"].iter().any(|name| expression.contains(name)) {
            return Err(format!(
                "expression {index} reads more than the object, which --check does not support"
            ));
        }
        if is_derived && expression.contains("metadata.namespace") {
            return Err(format!(
                "expression {index} reads a namespace, which --check does not support for workloads"
            ));
        }
        let problem = |error: &dyn std::fmt::Display| format!("expression {index}: {error}");
        let condition = Condition::compile("validation", &expression).map_err(|error| problem(&error))?;
        if !condition.holds(&Variables::of(&request)).map_err(|error| problem(&error))? {
            return Ok(Some(format!("expression {index} is false")));
        }
    }
    Ok(None)
}

/// Replaces variables by their expressions.
fn inlined(expression: &str, variables: &[(String, String)]) -> String {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut text = expression.to_owned();
    for (name, value) in variables {
        let mut parts = text.split(name.as_str());
        let mut replaced = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            // A longer name begins with this one.
            replaced.push_str(if part.starts_with(is_of_name) { name } else { value });
            replaced.push_str(part);
        }
        text = replaced;
    }
    text
}

/// The violation of a `ValidatingPolicy` by an object.
///
/// # Errors
/// A field that the model does not evaluate.
pub(super) fn judge(
    policy: &Value,
    exceptions: &[Value],
    object: &Object,
    namespaces: &Namespaces,
) -> Known<Option<String>> {
    let spec = policy.get("spec").unwrap_or(&Value::Null);
    if spec.pointer("/evaluation/admission/enabled") == Some(&Value::Bool(false)) {
        return Ok(None);
    }
    let Some(is_derived) = matches(spec, object, namespaces)? else { return Ok(None) };
    for key in
        ["/matchConditions", "/matchConstraints/excludeResourceRules", "/matchConstraints/objectSelector"]
    {
        if spec.pointer(key).is_some_and(stated) {
            return Err(format!("spec{}, which --check does not support", key.replace('/', ".")));
        }
    }
    for exception in exceptions {
        let is_named = list(exception, "/spec/policyRefs").any(|reference| {
            text(reference, "/name") == text(policy, "/metadata/name")
                && text(reference, "/kind") == text(policy, "/kind")
        });
        if is_named {
            let name = text(exception, "/metadata/name");
            return Err(format!("PolicyException {name} is written in CEL, which --check does not support"));
        }
    }
    let target = super::requested(object, is_derived);
    let of = |key: &str| spec.get(key).cloned().unwrap_or_default();
    violated(&of("variables"), &of("validations"), &target, is_derived)
}

/// Whether a policy judges the creation of an object: `Some(true)` as a derived policy.
fn matches(spec: &Value, object: &Object, namespaces: &Namespaces) -> Known<Option<bool>> {
    let (group, version, resource) = object.resource();
    let resource = resource.as_str();
    let rules: Vec<&Value> = list(spec, "/matchConstraints/resourceRules").collect();
    let names =
        |rule: &Value, key: &str, name: &str| list(rule, key).any(|known| known == name || known == "*");
    let creates = |rule: &&Value| names(rule, "/operations", "CREATE");
    let is_named = rules.iter().filter(|rule| creates(rule)).any(|rule| {
        names(rule, "/apiGroups", group)
            && names(rule, "/apiVersions", version)
            && names(rule, "/resources", resource)
    });
    let only = |rule: &Value, key: &str, name: &str| list(rule, key).collect::<Vec<_>>() == [name];
    let derives = match rules.as_slice() {
        [rule] => {
            creates(rule)
                && only(rule, "/apiGroups", "")
                && only(rule, "/apiVersions", "v1")
                && only(rule, "/resources", "pods")
        }
        _ => false,
    };
    let chosen = spec.pointer("/autogen/podControllers/controllers");
    let is_chosen = CONTROLLERS.contains(&resource)
        && chosen.is_none_or(|chosen| list(chosen, "").any(|controller| controller == resource));
    let is_derived = match (is_named, derives && is_chosen) {
        (true, _) => false,
        (false, true) => true,
        (false, false) => return Ok(None),
    };
    if rules.iter().any(|rule| rule.get("resourceNames").is_some_and(stated)) {
        return Err("resourceNames, which --check does not support".to_owned());
    }
    if let Some(selector) = spec.pointer("/matchConstraints/namespaceSelector").filter(|value| stated(value))
    {
        let name = object.namespace();
        let labels = namespaces.labels(name);
        let labels: &BTreeMap<String, String> =
            labels.ok_or_else(|| format!("the labels of Namespace {name} are not in the input"))?;
        if !is_selected(labels, selector)? {
            return Ok(None);
        }
    }
    Ok(Some(is_derived))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(spec: &Value) -> Value {
        let mut whole = json!({
            "matchConstraints": { "resourceRules": [
                { "apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"] },
            ] },
            "variables": [
                { "name": "all", "expression": "object.spec.containers" },
                { "name": "allBad", "expression": "variables.all.exists(c, c.name == 'bad')" },
            ],
            "validations": [{ "expression": "size(variables.all) < 3" }, { "expression": "!variables.allBad" }],
        });
        for (key, value) in spec.as_object().unwrap() {
            whole[key] = value.clone();
        }
        json!({ "kind": "ValidatingPolicy", "metadata": { "name": "p" }, "spec": whole })
    }

    fn object(kind: &str, names: &[&str]) -> Object {
        let containers: Vec<Value> = names.iter().map(|name| json!({ "name": name })).collect();
        let pod = json!({ "containers": containers });
        let value = match kind {
            "Pod" => json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "o" }, "spec": pod }),
            "CronJob" => {
                let spec = json!({ "jobTemplate": { "spec": { "template": { "spec": pod } } } });
                json!({ "apiVersion": "batch/v1", "kind": kind, "metadata": { "name": "o" }, "spec": spec })
            }
            _ => {
                let spec = json!({ "template": { "spec": pod } });
                json!({ "apiVersion": "apps/v1", "kind": kind, "metadata": { "name": "o" }, "spec": spec })
            }
        };
        Object { place: "o.yaml:1".to_owned(), value }
    }

    fn verdict(spec: &Value, kind: &str, names: &[&str]) -> Known<Option<String>> {
        judge(&policy(spec), &[], &object(kind, names), &Namespaces::default())
    }

    #[test]
    fn expressions_are_evaluated_with_variables_for_pods_and_templates() {
        for kind in ["Pod", "Deployment", "CronJob"] {
            for (names, want) in [
                (vec!["good"], None),
                (vec!["bad"], Some("expression 1 is false")),
                (vec!["a", "b", "c"], Some("expression 0 is false")),
            ] {
                assert_eq!(
                    verdict(&json!({}), kind, &names),
                    Ok(want.map(str::to_owned)),
                    "{kind} {names:?}"
                );
            }
        }
    }

    #[test]
    fn constraints_decide_what_is_judged() {
        let rules = |operation: &str, group: &str, resource: &str| {
            let rule = json!({ "apiGroups": [group], "apiVersions": ["v1"], "operations": [operation], "resources": [resource] });
            json!({ "matchConstraints": { "resourceRules": [rule] } })
        };
        let controllers = json!({ "autogen": { "podControllers": { "controllers": ["cronjobs"] } } });
        for (spec, kind, is_judged) in [
            (rules("UPDATE", "", "pods"), "Pod", false),
            (rules("*", "*", "*"), "Pod", true),
            (rules("CREATE", "apps", "pods"), "Pod", false),
            (rules("CREATE", "", "services"), "Pod", false),
            (rules("CREATE", "*", "pods"), "Deployment", false),
            (rules("UPDATE", "", "pods"), "Deployment", false),
            (controllers.clone(), "CronJob", true),
            (controllers, "Deployment", false),
            (json!({ "evaluation": { "admission": { "enabled": false } } }), "Pod", false),
        ] {
            assert_eq!(
                verdict(&spec, kind, &["bad"]).map(|found| found.is_some()),
                Ok(is_judged),
                "{spec} {kind}"
            );
        }
    }

    #[test]
    fn what_is_not_evaluated_is_unknown() {
        let of = |expression: &str| json!({ "validations": [{ "expression": expression }] });
        for (spec, kind) in [
            (json!({ "matchConditions": [{ "name": "c", "expression": "false" }] }), "Pod"),
            (of("object.spec.none"), "Pod"),
            (of("request.operation == 'CREATE'"), "Pod"),
            (of("object.metadata.namespace == 'a'"), "Deployment"),
            (of("http.Get('a') == 1"), "Pod"),
            (of("1 +"), "Pod"),
        ] {
            assert!(verdict(&spec, kind, &["bad"]).is_err(), "{spec}");
        }
        let exception = json!({ "spec": { "policyRefs": [{ "name": "p", "kind": "ValidatingPolicy" }] } });
        let judged =
            judge(&policy(&json!({})), &[exception], &object("Pod", &["bad"]), &Namespaces::default());
        assert!(judged.is_err());
    }
}
