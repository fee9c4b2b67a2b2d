//! Locations in a piece of the input.

use text::Step;

/// The location of an entry in its piece.
#[derive(Debug, Default)]
pub struct Spot {
    pub(crate) document: usize,
    pub(crate) steps: Vec<Step>,
    pub(crate) rendered: Rendered,
}

/// The notes of a renderer in an object.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rendered {
    pub(crate) kind: String,
    pub(crate) name: String,
    /// The annotation of Kustomize about the origin of the object.
    pub(crate) origin: Option<String>,
}

pub(crate) const START: manifest::Position = manifest::Position { line: 1, column: 1 };

/// Returns a position as reports have it.
pub(crate) fn position(at: manifest::Position) -> report::Position {
    report::Position { line: at.line, column: at.column }
}
