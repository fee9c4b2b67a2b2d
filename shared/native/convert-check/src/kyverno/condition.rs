//! Conditions of `deny` and `preconditions`, with `JMESPath`.
//!
//! Source: `pkg/engine/variables` of kyverno/kyverno at 111e07b.

use serde_json::Value;

use super::{Known, list, matching::wild, pattern};

/// Evaluates an expression in `JMESPath`.
///
/// # Errors
/// An expression that is not valid, or that uses a function of Kyverno.
pub(super) fn search(expression: &str, variables: &Value) -> Known<Value> {
    let problem = |error: &dyn std::fmt::Display| {
        let error = error.to_string();
        let first = error.lines().next().unwrap_or_default();
        format!("--check cannot evaluate {expression:?}: {first}")
    };
    let compiled = jmespath::compile(expression).map_err(|error| problem(&error))?;
    let found = compiled.search(variables).map_err(|error| problem(&error))?;
    serde_json::to_value(&*found).map_err(|error| problem(&error))
}

/// Whether conditions hold: a list, `all` and `any`.
///
/// # Errors
/// An operator or a variable that the model does not evaluate.
pub(super) fn hold(conditions: &Value, variables: &Value) -> Known<bool> {
    if conditions.is_array() {
        return all(list(conditions, ""), variables);
    }
    for key in conditions.as_object().into_iter().flat_map(serde_json::Map::keys) {
        if !["all", "any"].contains(&key.as_str()) {
            return Err(format!("--check does not support conditions with {key}"));
        }
    }
    let mut any = list(conditions, "/any").peekable();
    let mut is_any_met = any.peek().is_none();
    for condition in any {
        is_any_met |= holds(condition, variables)?;
    }
    Ok(is_any_met && all(list(conditions, "/all"), variables)?)
}

