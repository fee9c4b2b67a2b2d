use std::collections::BTreeMap;
use std::sync::Arc;

use kubernetes::completion::is_made_up;
use rules::name::{is_label_key, is_label_value};
use serde::Deserialize;
use serde_json::{Map, Value};

/// The label that API servers give every Namespace, with its name as the value.
pub(crate) const NAMESPACE_NAME: &str = "kubernetes.io/metadata.name";

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct SelectorSpec {
    pub(crate) match_labels: BTreeMap<String, String>,
    pub(crate) match_expressions: Vec<RequirementSpec>,
}

impl SelectorSpec {
    /// Whether the selector has a requirement, and does not select everything.
    pub(crate) fn selects_some(&self) -> bool {
        !(self.match_labels.is_empty() && self.match_expressions.is_empty())
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RequirementSpec {
    pub(crate) key: String,
    pub(crate) operator: Operator,
    #[serde(default)]
    pub(crate) values: Vec<String>,
}

#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
pub(crate) enum Operator {
    In,
    NotIn,
    Exists,
    DoesNotExist,
}

/// A label selector. The default selects everything.
#[derive(Clone, Debug, Default)]
pub(crate) struct LabelSelector(Vec<Requirement>);

/// A requirement, with the text for explanations: decisions share it, so they cost no allocation.
#[derive(Clone, Debug)]
struct Requirement {
    key: String,
    operator: Operator,
    values: Vec<String>,
    text: Arc<str>,
}

#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Selection {
    Selected,
    /// This requirement is not met.
    Left(Arc<str>),
    /// This requirement is about a label that is not known, and every other one is met.
    Unknown(Arc<str>),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Labels<'v> {
    written: Option<&'v Map<String, Value>>,
    /// The name of a Namespace, which is also a label.
    name: Option<&'v str>,
    /// Whether labels that are not written are absent, and not just unknown.
    is_complete: bool,
    /// Whether values may be made up.
    is_made_up: bool,
}

enum Found<'v> {
    Value(&'v str),
    /// The label exists with a value that is not known.
    Present,
    Absent,
    Unknown,
}

impl<'v> Labels<'v> {
    /// The labels of an object; `None` if the object has no metadata, as `null` and the options of
    /// `kubectl exec`.
    pub(crate) fn of(object: &'v Value) -> Option<Self> {
        let metadata = object.get("metadata")?.as_object()?;
        let written = metadata.get("labels").and_then(Value::as_object);
        Some(Self { written, name: None, is_complete: true, is_made_up: false })
    }

    /// The labels of a Namespace with this name; `None` stands for a Namespace that is not known.
    pub(crate) fn of_namespace(name: Option<&'v str>, namespace: Option<&'v Value>) -> Self {
        let written = namespace.and_then(|object| object.pointer("/metadata/labels")?.as_object());
        Self { written, name, is_complete: namespace.is_some(), is_made_up: false }
    }

    /// The labels of an object of a file, whose values may be made up.
    pub(crate) fn with_made_up_values(self) -> Self {
        Self { is_made_up: true, ..self }
    }

    fn get(&self, key: &str) -> Found<'v> {
        if let Some(value) = self.written.and_then(|labels| labels.get(key)?.as_str()) {
            let is_known = !(self.is_made_up && is_made_up(value));
            return if is_known { Found::Value(value) } else { Found::Present };
        }
        match self.name {
            Some(name) if key == NAMESPACE_NAME => Found::Value(name),
            _ if self.is_complete => Found::Absent,
            _ => Found::Unknown,
        }
    }
}

impl LabelSelector {
    /// Returns whether a requirement is about another label than the one with the name of a
    /// Namespace.
    pub(crate) fn reads_more_than_the_name(&self) -> bool {
        self.0.iter().any(|requirement| requirement.key != NAMESPACE_NAME)
    }

