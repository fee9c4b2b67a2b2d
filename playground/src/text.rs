//! Values as texts.

use serde_json::Value;

/// A value as YAML.
pub(crate) fn yaml(value: &Value) -> String {
    // Whatever YAML cannot say is JSON, which YAML reads as well.
    manifest::write(value).unwrap_or_else(|| value.to_string())
}

/// A value as JSON, for people.
pub(crate) fn json(value: &Value) -> String {
    format!("{value:#}")
}

/// What a value is, for a message.
pub(crate) fn found(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
