//! Patterns of `validate.pattern` and `validate.anyPattern`.
//!
//! Source: `pkg/engine/validate/validate.go`, `pkg/engine/anchor/handlers.go` and
//! `pkg/engine/pattern/pattern.go` of kyverno/kyverno at 111e07b. Anchors that make a rule
//! inapplicable, quantities and durations are not evaluated.

use serde_json::{Map, Value};

use super::{Known, matching::wild};

/// A key of a pattern with its anchor.
enum Key<'k> {
    /// The value is compared, whether it is present or not.
    Plain(&'k str),
    /// `=(key)`: the value is compared if it is present.
    IfPresent(&'k str),
    /// `X(key)`: the key must be absent.
    Absent(&'k str),
}

impl<'k> Key<'k> {
    fn of(key: &'k str) -> Known<Self> {
        let inside = |prefix: &str| key.strip_prefix(prefix).and_then(|rest| rest.strip_suffix(')'));
        if let Some(key) = inside("=(") {
            return Ok(Self::IfPresent(key));
        }
        if let Some(key) = inside("X(") {
            return Ok(Self::Absent(key));
        }
        match ["(", "^(", "<(", "+("].into_iter().find_map(inside) {
            Some(_) => Err(format!("--check does not support the anchor {key}")),
            None => Ok(Self::Plain(key)),
        }
    }
}

/// Returns the path of the first value that does not match a pattern.
///
/// # Errors
/// A part of the pattern that the model does not evaluate.
pub(super) fn mismatch(pattern: &Value, value: Option<&Value>, path: &str) -> Known<Option<String>> {
    let here = || Ok(Some(path.to_owned()));
    match (pattern, value) {
        (Value::Object(pattern), Some(Value::Object(fields))) => mismatch_of_map(pattern, fields, path),
        (Value::Array(patterns), Some(Value::Array(items))) => match patterns.as_slice() {
            [pattern] => {
                for (index, item) in items.iter().enumerate() {
                    let found = mismatch(pattern, Some(item), &format!("{path}[{index}]"))?;
                    if found.is_some() {
                        return Ok(found);
                    }
                }
                Ok(None)
            }
            _ => Err("--check supports only lists with one pattern".to_owned()),
        },
        (Value::Object(_) | Value::Array(_), _) => here(),
        (_, Some(Value::Array(items))) => {
            for item in items {
                if !is_matched(pattern, Some(item))? {
                    return here();
                }
            }
            Ok(None)
        }
        (_, value) => {
            if is_matched(pattern, value)? {
                Ok(None)
            } else {
                here()
            }
        }
    }
}

fn mismatch_of_map(
    pattern: &Map<String, Value>,
    fields: &Map<String, Value>,
    path: &str,
) -> Known<Option<String>> {
    for (key, pattern) in pattern {
        let key = Key::of(key)?;
        let (Key::Plain(name) | Key::IfPresent(name) | Key::Absent(name)) = key;
        let Some(name) = present_key(name, fields)? else { continue };
        let value = fields.get(name);
        let path = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        let found = match key {
            Key::Absent(_) => value.map(|_| path),
            Key::IfPresent(_) if value.is_none() => None,
            // An asterisk stands for any value that is present.
            Key::Plain(_) if pattern == "*" => value.is_none().then_some(path),
            Key::Plain(_) | Key::IfPresent(_) => mismatch(pattern, value, &path)?,
        };
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

/// The key of a field that a key with wildcards stands for; `None` if no field has it.
fn present_key<'k>(key: &'k str, fields: &'k Map<String, Value>) -> Known<Option<&'k str>> {
    if !key.contains(['*', '?']) {
        return Ok(Some(key));
    }
    let mut present = fields.keys().filter(|name| wild(key, name));
    match (present.next(), present.next()) {
        (first, None) => Ok(first.map(String::as_str)),
        _ => Err(format!("several keys match {key}, of which Kyverno compares one at random")),
    }
}

/// Whether a value, which is neither a list nor absent from a list, matches a pattern for it.
fn is_matched(pattern: &Value, value: Option<&Value>) -> Known<bool> {
    let value = value.unwrap_or(&Value::Null);
    Ok(match pattern {
        Value::Bool(_) => value == pattern,
        Value::Number(wanted) => match value {
            Value::Number(number) => number.as_f64() == wanted.as_f64(),
            Value::String(text) => text.parse().ok() == wanted.as_f64(),
            _ => false,
        },
        Value::Null => match value {
            Value::Null | Value::Bool(false) => true,
            Value::Number(number) => number.as_f64() == Some(0.0),
            Value::String(text) => text.is_empty(),
            _ => false,
        },
        Value::String(alternatives) => {
            if value == pattern {
                return Ok(true);
            }
            for alternative in alternatives.split('|') {
                let mut is_matched = true;
                for condition in alternative.split('&') {
                    is_matched &= is_matched_by_text(condition.trim(), value)?;
                }
                if is_matched {
                    return Ok(true);
                }
            }
            false
        }
        Value::Array(_) | Value::Object(_) => false,
    })
}

/// Whether a value meets a condition such as `Default`, `localhost/*`, `!x` or `>0`.
fn is_matched_by_text(condition: &str, value: &Value) -> Known<bool> {
    if let Some((least, most)) = range(condition) {
        return Ok(number(value).is_some_and(|number| (least..=most).contains(&number)));
    }
    let operators = [">=", "<=", ">", "<", "!"];
    let operator =
        operators.into_iter().find(|operator| condition.len() > 1 && condition.starts_with(operator));
    let operator = operator.unwrap_or_default();
    let operand = condition.get(operator.len()..).unwrap_or_default().trim();
    if let Ok(wanted) = operand.parse::<f64>()
        && let Some(number) = number(value)
    {
        return Ok(match operator {
            ">=" => number >= wanted,
            "<=" => number <= wanted,
            ">" => number > wanted,
            "<" => number < wanted,
            "!" => number.total_cmp(&wanted).is_ne(),
            _ => number.total_cmp(&wanted).is_eq(),
        });
    }
    if operand.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c))
        && operand.parse::<f64>().is_err()
    {
        return Err(format!("--check does not compare {operand}, which may be a quantity or a duration"));
    }
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        _ => return Ok(false),
    };
    Ok(match operator {
        "" => wild(operand, &text),
        "!" => !wild(operand, &text),
        _ => false,
    })
}

/// The number that a value is compared as. An absent value is zero.
fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Null => Some(0.0),
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.parse().ok(),
        _ => None,
    }
}