    /// Reads a selector. Refuses what an API server does (`ValidateLabelSelector` in
    /// `pkg/apis/meta/v1` of k8s.io/apimachinery): `values` that are missing or superfluous, keys
    /// and values that labels cannot have.
    pub(crate) fn new(spec: SelectorSpec) -> Result<Self, String> {
        let labels = spec.match_labels.into_iter().map(|(key, value)| {
            check_key(&key).map_err(|problem| format!("matchLabels: {problem}"))?;
            check_value(&value).map_err(|problem| format!("matchLabels.{key}: {problem}"))?;
            let text = format!("matchLabels {key}={value}").into();
            Ok(Requirement { key, operator: Operator::In, values: vec![value], text })
        });
        let expressions = spec.match_expressions.into_iter().enumerate().map(|(at, one)| {
            let RequirementSpec { key, operator, values } = one;
            check_key(&key).map_err(|problem| format!("matchExpressions[{at}].key: {problem}"))?;
            for (value_at, value) in values.iter().enumerate() {
                check_value(value)
                    .map_err(|problem| format!("matchExpressions[{at}].values[{value_at}]: {problem}"))?;
            }
            let text = match (operator, values.is_empty()) {
                (Operator::In | Operator::NotIn, false) => {
                    format!("matchExpressions[{at}] {key} {operator:?} [{}]", values.join(", "))
                }
                (Operator::Exists | Operator::DoesNotExist, true) => {
                    format!("matchExpressions[{at}] {key} {operator:?}")
                }
                (_, true) => {
                    return Err(format!(
                        "matchExpressions[{at}].values: Required value: the operator {operator:?} needs values; \
                         list at least one"
                    ));
                }
                (_, false) => {
                    return Err(format!(
                        "matchExpressions[{at}].values: Forbidden: the operator {operator:?} has no values; \
                         remove them"
                    ));
                }
            };
            Ok(Requirement { key, operator, values, text: text.into() })
        });
        labels.chain(expressions).collect::<Result<_, _>>().map(Self)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Evaluates the requirements. One that is not met decides, whatever the unknown labels are.
    pub(crate) fn select(&self, labels: Labels<'_>) -> Selection {
        let mut unknown = None;
        for Requirement { key, operator, values, text } in &self.0 {
            let found = labels.get(key);
            let is_met = match (operator, found) {
                (_, Found::Unknown) | (Operator::In | Operator::NotIn, Found::Present) => {
                    unknown = unknown.or(Some(text));
                    continue;
                }
                (Operator::In, Found::Value(found)) => values.iter().any(|value| value == found),
                (Operator::NotIn, Found::Value(found)) => values.iter().all(|value| value != found),
                (Operator::Exists, Found::Value(_) | Found::Present)
                | (Operator::NotIn | Operator::DoesNotExist, Found::Absent) => true,
                (Operator::DoesNotExist, Found::Value(_) | Found::Present)
                | (Operator::In | Operator::Exists, Found::Absent) => false,
            };
            if !is_met {
                return Selection::Left(Arc::clone(text));
            }
        }
        unknown.map_or(Selection::Selected, |text| Selection::Unknown(Arc::clone(text)))
    }
}

fn check_key(key: &str) -> Result<(), String> {
    if is_label_key(key) {
        return Ok(());
    }
    Err(format!("Invalid value: {key:?}: not the key of a label; write one such as app or example.com/app"))
}

fn check_value(value: &str) -> Result<(), String> {
    if is_label_value(value) {
        return Ok(());
    }
    Err(format!(
        "Invalid value: {value:?}: not the value of a label; use at most 63 letters, digits, '-', '_' and '.', with \
         a letter or digit at both ends"
    ))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn selector(spec: Value) -> Result<LabelSelector, String> {
        LabelSelector::new(serde_json::from_value(spec).unwrap())
    }

    fn expression(key: &str, operator: &str, values: &[&str]) -> Value {
        json!({ "matchExpressions": [{ "key": key, "operator": operator, "values": values }] })
    }

    #[test]
    fn requirements_are_met_as_in_kubernetes() {
        let object = json!({ "metadata": { "labels": { "a": "x", "b": "" } } });
        let bare = json!({ "metadata": {} });
        for (spec, labelled, unlabelled) in [
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
            let read = selector(spec.clone()).unwrap();
            let selects = |object| read.select(Labels::of(object).unwrap()) == Selection::Selected;
            assert_eq!(selects(&object), labelled, "{spec}");
            assert_eq!(selects(&bare), unlabelled, "{spec}");
        }
        assert!(Labels::of(&Value::Null).is_none());
        assert!(Labels::of(&json!({ "kind": "PodExecOptions" })).is_none());
    }

    #[test]
    fn an_unknown_namespace_has_its_name_as_a_label() {
        let unknown = Labels::of_namespace(Some("shop"), None);
        let selects = |spec: Value| selector(spec).unwrap().select(unknown);
        assert_eq!(selects(expression(NAMESPACE_NAME, "In", &["shop"])), Selection::Selected);
        assert_eq!(
            selects(expression(NAMESPACE_NAME, "NotIn", &["shop"])),
            Selection::Left(format!("matchExpressions[0] {NAMESPACE_NAME} NotIn [shop]").into()),
        );
        assert_eq!(
            selects(json!({ "matchLabels": { "stage": "test" } })),
            Selection::Unknown("matchLabels stage=test".into()),
        );
        // One requirement that is not met decides.
        let both = json!({ "matchLabels": { "stage": "test", NAMESPACE_NAME: "other" } });
        assert!(matches!(selects(both), Selection::Left(_)));
    }

    #[test]
    fn values_are_required_or_forbidden_by_operator() {
        for (operator, values, want) in [
            ("In", &[][..], "matchExpressions[0].values: Required value"),
            ("NotIn", &[], "matchExpressions[0].values: Required value"),
            ("Exists", &["x"], "matchExpressions[0].values: Forbidden"),
            ("DoesNotExist", &["x"], "matchExpressions[0].values: Forbidden"),
        ] {
            let error = selector(expression("a", operator, values)).unwrap_err();
            assert!(error.starts_with(want), "{error}");
        }
    }
}
