//! Label selectors.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};

/// A label selector. The default selects everything.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct LabelSelector {
    match_labels: BTreeMap<String, String>,
    match_expressions: Vec<Requirement>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Requirement {
    key: String,
    operator: Operator,
    #[serde(default)]
    values: Vec<String>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
enum Operator {
    In,
    NotIn,
    Exists,
    DoesNotExist,
}

impl LabelSelector {
    pub(crate) fn is_empty(&self) -> bool {
        self.match_labels.is_empty() && self.match_expressions.is_empty()
    }

    /// Returns whether the labels meet all requirements. `None` stands for no labels.
    pub(crate) fn selects(&self, labels: Option<&Map<String, Value>>) -> bool {
        let label = |key: &str| labels.and_then(|labels| labels.get(key)).and_then(Value::as_str);
        self.match_labels.iter().all(|(key, value)| label(key) == Some(value))
            && self.match_expressions.iter().all(|Requirement { key, operator, values }| {
                let found = label(key);
                let is_listed = found.is_some_and(|found| values.iter().any(|value| value == found));
                match operator {
                    Operator::In => is_listed,
                    Operator::NotIn => !is_listed,
                    Operator::Exists => found.is_some(),
                    Operator::DoesNotExist => found.is_none(),
                }
            })
    }
}

/// Returns the labels of an object.
pub(crate) fn labels(object: &Value) -> Option<&Map<String, Value>> {
    object.pointer("/metadata/labels")?.as_object()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn requirements_are_met_as_in_kubernetes() {
        let object = json!({ "metadata": { "labels": { "a": "x", "b": "" } } });
        let expression = |key: &str, operator: &str, values: &[&str]| json!({ "matchExpressions": [{ "key": key, "operator": operator, "values": values }] });
        for (selector, labelled, unlabelled) in [
            (json!({}), true, true),
            (json!({ "matchLabels": { "a": "x" } }), true, false),
            (json!({ "matchLabels": { "a": "y" } }), false, false),
            (expression("a", "In", &["x", "y"]), true, false),
            (expression("a", "In", &["y"]), false, false),
            (expression("a", "NotIn", &["y"]), true, true),
            (expression("a", "NotIn", &["x"]), false, true),
            (expression("b", "Exists", &[]), true, false),
            (expression("b", "DoesNotExist", &[]), false, true),
        ] {
            let read: LabelSelector = serde_json::from_value(selector.clone()).unwrap();
            assert_eq!(read.selects(labels(&object)), labelled, "{selector}");
            assert_eq!(read.selects(None), unlabelled, "{selector}");
        }
    }
}
