//! Marks: the places of findings and faults in the texts of the input.

use admission::Place;
use manifest::{Places, Step};

use crate::types::{Field, Input, Mark};

/// The location of the objects of a request.
#[derive(Clone, Debug)]
pub(crate) enum Origin {
    /// Each object is in its own text, or absent.
    Objects {
        /// The object under review.
        object: Option<Root>,
        /// The stored object.
        old_object: Option<Root>,
    },
    /// Both objects are in a request that the manifest contains.
    Request(Root),
}

/// The location of an object or a request.
#[derive(Clone, Debug)]
pub(crate) struct Root {
    pub(crate) field: Field,
    /// The index of the document in the text.
    pub(crate) document: usize,
    /// The path within the document, for example to an item of a `List`.
    pub(crate) path: Vec<Step>,
}

/// The locations in the texts of an input. Each text is parsed on first use.
pub(crate) struct Marker<'i> {
    input: &'i Input,
    manifest: Option<Places>,
    old_object: Option<Places>,
}

impl<'i> Marker<'i> {
    pub(crate) fn new(input: &'i Input) -> Self {
        Self { input, manifest: None, old_object: None }
    }

    /// The mark of a place in a request; `None` if the place is in none of the texts.
    pub(crate) fn mark(&mut self, origin: &Origin, place: &Place) -> Option<Mark> {
        let Root { field, document, path } = match place.origin {
            admission::Origin::Payload => resolve(origin, &place.steps)?,
            admission::Origin::Settings | admission::Origin::Lookup(_) => return None,
        };
        let (places, text) = match field {
            Field::OldObject => (&mut self.old_object, &self.input.old_object),
            _ => (&mut self.manifest, &self.input.manifest),
        };
        mark(places.get_or_insert_with(|| Places::of(text)), field, document, &path)
    }
}

/// Locates a path in a text of the input.
pub(crate) fn mark_in(text: &str, field: Field, document: usize, path: &[Step]) -> Option<Mark> {
    mark(&Places::of(text), field, document, path)
}

fn mark(places: &Places, field: Field, document: usize, path: &[Step]) -> Option<Mark> {
    let place = places.find(document, path)?;
    let number = |number: u64| u32::try_from(number).ok();
    Some(Mark {
        field,
        line: number(place.start.line)?,
        column: number(place.start.column)?,
        end_column: number(place.end.column)?,
    })
}

/// The steps from the root of a payload, as a path in a text.
fn resolve(origin: &Origin, steps: &[Step]) -> Option<Root> {
    let below = |root: &Root, path: &[Step]| Root {
        path: root.path.iter().chain(path).cloned().collect(),
        ..root.clone()
    };
    let [Step::Field(request), steps @ ..] = steps else { return None };
    if request != "request" {
        return None;
    }
    let (object, old_object) = match origin {
        Origin::Request(root) => return Some(below(root, steps)),
        Origin::Objects { object, old_object } => (object.as_ref(), old_object.as_ref()),
    };
    let [Step::Field(field), path @ ..] = steps else { return None };
    match field.as_str() {
        "object" => Some(below(object?, path)),
        "oldObject" => Some(below(old_object?, path)),
        // The name and the namespace of a request are those of its object.
        "name" | "namespace" => {
            let metadata = [Step::Field("metadata".to_owned()), Step::Field(field.clone())];
            Some(below(object.or(old_object)?, &metadata))
        }
        _ => None,
    }
}
