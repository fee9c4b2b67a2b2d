//! The checks that decide whether a request reaches a webhook, in their order.

use kubernetes::kinds::Kinds;
use serde_json::Value;

use crate::matching::condition::Variables;
use crate::matching::decision::{Match, Reason};
use crate::matching::made_up::Variants;
use crate::matching::never_sent::is_never_sent;
use crate::matching::selector::Selection;
use crate::matching::webhook::{Hit, Webhook, evaluate};
use crate::rule::Target;

/// A check of a request.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Check {
    /// The subject of a check.
    pub subject: CheckSubject,
    /// The result.
    pub result: CheckResult,
    /// The fact that decides, without a final period. Empty if the check is not reached.
    pub message: String,
}

/// The subject of a check.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum CheckSubject {
    /// The resources of `rules`.
    Resource,
    /// The operations of the rules about the resource.
    Operation,
    /// `namespaceSelector`.
    Namespace,
    /// `objectSelector`.
    Object,
    /// The match condition with this name.
    Condition(String),
}

/// The result of a check.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum CheckResult {
    /// The webhook may receive the request.
    Met,
    /// The webhook does not receive the request.
    NotMet,
    /// A condition is an error, so that the failure policy decides.
    Failed,
    /// The result on an API server is not known.
    Unknown,
    /// An earlier check decided.
    NotReached,
}

const OPERATIONS: [&str; 4] = ["CREATE", "UPDATE", "DELETE", "CONNECT"];

impl Webhook {
    /// Returns the checks by which [`Webhook::decide_with`] decides, in their order, or
    /// [`Webhook::decide_unstored`].
    #[must_use]
    pub fn checks(
        &self,
        kinds: &Kinds,
        request: &Value,
        namespace: Option<&Value>,
        is_unstored: bool,
    ) -> Vec<Check> {
        let mut checks = Checks::default();
        let target = Target::of(request);
        let found = self.hit(kinds, &target);
        self.check_rules(kinds, request, &target, &mut checks);
        checks.add(CheckSubject::Namespace, || self.check_namespace(&target, request, namespace));
        if self.has_object_selector() {
            checks.add(CheckSubject::Object, || match self.select_object(request, is_unstored) {
                Selection::Selected => {
                    (CheckResult::Met, "an object of the request meets spec.objectSelector".to_owned())
                }
                Selection::Left(requirement) => (
                    CheckResult::NotMet,
                    format!("neither the object nor the old object meets spec.objectSelector: {requirement}"),
                ),
                Selection::Unknown(requirement) => {
                    (CheckResult::Unknown, Reason::Label(requirement).to_string())
                }
            });
        }
        let found = found.map_or_else(|| Ok(Match::default()), Hit::found);
        // A conversion that is not known leaves no request to evaluate conditions for.
        checks.is_decided |= found.is_err();
        let found = found.unwrap_or_default();
        self.check_conditions(&found, request, is_unstored, &mut checks);
        checks.list
    }

    fn check_rules(&self, kinds: &Kinds, request: &Value, target: &Target<'_>, checks: &mut Checks) {
        let slash = if target.subresource.is_empty() { "" } else { "/" };
        let resource = format!("{}{slash}{}", target.resource, target.subresource);
        let group = if target.group.is_empty() { "the core group" } else { target.group };
        checks.add(CheckSubject::Resource, || {
            if is_never_sent(request) {
                return (CheckResult::NotMet, "API servers never send this kind to webhooks".to_owned());
            }
            let of = |operation| self.hit(kinds, &Target { operation, ..*target }).is_some();
            if OPERATIONS.into_iter().any(of) {
                (CheckResult::Met, format!("spec.rules has {resource} of {group}"))
            } else {
                let version = target.version;
                (CheckResult::NotMet, format!("no rule in spec.rules has {resource} of {group}, {version}"))
            }
        });
        checks.add(CheckSubject::Operation, || {
            let operation = target.operation;
            match self.hit(kinds, target).map(Hit::found) {
                Some(Ok(Match { rule, .. })) => {
                    (CheckResult::Met, format!("spec.rules[{rule}] has {operation} of {resource}"))
                }
                Some(Err(reason)) => (CheckResult::Unknown, reason.to_string()),
                None => (CheckResult::NotMet, format!("no rule in spec.rules has {operation} of {resource}")),
            }
        });
    }

    fn check_namespace(
        &self,
        target: &Target<'_>,
        request: &Value,
        namespace: Option<&Value>,
    ) -> (CheckResult, String) {
        if self.is_admitted(target) {
            let namespace = target.namespace;
            return (CheckResult::NotMet, format!("the policy server admits all requests in {namespace}"));
        }
        let result = self.select_namespace(target, request, namespace);
        match result {
            Selection::Selected if !self.has_namespace_selector() => {
                (CheckResult::Met, "the policy has no spec.namespaceSelector".to_owned())
            }
            Selection::Selected if target.namespace.is_empty() => (
                CheckResult::Met,
                "spec.namespaceSelector does not apply to cluster-scoped objects".to_owned(),
            ),
            Selection::Selected => {
                (CheckResult::Met, format!("{} meets spec.namespaceSelector", target.namespace))
            }
            Selection::Left(requirement) => (
                CheckResult::NotMet,
                format!("{} does not meet spec.namespaceSelector: {requirement}", target.namespace),
            ),
            Selection::Unknown(requirement) => {
                (CheckResult::Unknown, Reason::Namespace(requirement).to_string())
            }
        }
    }

