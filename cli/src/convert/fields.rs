//! The objects of a document, read with the paths that messages name.

use manifest::found;
use serde_json::{Map, Value};

use super::manifest::Problem;
use crate::failure::Failure;
use crate::source::Name;

/// What is wrong with a field that nobody knows.
pub(super) const UNKNOWN: &str = "unknown field";

/// An object in a document.
///
/// A field that is null is a field that is not there, as for the API server.
#[derive(Clone, Debug)]
pub(super) struct Fields<'d> {
    document: &'d Name,
    path: String,
    map: &'d Map<String, Value>,
}

impl<'d> Fields<'d> {
    /// The object at a path; empty for the whole document.
    ///
    /// # Errors
    /// What is no object.
    pub(super) fn of(document: &'d Name, path: String, value: &'d Value) -> Result<Self, Failure> {
        match value {
            Value::Object(map) => Ok(Self { document, path, map }),
            other => Err(wrong(document, &path, "an object", other)),
        }
    }

    /// The path of a field.
    pub(super) fn path(&self, key: &str) -> String {
        // As people write it: a key with dots and slashes is no step of a path.
        let plain = key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
        match (self.path.as_str(), plain) {
            ("", true) => key.to_owned(),
            (path, true) => format!("{path}.{key}"),
            (path, false) => format!("{path}[{key:?}]"),
        }
    }

    /// A failure with a field.
    pub(super) fn failure(&self, key: &str, problem: &str) -> Failure {
        Failure::about(self.document, format!("{}: {problem}", self.path(key)))
    }

    /// A failure with an item of a list.
    pub(super) fn failure_in(&self, key: &str, index: usize, problem: &str) -> Failure {
        Failure::about(self.document, format!("{}[{index}]: {problem}", self.path(key)))
    }

    /// A field as it is.
    pub(super) fn get(&self, key: &str) -> Option<&'d Value> {
        self.map.get(key).filter(|value| !value.is_null())
    }

    /// All fields that are there.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&'d str, &'d Value)> {
        self.map.iter().filter(|(_, value)| !value.is_null()).map(|(key, value)| (key.as_str(), value))
    }

    /// The fields with other keys than these.
    pub(super) fn others(&self, known: &[&str]) -> impl Iterator<Item = (&'d str, &'d Value)> {
        self.iter().filter(|(key, _)| !known.contains(key))
    }

    /// Those fields with other keys of which there is something to say, as problems.
    pub(super) fn problems(
        &self,
        known: &[&str],
        why: impl Fn(&str, &Value) -> Option<&'static str>,
    ) -> Vec<Problem> {
        let problem = |(key, value)| Some(Problem::new(self.path(key), why(key, value)?));
        self.others(known).filter_map(problem).collect()
    }

    /// All fields with other keys, as problems.
    pub(super) fn unknown(&self, known: &[&str]) -> Vec<Problem> {
        self.problems(known, |_, _| Some(UNKNOWN))
    }

    /// A text.
    ///
    /// # Errors
    /// What is none.
    pub(super) fn text(&self, key: &str) -> Result<Option<&'d str>, Failure> {
        self.get(key).map(|value| text(self.document, &self.path(key), value)).transpose()
    }

    /// A boolean.
    ///
    /// # Errors
    /// What is none.
    pub(super) fn boolean(&self, key: &str) -> Result<Option<bool>, Failure> {
        let Some(value) = self.get(key) else { return Ok(None) };
        let wrong = || wrong(self.document, &self.path(key), "true or false", value);
        value.as_bool().map(Some).ok_or_else(wrong)
    }

    /// A list of texts; empty if it is not there.
    ///
    /// # Errors
    /// What is none.
    pub(super) fn texts(&self, key: &str) -> Result<Vec<&'d str>, Failure> {
        let path = self.path(key);
        let items = self.list(key)?.iter().enumerate();
        items.map(|(index, item)| text(self.document, &format!("{path}[{index}]"), item)).collect()
    }

    /// An object.
    ///
    /// # Errors
    /// What is none.
    pub(super) fn object(&self, key: &str) -> Result<Option<Self>, Failure> {
        self.get(key).map(|value| Self::of(self.document, self.path(key), value)).transpose()
    }

    /// A list of objects; empty if it is not there.
    ///
    /// # Errors
    /// What is none.
    pub(super) fn objects(&self, key: &str) -> Result<Vec<Self>, Failure> {
        let path = self.path(key);
        let items = self.list(key)?.iter().enumerate();
        items.map(|(index, item)| Self::of(self.document, format!("{path}[{index}]"), item)).collect()
    }

    /// An object of texts; empty if it is not there.
    ///
    /// # Errors
    /// What is none.
    pub(super) fn pairs(&self, key: &str) -> Result<Vec<(&'d str, &'d str)>, Failure> {
        let Some(object) = self.object(key)? else { return Ok(Vec::new()) };
        let pair = |(key, value)| Ok((key, text(object.document, &object.path(key), value)?));
        object.iter().map(pair).collect()
    }

    /// A list; empty if it is not there.
    ///
    /// # Errors
    /// What is none.
    pub(super) fn list(&self, key: &str) -> Result<&'d [Value], Failure> {
        match self.get(key) {
            None => Ok(&[]),
            Some(Value::Array(items)) => Ok(items),
            Some(other) => Err(wrong(self.document, &self.path(key), "a list", other)),
        }
    }
}

fn text<'d>(document: &Name, path: &str, value: &'d Value) -> Result<&'d str, Failure> {
    value.as_str().ok_or_else(|| wrong(document, path, "a string", value))
}

fn wrong(document: &Name, path: &str, expected: &str, value: &Value) -> Failure {
    let problem = format!("expected {expected}, found {}", found(value));
    if path.is_empty() {
        Failure::about(document, problem)
    } else {
        Failure::about(document, format!("{path}: {problem}"))
    }
}
