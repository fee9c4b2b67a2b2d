//! The fields of a document, read with the paths that errors name.

use std::sync::LazyLock;

use manifest::found;
use serde_json::{Map, Value};

use crate::conversion::FieldProblem;
use crate::{Document, InputError};

pub(crate) const UNKNOWN: &str = "unknown field";

/// The fields of an absent object.
static NOTHING: LazyLock<Map<String, Value>> = LazyLock::new(Map::new);

/// An object in a document.
///
/// As for the API server, a field that is null is absent.
#[derive(Clone, Debug)]
pub(crate) struct Fields<'d> {
    document: &'d str,
    path: String,
    map: &'d Map<String, Value>,
    /// Whether the document does not have the object, whose fields then have its path.
    is_absent: bool,
}

impl<'d> Fields<'d> {
    pub(crate) fn of(document: &'d Document) -> Result<Self, InputError> {
        Self::at(&document.name, String::new(), &document.value)
    }

    fn at(document: &'d str, path: String, value: &'d Value) -> Result<Self, InputError> {
        match value {
            Value::Object(map) => Ok(Self { document, path, map, is_absent: false }),
            other => Err(wrong_type(document, path, "an object", other)),
        }
    }

    pub(crate) fn document(&self) -> &'d str {
        self.document
    }

    pub(crate) fn path(&self, key: &str) -> String {
        if self.is_absent { self.path.clone() } else { child(&self.path, key) }
    }

    pub(crate) fn whole(&self) -> &str {
        &self.path
    }

    pub(crate) fn error(&self, key: &str, problem: impl Into<String>) -> InputError {
        error(self.document, self.path(key), problem)
    }

    pub(crate) fn element_error(&self, key: &str, index: usize, problem: impl Into<String>) -> InputError {
        error(self.document, element(&self.path(key), index), problem)
    }

    pub(crate) fn document_error(&self, problem: impl Into<String>) -> InputError {
        error(self.document, String::new(), problem)
    }

    pub(crate) fn missing(&self, key: &str) -> InputError {
        self.error(key, "is missing")
    }

    pub(crate) fn get(&self, key: &str) -> Option<&'d Value> {
        self.map.get(key).filter(|value| !value.is_null())
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&'d str, &'d Value)> {
        self.map.iter().filter(|(_, value)| !value.is_null()).map(|(key, value)| (key.as_str(), value))
    }

    /// The fields with keys other than the known ones.
    pub(crate) fn others(&self, known: &[&str]) -> impl Iterator<Item = (&'d str, &'d Value)> {
        self.iter().filter(|(key, _)| !known.contains(key))
    }

    pub(crate) fn problems(
        &self,
        known: &[&str],
        problem: impl Fn(&str, &Value) -> Option<&'static str>,
    ) -> Vec<FieldProblem> {
        let problem = |(key, value)| Some(FieldProblem::new(self.path(key), problem(key, value)?));
        self.others(known).filter_map(problem).collect()
    }

    pub(crate) fn unknown(&self, known: &[&str]) -> Vec<FieldProblem> {
        self.problems(known, |_, _| Some(UNKNOWN))
    }

    pub(crate) fn text(&self, key: &str) -> Result<Option<&'d str>, InputError> {
        self.get(key).map(|value| text(self.document, self.path(key), value)).transpose()
    }

    pub(crate) fn required_text(&self, key: &str) -> Result<&'d str, InputError> {
        self.text(key)?.ok_or_else(|| self.missing(key))
    }

    pub(crate) fn boolean(&self, key: &str) -> Result<Option<bool>, InputError> {
        let Some(value) = self.get(key) else { return Ok(None) };
        let wrong = || wrong_type(self.document, self.path(key), "true or false", value);
        value.as_bool().map(Some).ok_or_else(wrong)
    }

    /// An integer.
    pub(crate) fn integer(&self, key: &str) -> Result<Option<i64>, InputError> {
        let Some(value) = self.get(key) else { return Ok(None) };
        let wrong = || wrong_type(self.document, self.path(key), "an integer", value);
        value.as_i64().map(Some).ok_or_else(wrong)
    }

    /// A list of strings, as [`texts`](Self::texts) returns them, without the lifetime of the
    /// document.
    pub(crate) fn strings(&self, key: &str) -> Result<Vec<String>, InputError> {
        Ok(self.texts(key)?.into_iter().map(str::to_owned).collect())
    }

    /// A list of strings; empty if the field is absent.
    pub(crate) fn texts(&self, key: &str) -> Result<Vec<&'d str>, InputError> {
        let path = self.path(key);
        let items = self.list(key)?.iter().enumerate();
        items.map(|(index, item)| text(self.document, element(&path, index), item)).collect()
    }

    pub(crate) fn object(&self, key: &str) -> Result<Option<Self>, InputError> {
        self.get(key).map(|value| Self::at(self.document, self.path(key), value)).transpose()
    }

    /// An object; an absent one has no fields.
    pub(crate) fn optional(&self, key: &str) -> Result<Self, InputError> {
        let (document, path) = (self.document, self.path(key));
        Ok(self.object(key)?.unwrap_or_else(|| Self { document, path, map: &NOTHING, is_absent: true }))
    }

    /// An object that must be present.
    pub(crate) fn required_object(&self, key: &str) -> Result<Self, InputError> {
        self.object(key)?.ok_or_else(|| self.missing(key))
    }

    /// A list of objects; empty if the field is absent.
    pub(crate) fn objects(&self, key: &str) -> Result<Vec<Self>, InputError> {
        let path = self.path(key);
        let items = self.list(key)?.iter().enumerate();
        items.map(|(index, item)| Self::at(self.document, element(&path, index), item)).collect()
    }

    /// An object of strings; empty if the field is absent.
    pub(crate) fn pairs(&self, key: &str) -> Result<Vec<(&'d str, &'d str)>, InputError> {
        let Some(object) = self.object(key)? else { return Ok(Vec::new()) };
        let pair = |(key, value)| Ok((key, text(object.document, object.path(key), value)?));
        object.iter().map(pair).collect()
    }

    /// A list; empty if the field is absent.
    pub(crate) fn list(&self, key: &str) -> Result<&'d [Value], InputError> {
        match self.get(key) {
            None => Ok(&[]),
            Some(Value::Array(items)) => Ok(items),
            Some(other) => Err(wrong_type(self.document, self.path(key), "a list", other)),
        }
    }
}

pub(crate) fn child(path: &str, key: &str) -> String {
    // A key with dots or slashes is quoted in brackets.
    let is_plain = key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
    match (path, is_plain) {
        ("", true) => key.to_owned(),
        (path, true) => format!("{path}.{key}"),
        (path, false) => format!("{path}[{}]", Value::from(key)),
    }
}

pub(crate) fn element(path: &str, index: usize) -> String {
    format!("{path}[{index}]")
}

fn text<'d>(document: &str, path: String, value: &'d Value) -> Result<&'d str, InputError> {
    value.as_str().ok_or_else(|| wrong_type(document, path, "a string", value))
}

fn wrong_type(document: &str, path: String, expected: &str, value: &Value) -> InputError {
    error(document, path, format!("expected {expected}, found {}", found(value)))
}

fn error(document: &str, path: String, problem: impl Into<String>) -> InputError {
    InputError { document: document.to_owned(), path, problem: problem.into() }
}
