//! Label selectors.

use serde_json::Value;

use crate::conversion::{Effect, FieldProblem};
use crate::fields::Fields;
use crate::{InputError, LabelSelector, LabelSelectorRequirement};

/// Reads a label selector. Adds fields that selectors do not have to `problems`.
pub(crate) fn read(
    fields: &Fields<'_>,
    problems: &mut Vec<FieldProblem>,
) -> Result<LabelSelector, InputError> {
    let labels = fields.pairs("matchLabels")?.into_iter();
    let mut selector = LabelSelector {
        match_labels: labels.map(|(key, value)| (key.to_owned(), Value::from(value))).collect(),
        match_expressions: Vec::new(),
    };
    for requirement in fields.objects("matchExpressions")? {
        let required = |key: &str| {
            let text = requirement.text(key)?.filter(|text| !text.is_empty());
            text.map(str::to_owned).ok_or_else(|| requirement.missing(key))
        };
        let (key, operator) = (required("key")?, required("operator")?);
        let values: Vec<String> = requirement.texts("values")?.into_iter().map(str::to_owned).collect();
        let takes_values = match operator.as_str() {
            "In" | "NotIn" => true,
            "Exists" | "DoesNotExist" => false,
            _ => {
                let problem = "unknown operator; use In, NotIn, Exists or DoesNotExist";
                return Err(requirement.error("operator", problem));
            }
        };
        if takes_values == values.is_empty() {
            let problem = if takes_values { "must not be empty" } else { "must be empty" };
            return Err(requirement.error("values", format!("{problem} for the operator {operator}")));
        }
        selector.match_expressions.push(LabelSelectorRequirement { key, operator, values });
        problems.extend(without(requirement.unknown(&["key", "operator", "values"])));
    }
    problems.extend(without(fields.unknown(&["matchLabels", "matchExpressions"])));
    Ok(selector)
}

/// The problems with fields without which a selector selects more.
fn without(unknown: Vec<FieldProblem>) -> impl Iterator<Item = FieldProblem> {
    unknown.into_iter().map(|problem| problem.with(Effect::Refuses))
}
