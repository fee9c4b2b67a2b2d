//! The places of objects and their fields in the input.

use std::cell::OnceCell;

use manifest::Places;
use report::{Place, Span};
use text::Step;

use crate::input::Chunk;
use crate::rendered::{self, Noted};
use crate::spot::{START, Spot, position};

/// Finds places in a piece. The places are computed when the first one is asked for.
#[derive(Debug)]
pub struct Locator<'c> {
    chunk: &'c Chunk,
    places: OnceCell<Places>,
    /// The object in the file that Kustomize read it from.
    noted: OnceCell<Option<Noted>>,
}

impl<'c> Locator<'c> {
    /// Creates a locator for the entries of a piece.
    #[must_use]
    pub fn new(chunk: &'c Chunk) -> Self {
        Self { chunk, places: OnceCell::new(), noted: OnceCell::new() }
    }

    /// Creates a locator for findings that are not reported: it computes no places.
    pub(crate) fn nowhere(chunk: &'c Chunk) -> Self {
        Self { chunk, places: Places::of("").into(), noted: None.into() }
    }

    /// The file of an entry.
    pub(crate) fn file(&self, entry: &Spot) -> String {
        rendered::source(self.chunk, entry)
    }

    /// The path by which the file is known in another state of the input.
    pub(crate) fn path(&self) -> &str {
        &self.chunk.origin.path
    }

    /// Returns the place of a path in a value, or of its nearest ancestor in it; without a path, or
    /// if nothing of it exists, the place of the value, which is not exact.
    #[must_use]
    pub fn place(&self, entry: &Spot, path: Option<&[Step]>) -> Place {
        let exact = path.filter(|path| !path.is_empty()).and_then(|path| self.find(entry, path));
        if !self.chunk.origin.is_rendered
            && let Some(place) = exact
        {
            return self.in_file(place, true);
        }
        // Kustomize writes one object a document, so that a piece has one.
        let noted = self.noted.get_or_init(|| Noted::find(self.chunk, entry));
        if let Some(place) = noted.as_ref().and_then(|noted| noted.place(path)) {
            return place;
        }
        let kind = [Step::Field("kind".to_owned())];
        let metadata = [Step::Field("metadata".to_owned())];
        let place = self.find(entry, &kind).or_else(|| self.find(entry, &metadata));
        let place = place.or_else(|| self.places().find(entry.document, &entry.steps));
        let place = place.or_else(|| self.places().document(entry.document));
        let place = place.unwrap_or(manifest::Place { start: START, end: START });
        rendered::template_place(self.chunk, entry, self.in_file(place, false))
    }

    /// Returns the place of a path below a value; `None` if the first step does not exist.
    fn find(&self, entry: &Spot, path: &[Step]) -> Option<manifest::Place> {
        let first: Vec<Step> = entry.steps.iter().chain(path.first()).cloned().collect();
        let steps: Vec<Step> = entry.steps.iter().chain(path).cloned().collect();
        let places = self.places();
        let first = places.find_exactly(entry.document, &first)?;
        places.find(entry.document, &steps).or(Some(first))
    }

    fn places(&self) -> &Places {
        self.places.get_or_init(|| Places::of(&self.chunk.text))
    }

    fn in_file(&self, place: manifest::Place, is_exact: bool) -> Place {
        let position = |at| position(self.chunk.position(at));
        let span = Some(Span { start: position(place.start), end: position(place.end) });
        Place { file: self.chunk.origin.name.clone(), span, is_exact }
    }
}
