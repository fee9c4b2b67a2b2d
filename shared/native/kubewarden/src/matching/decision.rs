//! The decision whether a request reaches a webhook.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use crate::matching::condition_error::ConditionError;

/// The decision about a request before the webhook is called.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Decision {
    /// The webhook is called.
    Called(Match),
    /// API servers never send requests about this kind, so that no webhook can lock out its own
    /// removal, or users.
    NeverSent,
    /// No rule matches.
    NoRuleMatches,
    /// The labels of the Namespace do not meet this requirement of the namespaceSelector.
    NamespaceIsNotSelected(Arc<str>),
    /// Neither the object nor the old object meets the objectSelector; this requirement is not met.
    ObjectIsNotSelected(Arc<str>),
    /// The condition with this name is false.
    ConditionIsFalse(String),
    /// The policy server admits the request without the policy, because it is in the namespace of
    /// Kubewarden.
    AdmittedByServer,
    /// A condition is an error, and none is false. The request is rejected with `failurePolicy:
    /// Fail`, and the webhook is not called with `Ignore`.
    ConditionFailed(ConditionError),
    /// The decision of an API server is not known.
    Unknown(Reason),
}

/// The rule that matches a request, and the request that the webhook receives.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Match {
    /// The index of the rule.
    pub rule: usize,
    /// The group and version that the API server converts the request to (`matchPolicy:
    /// Equivalent`); `None` if it sends the request as it is. Only conversions that change
    /// `apiVersion` alone are made here, any other is [`Reason::Conversion`].
    pub converted: Option<GroupVersion>,
}

/// A group and a version.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct GroupVersion {
    /// The group; empty for the core group.
    pub group: String,
    /// The version.
    pub version: String,
}

/// The reason why a decision is not known.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Reason {
    /// The namespaceSelector has this requirement, and the labels of the Namespace are not known.
    /// The API server rejects requests in a namespace that does not exist.
    Namespace(Arc<str>),
    /// The objectSelector has this requirement about a label whose value a controller makes up.
    Label(Arc<str>),
    /// The rule with this index matches an equivalent resource, and the API server would convert
    /// the object to it.
    Conversion {
        /// The index of the rule.
        rule: usize,
        /// The group and version of the equivalent resource.
        to: GroupVersion,
    },
    /// The rule with this index matches other versions of the resource, and it is not known whether
    /// the resource has them.
    Versions {
        /// The index of the rule.
        rule: usize,
    },
    /// A condition cannot be evaluated here, and none is false.
    Condition(ConditionError),
    /// A selector or a condition reads the objects, of which fields are missing.
    Objects,
}

impl Decision {
    /// Returns whether the webhook is called.
    #[must_use]
    pub fn is_called(&self) -> bool {
        matches!(self, Self::Called(_))
    }

    /// Returns a sentence that says what decided, without a final period.
    #[must_use]
    pub fn explain(&self) -> String {
        match self {
            Self::Called(Match { rule, converted: None }) => {
                format!("spec.rules[{rule}] matches, and so do the selectors and conditions")
            }
            Self::Called(Match { rule, converted: Some(to) }) => format!(
                "spec.rules[{rule}] matches the equivalent resource in {to}, and so do the selectors and conditions"
            ),
            Self::NeverSent => "API servers never send this kind to webhooks".to_owned(),
            Self::NoRuleMatches => "no rule in spec.rules matches".to_owned(),
            Self::NamespaceIsNotSelected(requirement) => {
                format!("the Namespace does not meet spec.namespaceSelector: {requirement}")
            }
            Self::ObjectIsNotSelected(requirement) => {
                format!("neither the object nor the old object meets spec.objectSelector: {requirement}")
            }
            Self::ConditionIsFalse(name) => format!("the match condition {name} is false"),
            Self::AdmittedByServer => {
                "Kubewarden's policy servers admit each request in their own namespace".to_owned()
            }
            Self::ConditionFailed(error) => format!("the {error}"),
            Self::Unknown(reason) => format!("it is not known whether the request matches: {reason}"),
        }
    }
}

impl Match {
    /// Returns the `AdmissionRequest` that the webhook receives.
    #[must_use]
    pub fn sent<'r>(&self, request: &'r Value) -> Cow<'r, Value> {
        let Some(to) = &self.converted else { return Cow::Borrowed(request) };
        let mut sent = request.clone();
        if let Some(fields) = sent.as_object_mut() {
            for (of_request, name) in [("requestKind", "kind"), ("requestResource", "resource")] {
                if let Some(asked) = fields.get(name).cloned() {
                    fields.entry(of_request).or_insert(asked);
                }
                if let Some(Value::Object(field)) = fields.get_mut(name) {
                    field.insert("group".to_owned(), Value::from(to.group.as_str()));
                    field.insert("version".to_owned(), Value::from(to.version.as_str()));
                }
            }
            let api_version = to.to_string();
            for name in ["object", "oldObject"] {
                if let Some(Value::Object(object)) = fields.get_mut(name) {
                    object.insert("apiVersion".to_owned(), Value::from(api_version.as_str()));
                }
            }
        }
        Cow::Owned(sent)
    }
}

