//! Texts as scalars of YAML.

use serde_json::{Value, json};

/// A string of JSON is one of YAML.
pub(crate) fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// Returns a key or a value of YAML, which stays the same text also within `{}`: quoted if need be.
pub(crate) fn scalar(text: &str) -> String {
    let is_plain = manifest::own_documents(&format!("{{{text}: {text}}}"))
        .is_ok_and(|read| read == [json!({ text: text })]);
    if is_plain { text.to_owned() } else { quoted(text) }
}
