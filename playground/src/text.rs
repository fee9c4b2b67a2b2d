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
