//! The form of a policy in Rancher: its questions, and the setting that each answer becomes.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::packaging::PackagingError;
use crate::packaging::metadata::{parse, print};

/// The content of `questions-ui.yml`.
///
/// # Example
/// ```
/// let form = kubewarden::packaging::Questions::from_yaml("questions: [{variable: mode, labl: Mode}]");
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
    /// The path of the setting, with dots; in a sequence, its path in the element.
    pub variable: String,
    /// The label in the form.
    pub label: String,
    /// The type: `string`, `boolean`, `int`, `enum`, `array[`, `map[` or `sequence[`.
    #[serde(default, rename = "type")]
    pub kind: String,
    /// The section of the form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Whether an answer is required. Rancher looks up the whole path as one key, so that it never
    /// finds the answer to a path with dots.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub required: Option<bool>,
    /// Whether there is no input, as for a heading.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hide_input: Option<bool>,
    /// The condition for showing the question, such as `mode=Warn`; several are joined by `||` or
    /// `&&`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub show_if: Option<String>,
    /// The options of an `enum`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// The answer if nobody changes it. Without a default the form writes nothing; with `null` it
    /// writes null.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
    /// An example, shown in the empty field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placeholder: Option<String>,
    /// The meaning of the setting.
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
    /// The first syntax error, unknown key or wrong type, with its path.
    pub fn from_yaml(yaml: &str) -> Result<Self, PackagingError> {
        let value = parse("questions", yaml)?;
        serde_path_to_error::deserialize(value)
            .map_err(|error| PackagingError::new(error.path().to_string(), error.inner().to_string()))
    }

    /// The form as YAML; equal forms give equal text.
    ///
    /// # Errors
    /// None known: YAML can represent every form.
    pub fn to_yaml(&self) -> Result<String, PackagingError> {
        print("questions", self)
    }
}

/// Reads a default, so that `null` differs from no default.
fn present<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(value).map(Some)
}
