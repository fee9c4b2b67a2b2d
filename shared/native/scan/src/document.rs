//! The documents of a text in memory, for programs that evaluate while somebody types.

use std::cell::OnceCell;
use std::io;
use std::rc::Rc;
use std::sync::Arc;

use manifest::{Places, Position, Problem};
use text::Step;

use crate::entry::{self, Entries, Entry};
use crate::input::{Chunk, List, Origin, Piece, Pieces, within};
use crate::spot::START;

/// A document of a text, or an item of a long list. A document that cannot be read does not hide
/// the others.
#[derive(Debug)]
pub struct Document {
    /// The text.
    pub text: String,
    /// The list that the text is an item of.
    list: Option<Arc<List>>,
    /// The objects and requests, with their places.
    pub entries: Vec<Entry>,
    /// The error because of which the document has no entries. Its position is that in the
    /// document.
    pub problem: Option<Problem>,
    /// The first duplicate key. Its position is that in the document.
    pub duplicate: Option<Problem>,
    places: OnceCell<Places>,
}

/// A document at its position in a text.
#[derive(Clone, Debug)]
pub struct Placed {
    /// The position in the text.
    pub at: Position,
    /// The document.
    pub document: Rc<Document>,
}

/// Splits a text into its documents, as a scan splits files. `known` returns a document that was
/// read before from the same text, so that a text that changes a little is not read as a whole.
pub fn documents(text: &str, known: &dyn Fn(&str) -> Option<Rc<Document>>) -> Vec<Placed> {
    let mut found = Vec::new();
    let unreadable = |problem: Problem| Placed {
        at: problem.at.unwrap_or(START),
        document: Rc::new(Document::unreadable(None, String::new(), problem.at(Some(START)))),
    };
    let mut pieces = match Pieces::new(io::Cursor::new(text.as_bytes())) {
        Ok(pieces) => pieces,
        Err(problem) => return vec![unreadable(problem)],
    };
    while let Some(piece) = pieces.next() {
        found.push(match piece {
            Ok(piece) => {
                // The items of a list inherit its kind.
                let known = known(&piece.text).filter(|known| known.list == piece.list);
                Placed { at: piece.at, document: known.unwrap_or_else(|| Rc::new(Document::read(piece))) }
            }
            Err(problem) => unreadable(problem),
        });
    }
    found
}

impl Document {
    fn read(piece: Piece) -> Self {
        let Piece { text, list, is_envelope, .. } = piece;
        // Positions are those in the document: that in the text changes while somebody types above.
        let chunk = Chunk { origin: Origin::file(""), text, at: START, list, is_envelope };
        match entry::read(&chunk) {
            Ok(Entries { entries, duplicate, .. }) => {
                let Chunk { text, list, .. } = chunk;
                Self { text, list, entries, problem: None, duplicate, places: OnceCell::new() }
            }
            Err(problem) => Self::unreadable(chunk.list, chunk.text, problem),
        }
    }

    fn unreadable(list: Option<Arc<List>>, text: String, problem: Problem) -> Self {
        let (problem, places) = (Some(problem), OnceCell::new());
        Self { text, list, entries: Vec::new(), problem, duplicate: None, places }
    }
}

impl Placed {
    /// Returns the place in the whole text of a path in an entry, or of its nearest ancestor that
    /// exists, and whether the path exists.
    #[must_use]
    pub fn place(&self, entry: &Entry, path: &[Step]) -> Option<(manifest::Place, bool)> {
        let steps: Vec<Step> = entry.steps.iter().chain(path).cloned().collect();
        let places = self.document.places.get_or_init(|| Places::of(&self.document.text));
        let exact = places.find_exactly(entry.document, &steps);
        let place = exact.or_else(|| places.find(entry.document, &steps))?;
        let place = manifest::Place { start: self.position(place.start), end: self.position(place.end) };
        Some((place, exact.is_some()))
    }

    /// Returns the position in the whole text of a position in the document.
    #[must_use]
    pub fn position(&self, at: Position) -> Position {
        within(self.at, at)
    }
}
