//! Comparison of a rule with a form of the library.

use serde_json::{Map, Value, json};

use super::fingerprint;
use crate::conversion::FieldProblem;
use crate::fields;

const EACH_CONTAINER: &str = "eachContainer";

const POD_METADATA: &str = "podMetadata";

/// The keys of patterns. There, a field that is null is a condition, which only a value that is
/// absent or empty meets (`validateNilPattern` in `pkg/engine/pattern/pattern.go` of
/// kyverno/kyverno at 111e07b). Elsewhere, such a field is absent.
const PATTERNS: [&str; 2] = ["pattern", "anyPattern"];

#[derive(Debug, Default)]
pub(super) struct Comparison {
    pub(super) same: usize,
    pub(super) all: usize,
    pub(super) first: Option<FieldProblem>,
    in_pattern: bool,
}

/// Writes a pattern of the library as Kyverno takes it.
pub(super) fn written_out(key: &str, content: &Value) -> Value {
    match (key, content) {
        ("pattern", Value::Object(pattern)) => pattern_of_pod(pattern),
        ("anyPattern", Value::Array(patterns)) => {
            patterns.iter().map(|pattern| written_out("pattern", pattern)).collect()
        }
        _ => content.clone(),
    }
}

fn pattern_of_pod(pattern: &Map<String, Value>) -> Value {
    let mut spec = Map::new();
    let mut whole = Map::new();
    for (key, value) in pattern {
        match key.as_str() {
            EACH_CONTAINER => {
                for list in ["=(ephemeralContainers)", "=(initContainers)", "containers"] {
                    spec.insert(list.to_owned(), json!([value]));
                }
            }
            POD_METADATA => drop(whole.insert("=(metadata)".to_owned(), value.clone())),
            _ => drop(spec.insert(key.clone(), value.clone())),
        }
    }
    if !spec.is_empty() {
        whole.insert("spec".to_owned(), spec.into());
    }
    whole.into()
}

impl Comparison {
    /// Compares a value with that of a form. `path` is that of the value.
    pub(super) fn compare(&mut self, expected: &Value, value: &Value, path: &str) {
        match (expected, value) {
            (Value::Object(expected), Value::Object(value)) => self.compare_maps(expected, value, path),
            (Value::Array(expected), Value::Array(value)) => {
                let mut items = value.iter();
                for (index, expected) in expected.iter().enumerate() {
                    match items.next() {
                        Some(item) => self.compare(expected, item, &fields::element(path, index)),
                        None => self.lacks(expected, path, &format!("has no element {index}")),
                    }
                }
                if items.next().is_some() {
                    self.differs(fields::element(path, expected.len()), "has no counterpart there");
                }
            }
            (Value::String(expected), Value::String(text)) => {
                self.all += 1;
                if fingerprint::is_expected(expected, text) {
                    self.same += 1;
                } else {
                    self.differs(path.to_owned(), "is another text");
                }
            }
            (expected, value) if expected == value => {
                self.all += 1;
                self.same += 1;
            }
            (expected, _) => self.lacks(expected, path, "is another value"),
        }
    }

    pub(super) fn compare_field(&mut self, key: &str, expected: &Value, value: &Value, path: &str) {
        let outside = self.in_pattern;
        self.in_pattern |= PATTERNS.contains(&key);
        self.compare(expected, value, path);
        self.in_pattern = outside;
    }

    fn compare_maps(&mut self, expected: &Map<String, Value>, value: &Map<String, Value>, path: &str) {
        for (key, expected) in expected {
            match value.get(key).filter(|value| self.in_pattern || !value.is_null()) {
                Some(value) => self.compare_field(key, expected, value, &fields::child(path, key)),
                None => self.lacks(expected, path, &format!("has no field {key}")),
            }
        }
        let is_present = |value: &Value| self.in_pattern || !value.is_null();
        let other = value.iter().find(|(key, value)| is_present(value) && !expected.contains_key(*key));
        if let Some((key, _)) = other {
            self.differs(fields::child(path, key), "has no counterpart there");
        }
    }

    /// Counts the values of a part of the form that a rule does not have.
    fn lacks(&mut self, expected: &Value, path: &str, problem: &str) {
        self.all += leaves(expected);
        self.differs(path.to_owned(), problem);
    }

    pub(super) fn differs(&mut self, path: String, problem: &str) {
        self.first.get_or_insert_with(|| FieldProblem::new(path, problem));
    }
}

fn leaves(value: &Value) -> usize {
    match value {
        Value::Object(map) => map.values().map(leaves).sum(),
        Value::Array(items) => items.iter().map(leaves).sum(),
        _ => 1,
    }
}
