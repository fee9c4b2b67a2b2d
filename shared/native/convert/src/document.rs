//! The documents to convert.

use std::error::Error;
use std::fmt;

use manifest::Step;
use serde_json::Value;

/// An object to convert, such as an item of a list.
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

/// Returns the steps of a path in an [`InputError`] or in a [`Difference`](crate::Difference),
/// to find its place in the text.
///
/// ```
/// use manifest::Step;
///
/// let steps = [Step::Field("a.b".to_owned()), Step::Index(1), Step::Field("c".to_owned())];
/// assert_eq!(convert::steps("[\"a.b\"][1].c"), steps);
/// ```
#[must_use]
pub fn steps(path: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        let inside = rest.strip_prefix('[').unwrap_or_default();
        let (step, after) = if inside.starts_with('"') {
            let mut texts = serde_json::Deserializer::from_str(inside).into_iter::<String>();
            let Some(Ok(name)) = texts.next() else { break };
            let after = inside.get(texts.byte_offset()..).unwrap_or_default();
            (Step::Field(name), after.strip_prefix(']').unwrap_or(after))
        } else if let Some((index, after)) = inside.split_once(']') {
            let Ok(index) = index.parse() else { break };
            (Step::Index(index), after)
        } else {
            let (name, after) = rest.split_at(rest.find(['.', '[']).unwrap_or(rest.len()));
            if name.is_empty() {
                break;
            }
            (Step::Field(name.to_owned()), after)
        };
        steps.push(step);
        rest = after.strip_prefix('.').unwrap_or(after);
    }
    steps
}
