//! The conditions of a filter.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::cel::{self, CelExpression};
use crate::{LabelSelector, LabelSelectorRequirement, Operation};

/// The label that every Namespace has, with its name as the value.
pub(super) const NAME_LABEL: &str = "kubernetes.io/metadata.name";

pub(super) const NO_NAMESPACE_SELECTOR: &str = "a namespaced policy cannot select namespaces by label";

/// The selector of namespaces by name, with the operator `In` or `NotIn`.
pub(super) fn namespaces_by_name(operator: &str, names: &[String]) -> LabelSelector {
    LabelSelector::of(LabelSelectorRequirement {
        key: NAME_LABEL.to_owned(),
        operator: operator.to_owned(),
        values: names.to_vec(),
    })
}

#[derive(Clone, Debug)]
pub(super) struct LocatedCondition {
    pub(super) path: String,
    pub(super) condition: Condition,
}

/// A condition on a request. Of several alternatives in a list, one has to match.
#[derive(Clone, Debug)]
pub(super) enum Condition {
    Kinds(Vec<String>),
    Operations(BTreeSet<Operation>),
    Names(Vec<String>),
    Namespaces(Vec<String>),
    NamespaceSelector(LabelSelector),
    Labels(LabelSelector),
    Annotations(Vec<(String, String)>),
    /// One of the users or one of the groups has to match.
    Subjects {
        users: Vec<String>,
        groups: Vec<String>,
    },
}

impl Condition {
    /// The condition as an expression about the request and an object in it.
    ///
    /// Kinds and operations are compared with those of the other filters elsewhere, and a request
    /// contains only the name of its Namespace. For these conditions, the expression is always
    /// true.
    pub(super) fn expression(&self, object: &str) -> CelExpression {
        match self {
            Self::Kinds(_) | Self::Operations(_) | Self::NamespaceSelector(_) => {
                CelExpression::All(Vec::new())
            }
            Self::Names(names) => cel::has_name(object, &borrowed(names)),
            Self::Namespaces(namespaces) => cel::matches_any("request.namespace", &borrowed(namespaces)),
            Self::Labels(selector) => cel::is_selected(object, selector),
            Self::Annotations(pairs) => {
                let pairs = pairs.iter().map(|(key, value)| (key.as_str(), value.as_str()));
                cel::has_pairs(object, "annotations", pairs)
            }
            Self::Subjects { users, groups } => cel::is_requested_by(&borrowed(users), &borrowed(groups)),
        }
    }

    /// Whether the condition has a result in background audits, which have no requesting user and
    /// no operation.
    pub(super) fn is_seen_in_audits(&self) -> bool {
        !matches!(self, Self::Kinds(_) | Self::Operations(_) | Self::Subjects { .. })
    }

    /// Whether the condition is about fields of the object that an update may change.
    pub(super) fn is_about_object(&self) -> bool {
        matches!(self, Self::Labels(_) | Self::Annotations(_))
    }
}

/// All of the conditions as an expression about an object.
pub(super) fn all(conditions: &[&Condition], object: &str) -> CelExpression {
    CelExpression::All(conditions.iter().map(|condition| condition.expression(object)).collect())
}

/// Whether the labels of a selector contain wildcards, which a Kubernetes selector cannot express.
pub(super) fn has_wildcards(selector: &LabelSelector) -> bool {
    let is_wild =
        |(key, value): (&String, &Value)| cel::is_pattern(key) || value.as_str().is_some_and(cel::is_pattern);
    selector.match_labels.iter().any(is_wild)
}

fn borrowed(texts: &[String]) -> Vec<&str> {
    texts.iter().map(String::as_str).collect()
}
