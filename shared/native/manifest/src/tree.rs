//! The positions of all values in a document.

use serde_json::Value;

use crate::part::{Part, Parts};
use crate::position::Position;

#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) at: Position,
    /// The number of characters; zero if the value is not a scalar.
    pub(crate) length: u64,
    pub(crate) tree: Tree,
}

#[derive(Debug)]
pub(crate) enum Tree {
    Null,
    Scalar,
    List(Vec<Node>),
    /// The fields, with the positions of their keys.
    Object(Vec<(String, Position, Node)>),
}

impl From<Part> for Node {
    fn from(part: Part) -> Self {
        let tree = match part.parts {
            Parts::Scalar(Value::Null) => Tree::Null,
            Parts::Scalar(_) => Tree::Scalar,
            Parts::List(items) => Tree::List(items.into_iter().map(Self::from).collect()),
            Parts::Object(fields) => {
                Tree::Object(fields.into_iter().map(|(key, at, part)| (key, at, part.into())).collect())
            }
        };
        let length = if let Tree::Scalar = tree { part.length } else { 0 };
        Self { at: part.at, length, tree }
    }
}
