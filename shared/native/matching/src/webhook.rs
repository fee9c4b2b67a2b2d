//! The decision whether a request reaches a webhook.

use std::fmt;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::condition::{Condition, ConditionError, Variables};
use crate::rule::{Rule, Target};
use crate::selector::{LabelSelector, labels};

/// The requests that a policy receives.
#[derive(Debug)]
pub struct Webhook {
    rules: Vec<Rule>,
    namespace_selector: LabelSelector,
    object_selector: LabelSelector,
    conditions: Vec<Condition>,
}

/// The decision about a request before the webhook is called.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Decision {
    /// The webhook is called.
    Called,
    /// No rule matches.
    NoRuleMatches,
    /// The labels of the Namespace are not selected.
    NamespaceIsNotSelected,
    /// Neither the object nor the old object is selected.
    ObjectIsNotSelected,
    /// The condition with this name is false.
    ConditionIsFalse(String),
    /// A condition is an error, and none is false. The request is rejected with `failurePolicy:
    /// Fail`, and the webhook is not called with `Ignore`.
    ConditionFailed(ConditionError),
}

/// The reason why the specification of a policy is not one.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct InvalidWebhook(String);

impl fmt::Display for InvalidWebhook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InvalidWebhook {}

/// The fields of the specification that this crate reads.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Spec {
    rules: Vec<Rule>,
    #[serde(default)]
    namespace_selector: Option<LabelSelector>,
    #[serde(default)]
    object_selector: Option<LabelSelector>,
    #[serde(default)]
    match_conditions: Option<Vec<NamedExpression>>,
}

#[derive(Deserialize)]
struct NamedExpression {
    name: String,
    expression: String,
}

impl Webhook {
    /// Reads the `spec` of a policy: `rules`, `namespaceSelector`, `objectSelector` and
    /// `matchConditions`.
    ///
    /// # Errors
    /// A field that is missing or malformed, with its path, and an expression that is not CEL.
    pub fn from_spec(spec: &Value) -> Result<Self, InvalidWebhook> {
        let spec: Spec = serde_path_to_error::deserialize(spec)
            .map_err(|error| InvalidWebhook(format!("spec.{}: {}", error.path(), error.inner())))?;
        let conditions = spec.match_conditions.unwrap_or_default();
        let conditions = conditions.iter().map(|one| Condition::compile(&one.name, &one.expression));
        Ok(Self {
            rules: spec.rules,
            namespace_selector: spec.namespace_selector.unwrap_or_default(),
            object_selector: spec.object_selector.unwrap_or_default(),
            conditions: conditions
                .collect::<Result<_, _>>()
                .map_err(|error| InvalidWebhook(format!("spec.matchConditions: {error}")))?,
        })
    }

    /// Returns whether the API server calls the webhook for an `AdmissionRequest`. `namespace` is
    /// the stored Namespace of a namespaced object; `None` stands for one without labels.
    #[must_use]
    pub fn decide(&self, request: &Value, namespace: Option<&Value>) -> Decision {
        let target = Target::of(request);
        if !self.rules.iter().any(|rule| rule.matches(&target)) {
            return Decision::NoRuleMatches;
        }
        if !self.selects_namespace(&target, request, namespace) {
            return Decision::NamespaceIsNotSelected;
        }
        let selects =
            |name| request.get(name).is_some_and(|object| self.object_selector.selects(labels(object)));
        if !self.object_selector.is_empty() && !selects("object") && !selects("oldObject") {
            return Decision::ObjectIsNotSelected;
        }
        self.evaluate_conditions(request)
    }