/// The bounds of a range such as `5000-6000`.
pub(super) fn range(text: &str) -> Option<(f64, f64)> {
    let (least, most) = text.split_once('-')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_number(least) && is_number(most) { Some((least.parse().ok()?, most.parse().ok()?)) } else { None }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn patterns_are_compared_as_kyverno_does() {
        for (pattern, value, want) in [
            // Anchors.
            (json!({ "=(a)": "x" }), json!({}), None),
            (json!({ "=(a)": "x" }), json!({ "a": "y" }), Some("a")),
            (json!({ "a": "x" }), json!({}), Some("a")),
            (json!({ "X(a)": "null" }), json!({ "a": 0 }), Some("a")),
            (json!({ "X(a)": "null" }), json!({ "b": 0 }), None),
            (json!({ "a": "*" }), json!({ "a": false }), None),
            (json!({ "a": "*" }), json!({}), Some("a")),
            (
                json!({ "=(a)": [{ "=(b)": { "c": "x" } }] }),
                json!({ "a": [{}, { "b": {} }] }),
                Some("a[1].b.c"),
            ),
            (json!({ "=(a)": { "b": "x" } }), json!({ "a": "x" }), Some("a")),
            (json!({ "a": [{ "b": "x" }] }), json!({ "a": { "b": "x" } }), Some("a")),
            // A scalar is compared with each element.
            (json!({ "a": "x | y" }), json!({ "a": ["x", "y"] }), None),
            (json!({ "a": "x | y" }), json!({ "a": ["x", "z"] }), Some("a")),
            // Keys with wildcards stand for a single field.
            (json!({ "=(p/*)": "x" }), json!({ "p/a": "x", "q": "y" }), None),
            (json!({ "=(p/*)": "x" }), json!({ "p/a": "y" }), Some("p/a")),
            (json!({ "p/*": "x" }), json!({}), None),
            // Texts.
            (json!({ "a": "false" }), json!({ "a": false }), None),
            (json!({ "a": "false" }), json!({ "a": true }), Some("a")),
            (json!({ "a": "local/* | x" }), json!({ "a": "local/b" }), None),
            (json!({ "a": "!x & !y" }), json!({ "a": "z" }), None),
            (json!({ "a": "!x & !y" }), json!({ "a": "y" }), Some("a")),
            (json!({ "a": "!x" }), json!({}), Some("a")),
            // Numbers.
            (json!({ "a": ">0" }), json!({ "a": 1 }), None),
            (json!({ "a": ">0" }), json!({ "a": 0 }), Some("a")),
            (json!({ "a": ">0" }), json!({}), Some("a")),
            (json!({ "a": "<=5 & >=3" }), json!({ "a": 5 }), None),
            (json!({ "a": "<5" }), json!({ "a": 5 }), Some("a")),
            (json!({ "a": ">0" }), json!({ "a": "x" }), Some("a")),
            (json!({ "a": "!5" }), json!({ "a": 5 }), Some("a")),
            (json!({ "a": "5" }), json!({ "a": 5 }), None),
            (json!({ "a": "5-7" }), json!({ "a": 7 }), None),
            (json!({ "a": "5-7" }), json!({ "a": 8 }), Some("a")),
            (json!({ "a": 0 }), json!({ "a": 0 }), None),
            (json!({ "a": 0 }), json!({ "a": "0" }), None),
            (json!({ "a": 0 }), json!({}), Some("a")),
            (json!({ "a": true }), json!({ "a": "true" }), Some("a")),
            // An empty value counts as absent.
            (json!({ "a": null }), json!({}), None),
            (json!({ "a": null }), json!({ "a": "" }), None),
            (json!({ "a": null }), json!({ "a": 0 }), None),
            (json!({ "a": null }), json!({ "a": {} }), Some("a")),
            (json!({ "a": null }), json!({ "a": "x" }), Some("a")),
        ] {
            let found = mismatch(&pattern, Some(&value), "").unwrap();
            assert_eq!(found.as_deref(), want, "{pattern} {value}");
        }
    }

    #[test]
    fn a_pattern_that_is_not_evaluated_is_an_error() {
        for (pattern, value) in [
            (json!({ "(a)": "x" }), json!({ "a": "x" })),
            (json!({ "^(a)": [{ "b": "x" }] }), json!({})),
            (json!({ "<(a)": "x" }), json!({})),
            (json!({ "a": [{ "b": "x" }, { "b": "y" }] }), json!({ "a": [] })),
            (json!({ "a": "<1Gi" }), json!({ "a": "2Gi" })),
            (json!({ "a": "10s" }), json!({ "a": "10000ms" })),
            (json!({ "=(p/*)": "x" }), json!({ "p/a": "x", "p/b": "x" })),
        ] {
            assert!(mismatch(&pattern, Some(&value), "").is_err(), "{pattern} {value}");
        }
    }
}
