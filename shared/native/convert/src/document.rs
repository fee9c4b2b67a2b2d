//! The documents to convert.

use std::error::Error;
use std::fmt;

use serde_json::Value;

/// A document to convert.
#[derive(Clone, Debug)]
pub struct Document {
    /// The name of the document in errors, such as that of its file.
    pub name: String,
    /// The content.
    pub value: Value,
}

/// A document that Kyverno or the API server would not accept.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct InputError {
    /// The name of the document.
    pub document: String,
    /// The path of the field, empty for the whole document.
    pub path: String,
    /// The problem with the field.
    pub problem: String,
}

/// `document: path: problem`.
impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { document, path, problem } = self;
        if path.is_empty() {
            write!(f, "{document}: {problem}")
        } else {
            write!(f, "{document}: {path}: {problem}")
        }
    }
}

impl Error for InputError {}
