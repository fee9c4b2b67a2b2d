//! From a path in a message to a place in a text of the input.

use manifest::{Places, Step, steps};

use crate::types::{Field, Input, Line, Mark};

/// Where the objects of a request stand.
#[derive(Clone, Debug)]
pub(crate) enum Origin {
    /// Each in a text of its own, or nowhere.
    Objects {
        /// The object under review.
        object: Option<Root>,
        /// The stored object.
        old_object: Option<Root>,
    },
    /// Both in a request that was given whole.
    Request(Root),
}

/// Where an object or a request begins.
#[derive(Clone, Debug)]
pub(crate) struct Root {
    pub(crate) field: Field,
    /// Which document of the text.
    pub(crate) document: usize,
    /// The way to it, as for an item of a `List`.
    pub(crate) path: Vec<Step>,
}

/// The places of the texts of an input, each read when it is asked for.
pub(crate) struct Marker<'i> {
    input: &'i Input,
    manifest: Option<Places>,
    old_object: Option<Places>,
}

impl<'i> Marker<'i> {
    pub(crate) fn new(input: &'i Input) -> Self {
        Self { input, manifest: None, old_object: None }
    }

    /// A line of a message, with the place that its path names.
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

/// The place of a path in a text of the input.
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

/// A path in a message, which begins at the object, at `oldObject` or at `request`, as a path in a text.
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
        // Name and namespace of a request are those of its object.
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