fn all<'c>(conditions: impl Iterator<Item = &'c Value>, variables: &Value) -> Known<bool> {
    for condition in conditions {
        if !holds(condition, variables)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn holds(condition: &Value, variables: &Value) -> Known<bool> {
    let [key, value] =
        ["key", "value"].map(|field| substituted(condition.get(field).unwrap_or(&Value::Null), variables));
    let (key, value) = (key?, value?);
    let operator = super::text(condition, "/operator");
    match (operator, &key, &value) {
        ("Equals" | "Equal", Value::String(key), Value::String(value)) => Ok(wild(value, key)),
        ("NotEquals" | "NotEqual", Value::String(key), Value::String(value)) => Ok(!wild(value, key)),
        ("AnyNotIn", _, _) => is_any_not_in(&key, &value),
        _ => Err(format!("--check does not compare these values with the operator {operator}")),
    }
}

/// Replaces a variable by its value.
fn substituted(value: &Value, variables: &Value) -> Known<Value> {
    let is_variable = |value: &Value| value.as_str().is_some_and(|text| text.contains("{{"));
    if let Value::String(text) = value
        && is_variable(value)
    {
        let inside = text.trim().strip_prefix("{{").and_then(|rest| rest.strip_suffix("}}"));
        let inside = inside.filter(|inside| !inside.contains("{{"));
        let expression = inside.ok_or_else(|| format!("--check does not support the text {text:?}"))?;
        return match search(expression.trim(), variables)? {
            Value::Null => Err(format!("the variable {expression} has no value")),
            found => Ok(found),
        };
    }
    if value.as_array().is_some_and(|items| items.iter().any(is_variable)) {
        return Err("--check does not support variables in a list".to_owned());
    }
    Ok(value.clone())
}

/// Whether a key is in none of the values. Both sides can have wildcards.
fn is_any_not_in(key: &Value, value: &Value) -> Known<bool> {
    let keys: Vec<String> = match key {
        Value::Array(keys) => keys.iter().map(printed).collect(),
        Value::String(_) | Value::Number(_) | Value::Bool(_) => vec![printed(key)],
        _ => return Ok(false),
    };
    if let Some(text) = value.as_str() {
        if let Some((least, most)) = pattern::range(text) {
            let is_outside =
                |key: &String| key.parse().is_ok_and(|number: f64| number < least || number > most);
            return Ok(keys.iter().any(is_outside));
        }
        if text.contains(['-', '[', '<', '>', '!']) {
            return Err(format!("--check does not compare with {text:?}"));
        }
    }
    let values: Vec<String> = match value {
        Value::Array(values) => values.iter().map(printed).collect(),
        Value::String(_) | Value::Number(_) | Value::Bool(_) => vec![printed(value)],
        _ => return Ok(false),
    };
    let is_in = |key: &String| values.iter().any(|value| wild(key, value) || wild(value, key));
    Ok(!keys.iter().all(is_in))
}

fn printed(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn conditions_are_evaluated_as_kyverno_does() {
        let object = json!({ "spec": { "a": ["x", "y"], "ports": [80, 8080], "volumes": [{ "name": "v", "nfs": {} }] } });
        let variables = json!({ "request": { "operation": "CREATE", "object": object } });
        let operation = "{{ request.operation || 'BACKGROUND' }}";
        let volumes = "{{ request.object.spec.volumes[].keys(@)[] || '' }}";
        for (key, operator, value, want) in [
            (json!(operation), "NotEquals", json!("DELETE"), true),
            (json!(operation), "Equals", json!("CREATE"), true),
            (json!(operation), "NotEquals", json!("CREATE"), false),
            (json!("{{ request.object.spec.a }}"), "AnyNotIn", json!(["x", "y", "z"]), false),
            (json!("{{ request.object.spec.a }}"), "AnyNotIn", json!(["x"]), true),
            (json!("{{ request.object.spec.[none, a][] }}"), "AnyNotIn", json!(["x", "y"]), false),
            // Both sides can have wildcards.
            (json!("{{ request.object.spec.a }}"), "AnyNotIn", json!(["?"]), false),
            (json!(["*"]), "AnyNotIn", json!(["x"]), false),
            // Nothing is in nothing.
            (json!("{{ request.object.spec.none || `[]` }}"), "AnyNotIn", json!([]), false),
            (json!("x"), "AnyNotIn", json!("{{ request.object.spec.a }}"), false),
            (json!("x"), "AnyNotIn", json!([]), true),
            (json!("{{ request.object.spec.ports[] }}"), "AnyNotIn", json!("80-8080"), false),
            (json!("{{ request.object.spec.ports[] }}"), "AnyNotIn", json!("81-8080"), true),
            (json!("{{ request.object.spec.ports[] }}"), "AnyNotIn", json!([80, 8080]), false),
            (json!(volumes), "AnyNotIn", json!(["name", "nfs"]), false),
            (json!(volumes), "AnyNotIn", json!(["name"]), true),
        ] {
            let condition = json!({ "key": key, "operator": operator, "value": value });
            assert_eq!(holds(&condition, &variables), Ok(want), "{condition}");
        }
    }

    #[test]
    fn conditions_are_combined() {
        let condition = |value: &str| json!({ "key": "a", "operator": "Equals", "value": value });
        let (yes, no) = (condition("a"), condition("b"));
        for (conditions, want) in [
            (json!([yes, yes]), true),
            (json!([yes, no]), false),
            (json!({ "all": [yes, no] }), false),
            (json!({ "any": [yes, no] }), true),
            (json!({ "any": [no], "all": [yes] }), false),
            (json!({ "any": [yes], "all": [no] }), false),
        ] {
            assert_eq!(hold(&conditions, &json!({})), Ok(want), "{conditions}");
        }
    }

    #[test]
    fn a_condition_that_is_not_evaluated_is_an_error() {
        for (key, operator, value) in [
            ("{{ request.none }}", "AnyNotIn", json!(["x"])),
            ("{{ images.containers }}", "AnyNotIn", json!(["x"])),
            ("{{ divide('1', '2') }}", "AnyNotIn", json!(["x"])),
            ("a-{{ request }}", "Equals", json!("x")),
            ("a", "GreaterThan", json!("x")),
            ("a", "AnyNotIn", json!(">5")),
            ("a", "AnyNotIn", json!(["{{ request }}"])),
        ] {
            let condition = json!({ "key": key, "operator": operator, "value": value });
            assert!(holds(&condition, &json!({ "request": {} })).is_err(), "{condition}");
        }
        assert!(hold(&json!({ "none": [] }), &json!({})).is_err());
    }
}
