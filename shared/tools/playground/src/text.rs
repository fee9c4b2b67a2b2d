//! Values as text.

use serde_json::Value;

pub(crate) fn yaml(value: &Value) -> String {
    // Values that the YAML writer does not support are written as JSON, which is also valid YAML.
    manifest::write(value).unwrap_or_else(|| value.to_string())
}

pub(crate) fn json(value: &Value) -> String {
    format!("{value:#}")
}
