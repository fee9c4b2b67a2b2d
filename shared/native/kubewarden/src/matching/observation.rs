//! The values of all rules, selectors and conditions of a webhook for a request, for the coverage
//! of tests. A decision names only the first that decides.

use kubernetes::kinds::Kinds;
use serde_json::Value;

use crate::matching::condition::Variables;
use crate::matching::decision::Match;
use crate::matching::never_sent::is_never_sent;
use crate::matching::selector::Selection;
use crate::matching::webhook::Webhook;
use crate::rule::{RuleWithOperations, Target};

/// The values of the parts of a webhook for a request; `None` for parts that the request does not
/// reach, and for unknown values.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Observation {
    /// Whether each rule matches.
    pub rules: Vec<Option<bool>>,
    /// Whether the namespaceSelector selects; not present if the manifest has none.
    pub namespace_selector: Option<Option<bool>>,
    /// Whether the objectSelector selects; not present without a selector.
    pub object_selector: Option<Option<bool>>,
    /// Whether each condition holds, by name.
    pub conditions: Vec<(String, Option<bool>)>,
}

impl Webhook {
    /// Observes a request. Selectors are reached by requests that a rule matches, and conditions by
    /// those that the selectors select, too. `namespace` is as for [`Webhook::decide_with`].
    #[must_use]
    pub fn observe(&self, kinds: &Kinds, request: &Value, namespace: Option<&Value>) -> Observation {
        let target = Target::of(request);
        let is_sent = !is_never_sent(request);
        let found = self.hit(kinds, &target).filter(|_| is_sent).and_then(|hit| hit.found().ok());
        let found_rule = found.as_ref().map(|found| found.rule);
        // A rule that another one precedes may match as well.
        let matches = |(at, rule): (usize, &RuleWithOperations)| {
            Some(is_sent && (rule.matches(&target) || found_rule == Some(at)))
        };
        let rules = self.rules.iter().enumerate().map(matches).collect();
        let reached = found.is_some();
        let namespace_selector = self.has_namespace_selector().then(|| {
            let selection = reached.then(|| self.select_namespace(&target, request, namespace));
            selection.and_then(|selection| match selection {
                Selection::Selected => Some(true),
                Selection::Left(_) => Some(false),
                Selection::Unknown(_) => None,
            })
        });
        let object_selector = self
            .has_object_selector()
            .then(|| reached.then(|| self.select_object(request, false) == Selection::Selected));
        let is_selected =
            [namespace_selector, object_selector].iter().flatten().all(|one| *one == Some(true));
        let sent = found.as_ref().filter(|_| is_selected).map(|found: &Match| found.sent(request));
        let variables = sent.as_ref().map(|sent| Variables::of(sent));
        let conditions = self.conditions().iter().map(|condition| {
            let holds = variables.as_ref().and_then(|variables| condition.holds(variables).ok());
            (condition.name().to_owned(), holds)
        });
        let conditions = conditions.collect();
        let namespace_selector = namespace_selector.filter(|_| self.has_own_namespace_selector);
        Observation { rules, namespace_selector, object_selector, conditions }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_part_that_a_request_reaches_is_observed() {
        let rule = |resource: &str| json!({ "apiGroups": [""], "apiVersions": ["v1"], "resources": [resource], "operations": ["CREATE"] });
        let webhook = Webhook::from_spec(&json!({
            "rules": [rule("pods"), rule("services"), rule("*")],
            "namespaceSelector": { "matchExpressions": [{ "key": "team", "operator": "Exists" }] },
            "matchConditions": [
                { "name": "is-named", "expression": "has(object.metadata.name)" },
                { "name": "is-web", "expression": "object.metadata.name == 'web'" },
            ],
        }))
        .unwrap();
        let request = |name: &str| {
            json!({
                "operation": "CREATE",
                "resource": { "group": "", "version": "v1", "resource": "pods" },
                "namespace": "shop",
                "object": { "metadata": { "name": name } },
            })
        };
        let labelled = json!({ "metadata": { "labels": { "team": "a" } } });
        let observe = |request: &Value, namespace| webhook.observe(&Kinds::default(), request, namespace);
        let all = observe(&request("api"), Some(&labelled));
        assert_eq!(all.rules, [Some(true), Some(false), Some(true)]);
        assert_eq!((all.namespace_selector, all.object_selector), (Some(Some(true)), None));
        assert_eq!(all.conditions, [("is-named".to_owned(), Some(true)), ("is-web".to_owned(), Some(false))]);
        let unlabelled = json!({ "metadata": {} });
        let left = observe(&request("web"), Some(&unlabelled));
        assert_eq!(left.namespace_selector, Some(Some(false)));
        assert!(left.conditions.iter().all(|(_, holds)| holds.is_none()));
        assert_eq!(observe(&request("web"), None).namespace_selector, Some(None));
        let mut deletion = request("web");
        deletion["operation"] = json!("DELETE");
        let other = observe(&deletion, Some(&labelled));
        assert_eq!((other.rules, other.namespace_selector), (vec![Some(false); 3], Some(None)));
    }
}
