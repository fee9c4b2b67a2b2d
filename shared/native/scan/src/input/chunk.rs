//! The pieces of a text that are parsed one at a time.

use std::sync::Arc;

use manifest::{Position, Problem};
use report::Level;
use serde_json::{Map, Value};

use crate::rendered::Notes;

/// A part of a text above which the items of a list are read one by one.
pub(crate) const SPLIT: usize = 256 * 1024;

/// The longest document or item that is read. An API server accepts requests of 3 MiB; a review
/// holds two objects.
pub(crate) const LIMIT: usize = 8 * 1024 * 1024;

/// A piece of a text: some documents, or an item of a long list.
#[derive(Clone, Debug)]
pub struct Chunk {
    /// The file or program that the text is from.
    pub origin: Arc<Origin>,
    /// The text.
    pub text: String,
    /// The position of the text in its file.
    pub at: Position,
    /// The list that the text is an item of; `None` for whole documents.
    pub list: Option<Arc<List>>,
    /// Whether the text is a long list without its items, which are pieces of their own.
    pub is_envelope: bool,
}

impl Chunk {
    /// Creates the piece with an object of a running cluster, as a list has it.
    #[must_use]
    pub fn live(origin: Arc<Origin>, text: String, list: Arc<List>) -> Self {
        Self { origin, text, at: Cursor::START.0, list: Some(list), is_envelope: false }
    }

    pub(crate) fn empty(name: &str) -> Self {
        let at = Cursor::START.0;
        Self { origin: Origin::file(name), text: String::new(), at, list: None, is_envelope: false }
    }

    pub(crate) fn position(&self, at: Position) -> Position {
        within(self.at, at)
    }
}

/// Returns the position in a text of a position in a part of it, which begins at `part`.
pub(crate) fn within(part: Position, at: Position) -> Position {
    let column = if at.line == 1 { part.column.saturating_sub(1) } else { 0 };
    Position { line: at.line + part.line.saturating_sub(1), column: at.column + column }
}

/// The origin of a text.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Origin {
    /// The name of the file in reports; `-` for the standard input.
    pub name: String,
    /// The path by which the file is known in another state of the input. If there is one argument,
    /// it is relative to it: that of the argument itself is "".
    pub path: String,
    /// The folder of the chart whose templates the text was rendered from, as Helm notes in
    /// comments; `None` for a text that nothing rendered.
    pub chart: Option<String>,
    /// The namespace of the release of a chart, in which Helm creates objects that name none.
    pub namespace: Option<String>,
    /// Kustomize's notes of origin, if they were added for the scan. They are not part of the
    /// objects.
    pub notes: Option<Arc<Notes>>,
    /// Whether a program rendered the text, so that its lines are in no file.
    pub is_rendered: bool,
    /// The level of a template that cannot be read, in a file that was found in a folder; `None`
    /// for a file of which every text has to be read.
    pub of_templates: Option<Level>,
    /// Whether the text is one of a chart that is not rendered. Its templates are not read.
    pub is_of_chart: bool,
}

impl Origin {
    /// Creates the origin of a file, or of the standard input for `-`.
    #[must_use]
    pub fn file(name: impl Into<String>) -> Arc<Self> {
        let name = name.into();
        Arc::new(Self { path: name.clone(), name, ..Self::default() })
    }
}

/// The fields of a long list that its items inherit.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct List {
    /// The API version and kind of the list, as far as they precede its items.
    pub(crate) fields: Map<String, Value>,
}

impl List {
    /// Creates a list of objects of a kind.
    #[must_use]
    pub fn of(api_version: &str, kind: &str) -> Arc<Self> {
        let text = |name: &str, value: String| (name.to_owned(), Value::String(value));
        let fields = [text("apiVersion", api_version.to_owned()), text("kind", format!("{kind}List"))];
        Arc::new(Self { fields: fields.into_iter().collect() })
    }
}

/// A text that cannot be read, with the place.
#[derive(Clone, Debug)]
pub struct Unreadable {
    /// The origin.
    pub origin: Arc<Origin>,
    /// The problem and its position.
    pub problem: Problem,
    /// How much it matters.
    pub level: Level,
}

impl Unreadable {
    /// Creates a problem that is in no text.
    #[must_use]
    pub fn new(origin: Arc<Origin>, message: String) -> Self {
        Self { origin, problem: Problem::new(None, message), level: Level::Error }
    }
}

/// A position that follows a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor(pub(crate) Position);

impl Cursor {
    pub(crate) const START: Self = Self(Position { line: 1, column: 1 });

    pub(crate) fn pass(&mut self, text: &[u8]) {
        let number = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
        let characters = |text: &[u8]| number(text.iter().filter(|byte| (**byte & 0xc0) != 0x80).count());
        match memchr::memrchr(b'\n', text) {
            None => self.0.column += characters(text),
            Some(last) => {
                self.0.line += number(memchr::memchr_iter(b'\n', text).count());
                let behind = text.get(last.saturating_add(1)..).unwrap_or_default();
                self.0.column = characters(behind) + 1;
            }
        }
    }
}

pub(crate) fn utf8(bytes: Vec<u8>, at: Position) -> Result<String, Problem> {
    String::from_utf8(bytes).map_err(|error| {
        let mut cursor = Cursor(at);
        cursor.pass(error.as_bytes().get(..error.utf8_error().valid_up_to()).unwrap_or_default());
        Problem::new(Some(cursor.0), "not valid UTF-8")
    })
}

pub(crate) fn too_long(at: Position) -> Problem {
    let message = "longer than 8 MiB, which no API server accepts as an object; it is not evaluated";
    Problem::new(Some(at), message)
}