    fn check_conditions(&self, found: &Match, request: &Value, is_unstored: bool, checks: &mut Checks) {
        let sent = found.sent(request);
        let variables = Variables::of(&sent);
        let other = is_unstored.then(|| Variants::of(&sent));
        for condition in self.conditions() {
            checks.add(CheckSubject::Condition(condition.name().to_owned()), || {
                match evaluate(condition, &variables, other.as_ref()) {
                    Ok(true) => {
                        (CheckResult::Met, format!("the match condition {} is true", condition.name()))
                    }
                    Ok(false) => {
                        (CheckResult::NotMet, format!("the match condition {} is false", condition.name()))
                    }
                    Err(error) if error.is_unknown => (CheckResult::Unknown, error.to_string()),
                    Err(error) => (CheckResult::Failed, error.to_string()),
                }
            });
        }
    }
}

/// Checks, of which none is reached behind one that is not met.
#[derive(Default)]
struct Checks {
    list: Vec<Check>,
    is_decided: bool,
}

impl Checks {
    fn add(&mut self, subject: CheckSubject, check: impl FnOnce() -> (CheckResult, String)) {
        let (result, message) =
            if self.is_decided { (CheckResult::NotReached, String::new()) } else { check() };
        self.is_decided |= result == CheckResult::NotMet;
        self.list.push(Check { subject, result, message });
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn results(request: &Value, namespace: Option<&Value>) -> Vec<(CheckSubject, CheckResult)> {
        let webhook = Webhook::from_spec(&json!({
            "rules": [{ "apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"], "operations": ["CREATE"] }],
            "namespaceSelector": { "matchLabels": { "a": "b" } },
            "objectSelector": { "matchLabels": { "c": "d" } },
            "matchConditions": [
                { "name": "fails", "expression": "object.spec.x == 1" },
                { "name": "by-a-node", "expression": "request.userInfo.username.startsWith('system:node:')" },
                { "name": "last", "expression": "true" },
            ],
        }));
        let webhook = webhook.unwrap();
        let checks = webhook.checks(&Kinds::default(), request, namespace, false);
        // The checks say what the decision is.
        let decision = webhook.decide(request, namespace);
        let is_met = checks.iter().all(|check| check.result == CheckResult::Met);
        assert_eq!(decision.is_called(), is_met, "{decision:?}");
        let is_left = checks.iter().any(|check| check.result == CheckResult::NotMet);
        assert!(!is_left || checks.iter().all(|check| check.result != CheckResult::Unknown) || !is_met);
        checks.into_iter().map(|check| (check.subject, check.result)).collect()
    }

    fn request(resource: &str, operation: &str, user: &str, labels: &Value) -> Value {
        json!({
            "operation": operation,
            "resource": { "group": "", "version": "v1", "resource": resource },
            "namespace": "shop",
            "userInfo": { "username": user },
            "object": { "metadata": { "labels": labels }, "spec": { "x": 1 } },
        })
    }

    /// A check is met (`+`), not met (`-`), not reached (`.`) or unknown (`?`).
    #[test]
    fn the_first_check_that_is_not_met_decides() {
        let labelled = json!({ "metadata": { "labels": { "a": "b" } } });
        let other = json!({ "metadata": { "labels": {} } });
        let (labels, none) = (json!({ "c": "d" }), json!({}));
        for (resource, operation, user, labels, namespace, want) in [
            ("pods", "CREATE", "system:node:a", &labels, Some(&labelled), "+++++++"),
            ("services", "CREATE", "a", &labels, Some(&labelled), "-......"),
            ("pods", "DELETE", "a", &labels, Some(&labelled), "+-....."),
            ("pods", "CREATE", "a", &labels, Some(&other), "++-...."),
            ("pods", "CREATE", "a", &none, Some(&labelled), "+++-..."),
            ("pods", "CREATE", "a", &labels, Some(&labelled), "+++++-."),
            ("pods", "CREATE", "system:node:a", &labels, None, "++?++++"),
        ] {
            let request = request(resource, operation, user, labels);
            let found = results(&request, namespace).into_iter().map(|(_, result)| match result {
                CheckResult::Met => '+',
                CheckResult::NotMet => '-',
                CheckResult::NotReached => '.',
                CheckResult::Unknown => '?',
                CheckResult::Failed => '!',
            });
            assert_eq!(found.collect::<String>(), want, "{request}");
        }
    }

    #[test]
    fn a_condition_that_is_an_error_fails_and_the_next_ones_are_evaluated() {
        let labelled = json!({ "metadata": { "labels": { "a": "b" } } });
        let mut request = request("pods", "CREATE", "a", &json!({ "c": "d" }));
        request["object"]["spec"] = json!({});
        let found = results(&request, Some(&labelled));
        assert_eq!(found[4], (CheckSubject::Condition("fails".to_owned()), CheckResult::Failed));
        assert_eq!(found[5], (CheckSubject::Condition("by-a-node".to_owned()), CheckResult::NotMet));
    }
}
