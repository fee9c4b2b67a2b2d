//! Values of YAML with their positions.

use serde_json::Value;

use crate::Position;

#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) at: Position,
    /// The number of characters; zero if the value is not a scalar.
    pub(crate) length: u64,
    pub(crate) parts: Parts,
}

#[derive(Clone, Debug)]
pub(crate) enum Parts {
    Scalar(Value),
    List(Vec<Part>),
    /// The fields, with the positions of their keys.
    Object(Vec<(String, Position, Part)>),
}

impl Part {
    pub(crate) fn into_value(self) -> Value {
        match self.parts {
            Parts::Scalar(value) => value,
            Parts::List(items) => items.into_iter().map(Self::into_value).collect(),
            Parts::Object(fields) => {
                Value::Object(fields.into_iter().map(|(key, _, part)| (key, part.into_value())).collect())
            }
        }
    }

    pub(crate) fn is_null(&self) -> bool {
        matches!(self.parts, Parts::Scalar(Value::Null))
    }

    /// Moves the value and all values in it to the place of an alias.
    pub(crate) fn moved(mut self, at: Position, length: u64) -> Self {
        self.at = at;
        self.length = if matches!(self.parts, Parts::Scalar(_)) { length } else { 0 };
        self.parts = match self.parts {
            Parts::List(items) => Parts::List(items.into_iter().map(|item| item.moved(at, length)).collect()),
            Parts::Object(fields) => Parts::Object(
                fields.into_iter().map(|(key, _, part)| (key, at, part.moved(at, length))).collect(),
            ),
            scalar @ Parts::Scalar(_) => scalar,
        };
        self
    }

    /// Returns the depth of the values below this one.
    pub(crate) fn height(&self) -> usize {
        let inner = match &self.parts {
            Parts::Scalar(_) => return 0,
            Parts::List(items) => items.iter().map(Self::height).max(),
            Parts::Object(fields) => fields.iter().map(|(.., part)| part.height()).max(),
        };
        inner.unwrap_or_default() + 1
    }
}
