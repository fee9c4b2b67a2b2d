//! Locates the paths of messages in the texts of the input.

use manifest::{Places, Step, steps};

use crate::types::{Field, Input, Line, Mark};

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

    /// Locates the path at the beginning of a message.
    pub(crate) fn line(&mut self, origin: &Origin, id: &str, message: String) -> Line {
        let mark = self.of(origin, id, &message);
        Line { message, mark }
    }

    fn of(&mut self, origin: &Origin, id: &str, message: &str) -> Option<Mark> {
        let fault =
            message.strip_prefix(id).and_then(|rest| rest.strip_prefix(": cannot judge this request: "));
        let (path, _) = steps(fault.unwrap_or(message))?;
        let Root { field, document, path } = resolve(origin, path)?;
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

/// Converts the path of a message, which starts at the object, at `oldObject` or at `request`, to a
/// path in a text.
fn resolve(origin: &Origin, path: Vec<Step>) -> Option<Root> {
    let is = |step: Option<&Step>, name: &str| matches!(step, Some(Step::Field(field)) if field == name);
    let (first, second) = (path.first(), path.get(1));
    let of_request = is(first, "request");
    let of_old = is(first, "oldObject");
    let rest = |skipped: usize| path.iter().skip(skipped).cloned().collect::<Vec<Step>>();
    let field = |name: &str| Step::Field(name.to_owned());
    let (root, path) = match origin {
        Origin::Request(root) if of_request => (root, rest(1)),
        Origin::Request(root) if of_old => (root, path),
        Origin::Request(root) => (root, [field("object")].into_iter().chain(path).collect()),
        Origin::Objects { old_object, .. } if of_old => (old_object.as_ref()?, rest(1)),
        Origin::Objects { old_object, .. } if of_request && is(second, "oldObject") => {
            (old_object.as_ref()?, rest(2))
        }
        Origin::Objects { object, .. } if of_request && is(second, "object") => (object.as_ref()?, rest(2)),
        // The name and namespace of a request are those of its object.
        Origin::Objects { object, old_object }
            if of_request && (is(second, "name") || is(second, "namespace")) =>
        {
            let path = [field("metadata")].into_iter().chain(rest(1)).collect();
            (object.as_ref().or(old_object.as_ref())?, path)
        }
        Origin::Objects { .. } if of_request => return None,
        Origin::Objects { object, .. } => (object.as_ref()?, path),
    };
    Some(Root { path: root.path.iter().cloned().chain(path).collect(), ..root.clone() })
}