impl fmt::Display for GroupVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.group.is_empty() {
            f.write_str(&self.version)
        } else {
            write!(f, "{}/{}", self.group, self.version)
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Namespace(requirement) => {
                write!(f, "spec.namespaceSelector has {requirement}, and the Namespace is not in the input")
            }
            Self::Label(requirement) => {
                write!(
                    f,
                    "spec.objectSelector has {requirement}, and a controller makes up the value of the label"
                )
            }
            Self::Conversion { rule, to } => {
                write!(
                    f,
                    "spec.rules[{rule}] matches the equivalent resource in {to}, which needs a conversion"
                )
            }
            Self::Versions { rule } => write!(
                f,
                "spec.rules[{rule}] matches other versions of the resource, and its CustomResourceDefinition is not \
                 in the input"
            ),
            Self::Condition(error) => write!(f, "{error}"),
            Self::Objects => f.write_str("a selector or a condition reads the object"),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn explains_every_decision_in_a_sentence() {
        let gv = || GroupVersion { group: "apps".to_owned(), version: "v1".to_owned() };
        let error = || ConditionError {
            condition: "c".to_owned(),
            problem: "no such key: x".to_owned(),
            is_unknown: false,
        };
        for (decision, want) in [
            (
                Decision::Called(Match::default()),
                "spec.rules[0] matches, and so do the selectors and conditions",
            ),
            (
                Decision::Called(Match { rule: 2, converted: Some(gv()) }),
                "spec.rules[2] matches the equivalent resource in apps/v1, and so do the selectors and conditions",
            ),
            (Decision::NeverSent, "API servers never send this kind to webhooks"),
            (Decision::NoRuleMatches, "no rule in spec.rules matches"),
            (
                Decision::NamespaceIsNotSelected("matchLabels a=b".into()),
                "the Namespace does not meet spec.namespaceSelector: matchLabels a=b",
            ),
            (
                Decision::ObjectIsNotSelected("matchLabels a=b".into()),
                "neither the object nor the old object meets spec.objectSelector: matchLabels a=b",
            ),
            (Decision::ConditionIsFalse("c".to_owned()), "the match condition c is false"),
            (Decision::ConditionFailed(error()), "the match condition c: no such key: x"),
            (
                Decision::Unknown(Reason::Namespace("matchLabels a=b".into())),
                "it is not known whether the request matches: spec.namespaceSelector has matchLabels a=b, and the \
                 Namespace is not in the input",
            ),
            (
                Decision::Unknown(Reason::Conversion { rule: 0, to: gv() }),
                "it is not known whether the request matches: spec.rules[0] matches the equivalent resource in \
                 apps/v1, which needs a conversion",
            ),
            (
                Decision::Unknown(Reason::Versions { rule: 0 }),
                "it is not known whether the request matches: spec.rules[0] matches other versions of the resource, \
                 and its CustomResourceDefinition is not in the input",
            ),
            (
                Decision::Unknown(Reason::Condition(error())),
                "it is not known whether the request matches: match condition c: no such key: x",
            ),
        ] {
            assert_eq!(decision.explain(), want);
        }
    }

    #[test]
    fn a_converted_request_keeps_what_was_asked() {
        let request = json!({
            "kind": { "group": "apps", "version": "v1beta2", "kind": "Deployment" },
            "resource": { "group": "apps", "version": "v1beta2", "resource": "deployments" },
            "object": { "apiVersion": "apps/v1beta2", "spec": {} },
            "oldObject": null,
        });
        assert_eq!(*Match::default().sent(&request), request);
        let to = GroupVersion { group: "apps".to_owned(), version: "v1".to_owned() };
        assert_eq!(
            *Match { rule: 0, converted: Some(to) }.sent(&request),
            json!({
                "kind": { "group": "apps", "version": "v1", "kind": "Deployment" },
                "resource": { "group": "apps", "version": "v1", "resource": "deployments" },
                "requestKind": { "group": "apps", "version": "v1beta2", "kind": "Deployment" },
                "requestResource": { "group": "apps", "version": "v1beta2", "resource": "deployments" },
                "object": { "apiVersion": "apps/v1", "spec": {} },
                "oldObject": null,
            }),
        );
    }
}