    /// One condition that is false outweighs others that are errors.
    fn evaluate_conditions(&self, request: &Value) -> Decision {
        if self.conditions.is_empty() {
            return Decision::Called;
        }
        let variables = Variables::of(request);
        let mut failed = None;
        for condition in &self.conditions {
            match condition.holds(&variables) {
                Ok(true) => {}
                Ok(false) => return Decision::ConditionIsFalse(condition.name().to_owned()),
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        failed.map_or(Decision::Called, Decision::ConditionFailed)
    }

    fn selects_namespace(&self, target: &Target<'_>, request: &Value, stored: Option<&Value>) -> bool {
        if self.namespace_selector.is_empty() {
            return true;
        }
        let selects = |labels: Option<&Map<String, Value>>| self.namespace_selector.selects(labels);
        let is_written = ["CREATE", "UPDATE"].contains(&target.operation);
        if target.resource == "namespaces" && target.subresource.is_empty() && is_written {
            // The labels that the Namespace would have.
            return selects(request.get("object").and_then(labels));
        }
        // A cluster-scoped object other than a Namespace is never left out.
        target.namespace.is_empty() && target.resource != "namespaces" || selects(stored.and_then(labels))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn webhook(fields: &Value) -> Webhook {
        let mut spec = json!({
            "rules": [{ "apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*", "*/*"], "operations": ["*"] }],
        });
        spec.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        Webhook::from_spec(&spec).unwrap()
    }

    fn request(resource: &str, namespace: &str, fields: &Value) -> Value {
        let mut request = json!({
            "operation": "UPDATE",
            "resource": { "group": "", "version": "v1", "resource": resource },
            "namespace": namespace,
        });
        request.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        request
    }

    fn labelled(stage: &str) -> Value {
        json!({ "metadata": { "labels": { "stage": stage } } })
    }

    #[test]
    fn namespaces_are_selected_by_their_own_labels() {
        let webhook = webhook(&json!({ "namespaceSelector": { "matchLabels": { "stage": "test" } } }));
        let of_pod = request("pods", "shop", &json!({}));
        assert_eq!(webhook.decide(&of_pod, Some(&labelled("test"))), Decision::Called);
        assert_eq!(webhook.decide(&of_pod, Some(&labelled("live"))), Decision::NamespaceIsNotSelected);
        assert_eq!(webhook.decide(&of_pod, None), Decision::NamespaceIsNotSelected);
        // Nodes have no namespace.
        assert_eq!(webhook.decide(&request("nodes", "", &json!({})), None), Decision::Called);
        // A written Namespace counts with its new labels, one whose status is written with the
        // stored ones.
        let namespace = request("namespaces", "shop", &json!({ "object": labelled("test") }));
        assert_eq!(webhook.decide(&namespace, Some(&labelled("live"))), Decision::Called);
        let status =
            request("namespaces", "shop", &json!({ "object": labelled("test"), "subResource": "status" }));
        assert_eq!(webhook.decide(&status, Some(&labelled("live"))), Decision::NamespaceIsNotSelected);
    }

    #[test]
    fn an_object_is_selected_by_its_new_or_its_old_labels() {
        let webhook = webhook(&json!({ "objectSelector": { "matchLabels": { "stage": "test" } } }));
        for (fields, want) in [
            (json!({ "object": labelled("test"), "oldObject": labelled("live") }), Decision::Called),
            (json!({ "object": labelled("live"), "oldObject": labelled("test") }), Decision::Called),
            (
                json!({ "object": labelled("live"), "oldObject": labelled("live") }),
                Decision::ObjectIsNotSelected,
            ),
            (json!({ "oldObject": labelled("test") }), Decision::Called),
            (json!({}), Decision::ObjectIsNotSelected),
        ] {
            assert_eq!(webhook.decide(&request("pods", "shop", &fields), None), want, "{fields}");
        }
    }

    #[test]
    fn a_false_condition_outweighs_an_error() {
        let conditions = |expressions: &[&str]| -> Value {
            let named = expressions
                .iter()
                .enumerate()
                .map(|(at, one)| json!({ "name": format!("c{at}"), "expression": one }));
            json!({ "matchConditions": named.collect::<Vec<_>>() })
        };
        let decide = |expressions: &[&str]| {
            webhook(&conditions(expressions)).decide(&request("pods", "shop", &json!({ "object": {} })), None)
        };
        assert_eq!(decide(&["true", "true"]), Decision::Called);
        assert_eq!(decide(&["object.x == 1", "false"]), Decision::ConditionIsFalse("c1".to_owned()));
        assert!(matches!(decide(&["true", "object.x == 1"]), Decision::ConditionFailed(_)));
    }

    #[test]
    fn malformed_specifications_are_refused_with_their_path() {
        for (spec, want) in [
            (json!({}), "missing field `rules`"),
            (json!({ "rules": [{ "apiGroups": "" }] }), "rules[0]"),
            (json!({ "rules": [], "namespaceSelector": { "matchLabel": {} } }), "namespaceSelector"),
            (
                json!({ "rules": [], "matchConditions": [{ "name": "a", "expression": "(" }] }),
                "match condition a",
            ),
        ] {
            let error = Webhook::from_spec(&spec).unwrap_err().to_string();
            assert!(error.contains(want), "{error}");
        }
    }
}
