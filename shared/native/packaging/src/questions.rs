//! The form of a policy: what Rancher asks a person for, and which setting each answer becomes.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::PackagingError;
use crate::metadata::{parse, print};

/// The content of `questions-ui.yml`.
///
/// # Example
/// ```
/// let form = packaging::Questions::from_yaml("questions: [{variable: mode, labl: Mode}]");
/// assert!(form.unwrap_err().to_string().starts_with("questions[0].labl: unknown field `labl`"));
/// ```
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Questions {
    /// The questions, in the order of the form.
    pub questions: Vec<Question>,
}

/// A question.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// The setting: its path with dots, within a sequence that in its element.
    pub variable: String,
    /// What the form calls it.
    pub label: String,
    /// `string`, `boolean`, `int`, `enum`, `array[`, `map[` or `sequence[`.
    #[serde(default, rename = "type")]
    pub kind: String,
    /// The part of the form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Whether an answer has to be given. Rancher looks for the key as it is written, so that a path with dots is
    /// never answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub required: Option<bool>,
    /// Whether there is nothing to fill in: a heading.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hide_input: Option<bool>,
    /// When it is asked: `mode=Warn`, several with `||` or `&&` between them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub show_if: Option<String>,
    /// What can be chosen.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// What the form writes if nobody changes it; nothing without it, where `null` is written as a null.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
    /// An example, shown while the field is empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placeholder: Option<String>,
    /// What it means.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The fields of an object.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub subquestions: Vec<Question>,
    /// The fields of each element of a sequence.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sequence_questions: Vec<Question>,
}

impl Questions {
    /// Reads `questions-ui.yml`.
    ///
    /// # Errors
    /// Text that is no YAML, keys that do not exist and wrong types; the first one, with its path.
    pub fn from_yaml(yaml: &str) -> Result<Self, PackagingError> {
        let value = parse("questions", yaml)?;
        serde_path_to_error::deserialize(value)
            .map_err(|error| PackagingError::new(error.path().to_string(), error.inner().to_string()))
    }

    /// The form as YAML, in one way only.
    ///
    /// # Errors
    /// None that is known: a form is text, lists and JSON.
    pub fn to_yaml(&self) -> Result<String, PackagingError> {
        print("questions", self)
    }
}

/// A default of `null` is one.
fn present<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(value).map(Some)
}
