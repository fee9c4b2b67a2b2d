//! The objects and reviews in a piece of the input.

use kubernetes::review::Form;
use manifest::{Places, Position, Problem, found};
use report::{Level, Notice, Place};
use serde_json::Value;
use text::Step;

use crate::exceptions::was_stored;
use crate::guards::{Suspicion, misspelt, suspicions, suspicions_of_review};
use crate::input::Chunk;
use crate::locate::Locator;
use crate::rendered;
use crate::spot::{Rendered, Spot};

/// The effect of a duplicate key: by `fieldValidation` in the reference of the Kubernetes API, a
/// server stores the last value, warns of it under `Warn`, and refuses it under `Strict`.
pub const DUPLICATE: &str =
    "only the last value counts, and an API server refuses both with strict field validation; remove one";

const SKIPPED_REVIEW: &str = "a review is a request, and not an object that exists; it is skipped";

/// A value of an input that may be an object.
#[derive(Debug)]
pub struct Entry {
    /// The number of the document in its text: JSON can have several.
    pub document: usize,
    /// The steps from the document to the value: those into lists.
    pub steps: Vec<Step>,
    /// The content.
    pub content: Content,
}

impl Entry {
    fn rendered(&self) -> Rendered {
        let Content::Object(object) = &self.content else { return Rendered::default() };
        let text = |pointer| object.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
        Rendered {
            kind: text("/kind").unwrap_or_default(),
            name: text("/metadata/name").unwrap_or_default(),
            origin: text("/metadata/annotations/config.kubernetes.io~1origin"),
        }
    }

    /// Takes the content, and what locates the entry without it.
    #[must_use]
    pub fn take(mut self, chunk: &Chunk) -> (Content, Spot) {
        let rendered = if chunk.origin.is_rendered { self.rendered() } else { Rendered::default() };
        let mut content = std::mem::replace(&mut self.content, Content::Other(String::new()));
        if let Content::Object(object) = &mut content {
            if chunk.origin.notes.is_some() {
                rendered::remove_note(object);
            }
            if let Some(namespace) = &chunk.origin.namespace {
                rendered::set_namespace(object, namespace);
            }
        }
        (content, Spot { document: self.document, steps: self.steps, rendered })
    }
}

/// The content of an entry.
#[derive(Debug)]
pub enum Content {
    /// A Kubernetes object.
    Object(Value),
    /// A review or a request.
    Review(Value),
    /// An object without its API version or its kind, with a sentence that says so. Servers refuse
    /// it.
    Untyped(Value, String),
    /// Something else, with the reason why it is not an object.
    Other(String),
}

/// The content of a piece.
#[derive(Debug)]
pub struct Entries {
    /// The objects and reviews, those in lists among them.
    pub entries: Vec<Entry>,
    /// The number of documents. An empty list is a document without entries.
    pub documents: usize,
    pub(crate) duplicate: Option<Problem>,
}

impl Content {
    /// Returns why a value is not evaluated, and how much that matters; `None` for an object or a
    /// review.
    pub(crate) fn problem(&self, chunk: &Chunk, steps: &[Step]) -> Option<(Level, String)> {
        let is_item = chunk.list.is_some() || steps.iter().any(|step| matches!(step, Step::Field(_)));
        let (level, problem, remedy) = match self {
            Self::Object(_) | Self::Review(_) => return None,
            // An item without a kind is an object whose kind the list names too late.
            Self::Untyped(_, problem) | Self::Other(problem) if is_item => {
                (Level::Error, problem, "give each item its apiVersion and kind, as kubectl get does")
            }
            Self::Untyped(_, problem) => {
                (Level::Warning, problem, "it is skipped, and an API server refuses it")
            }
            Self::Other(problem) => (Level::Note, problem, "it is skipped"),
        };
        Some((level, format!("{problem}; {remedy}")))
    }
}

impl Entry {
    pub(crate) fn is_object(&self) -> bool {
        matches!(self.content, Content::Object(_))
    }
}

impl Entries {
    /// Returns what a scan says about the entries themselves: that a key is repeated, which values
    /// are skipped, and what is suspicious in an object.
    #[must_use]
    pub fn remarks(&self, chunk: &Chunk) -> Vec<Notice> {
        let locator = Locator::new(chunk);
        let mut remarks: Vec<Notice> = self.warning(chunk).into_iter().collect();
        for Entry { document, steps, content } in &self.entries {
            let spot = Spot { document: *document, steps: steps.clone(), rendered: Rendered::default() };
            if let Some((level, message)) = content.problem(chunk, steps) {
                remarks.push(Notice { level, place: Some(locator.place(&spot, None)), message });
            }
            let suspicions = match content {
                Content::Object(object) => suspicions(object),
                Content::Review(review) => suspicions_of_review(review),
                Content::Untyped(..) | Content::Other(_) => Vec::new(),
            };
            remarks.extend(suspicions.into_iter().map(|Suspicion { path, message }| {
                let place = Some(locator.place(&spot, Some(&path)));
                Notice { level: Level::Warning, place, message }
            }));
        }
        remarks
    }

    /// Returns what is lost where only objects count, as in a cluster: values of repeated keys,
    /// reviews, objects without a name or with a kind that does not exist, and objects without
    /// their kind or API version, which are problems of `untyped`.
    pub(crate) fn lost(&self, chunk: &Chunk, untyped: Level) -> Vec<Notice> {
        let locator = Locator::new(chunk);
        let mut lost: Vec<Notice> = self.warning(chunk).into_iter().collect();
        for Entry { document, steps, content } in &self.entries {
            let problem = match content {
                Content::Review(_) => Some((Level::Warning, SKIPPED_REVIEW.to_owned())),
                Content::Object(object) => cannot_be_stored(object).map(|problem| (Level::Warning, problem)),
                content => content
                    .problem(chunk, steps)
                    .map(|(level, message)| (if level == Level::Warning { untyped } else { level }, message)),
            };
            // Other files are in folders, too.
            let Some((level, message)) = problem.filter(|(level, _)| *level != Level::Note) else { continue };
            let spot = Spot { document: *document, steps: steps.clone(), rendered: Rendered::default() };
            let place = Some(locator.place(&spot, None));
            lost.push(Notice { level, place, message });
        }
        lost
    }

    /// Returns the misspelt fields in objects of a cluster that no server has stored.
    pub(crate) fn misspelt(&self, chunk: &Chunk) -> Vec<Notice> {
        let locator = Locator::new(chunk);
        let mut found = Vec::new();
        for Entry { document, steps, content } in &self.entries {
            let Content::Object(object) = content else { continue };
            let spot = Spot { document: *document, steps: steps.clone(), rendered: Rendered::default() };
            let of_object = if was_stored(object) { Vec::new() } else { misspelt(object) };
            found.extend(of_object.into_iter().filter(|one| !one.is_of_kind()).map(|one| {
                let place = Some(locator.place(&spot, Some(&one.path)));
                Notice { level: Level::Warning, place, message: one.message }
            }));
        }
        found
    }

    /// Returns the warning that a key is repeated; `None` if none is.
    pub(crate) fn warning(&self, chunk: &Chunk) -> Option<Notice> {
        let problem = self.duplicate.as_ref()?;
        let message = format!("{}: {DUPLICATE}", problem.message());
        Some(Notice { level: Level::Warning, place: Some(chunk.place_of(problem.at)), message })
    }
}

/// Returns why no server has stored an object. Objects of other kinds can be those of programs,
/// such as a Kustomization.
fn cannot_be_stored(object: &Value) -> Option<String> {
    let text = |pointer| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let (api_version, kind) = (text("/apiVersion"), text("/kind"));
    if let Some(problem) = kubernetes::kinds::misspelt(api_version, kind) {
        return Some(format!("kind: {problem}"));
    }
    let is_named = ["/metadata/name", "/metadata/generateName"].iter().any(|name| !text(name).is_empty());
    let is_known = kubernetes::fields::fields_of(api_version, kind).is_some();
    (is_known && !is_named).then(|| "metadata.name: Required value: a stored object has a name".to_owned())
}

impl Chunk {
    /// Reads the entries, for programs that need all of them: a duplicate key is an error, too.
    ///
    /// # Errors
    /// A text that cannot be read, with the place.
    pub fn entries(&self) -> Result<Entries, Notice> {
        let read = self.entries_as_applied()?;
        match &read.duplicate {
            Some(problem) => Err(self.unreadable(problem)),
            None => Ok(read),
        }
    }

    /// Reads the entries as kubectl applies them: of values with the same key, the last one counts
    /// ([`Entries::remarks`]).
    ///
    /// # Errors
    /// A text that cannot be read, with the place.
    pub fn entries_as_applied(&self) -> Result<Entries, Notice> {
        read(self).map_err(|problem| self.unreadable(&problem))
    }

    /// Returns the places of entries, in their order.
    #[must_use]
    pub fn places(&self, entries: &[Entry]) -> Vec<Place> {
        let locator = Locator::new(self);
        let place = |Entry { document, steps, .. }: &Entry| {
            let (document, steps) = (*document, steps.clone());
            locator.place(&Spot { document, steps, rendered: Rendered::default() }, None)
        };
        entries.iter().map(place).collect()
    }
}

/// Parses a piece. A problem has its position in the file.
pub(crate) fn read(chunk: &Chunk) -> Result<Entries, Problem> {
    let place = |problem: Problem| {
        let at = problem.at.map(|at| chunk.position(at));
        problem.at(at)
    };
    let (values, duplicate) = manifest::documents_with_duplicates(&chunk.text).map_err(place)?;
    let documents = values.len();
    let mut entries = Vec::new();
    if chunk.is_envelope {
        check_envelope(values, duplicate).map_err(place)?;
        return Ok(Entries { entries, documents, duplicate: None });
    }
    for (document, mut value) in values.into_iter().enumerate() {
        if chunk.list.is_none()
            && let Err(error) = kubernetes::objects::check_items(&value)
        {
            let field = [Step::Field("items".to_owned())];
            let at = Places::of(&chunk.text).find(document, &field).map(|place| place.start);
            return Err(place(Problem::new(at, error.to_string())));
        }
        if let (Some(list), Value::Object(fields)) = (&chunk.list, &mut value) {
            kubernetes::objects::inherit(fields, &list.fields);
        }
        flatten(value, document, &mut Vec::new(), &mut entries);
    }
    Ok(Entries { entries, documents, duplicate: duplicate.map(place) })
}

/// Checks a long list without its items, which are pieces of their own.
fn check_envelope(documents: Vec<Value>, duplicate: Option<Problem>) -> Result<(), Problem> {
    if let Some(problem) = duplicate {
        let message = format!(
            "{}: the items were read before the second value, so that an API server may read others; remove one",
            problem.message()
        );
        return Err(Problem::new(problem.at, message));
    }
    let mut others = documents.into_iter().filter_map(|value| kubernetes::objects::items(value).err());
    let kind = others.find_map(|value| value.get("kind").and_then(Value::as_str).map(str::to_owned));
    let Some(kind) = kind else { return Ok(()) };
    let message = format!(
        "the {kind} is not a list, but its items were evaluated instead of it, because they are long; remove the \
         field items"
    );
    Err(Problem::new(Some(Position { line: 1, column: 1 }), message))
}

/// Adds a value, or the items of a list.
fn flatten(value: Value, document: usize, steps: &mut Vec<Step>, entries: &mut Vec<Entry>) {
    let (items, name) = match value {
        // The output of `jq '.items'`, or a list of other values, such as a patch.
        Value::Array(items) => {
            if !items.is_empty() && items.iter().all(is_other) {
                let problem = "a list of values that are not Kubernetes objects".to_owned();
                entries.push(Entry { document, steps: steps.clone(), content: Content::Other(problem) });
                return;
            }
            (items, None)
        }
        value => {
            // To kubectl, an item of a list is one only if it has items (`IsList` in
            // k8s.io/apimachinery).
            let may_be_list = steps.is_empty() || value.get("items").is_some_and(Value::is_array);
            let items = if may_be_list { kubernetes::objects::items(value) } else { Err(value) };
            match items {
                Ok(items) => (items, Some("items")),
                Err(value) => {
                    entries.push(Entry { document, steps: steps.clone(), content: content(value) });
                    return;
                }
            }
        }
    };
    let length = steps.len();
    steps.extend(name.map(|name| Step::Field(name.to_owned())));
    for (index, item) in (0..).zip(items) {
        steps.push(Step::Index(index));
        flatten(item, document, steps, entries);
        steps.pop();
    }
    steps.truncate(length);
}

/// Returns whether a value is not an object and not a review, and has neither apiVersion nor kind.
fn is_other(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().all(is_other),
        Value::Object(_) => {
            text(value, "apiVersion").or(text(value, "kind")).is_none() && Form::of(value).is_none()
        }
        _ => true,
    }
}

fn text<'v>(value: &'v Value, name: &str) -> Option<&'v str> {
    value.get(name).and_then(Value::as_str).filter(|text| !text.is_empty())
}

fn content(value: Value) -> Content {
    if value.is_object() && Form::of(&value).is_some() {
        return Content::Review(value);
    }
    if !value.is_object() {
        return Content::Other(format!("{} is not a Kubernetes object", found(&value)));
    }
    match (text(&value, "apiVersion"), text(&value, "kind")) {
        (Some(_), Some(_)) => Content::Object(value),
        (None, Some(kind)) => {
            let problem = format!("not a Kubernetes object: a {kind} without apiVersion");
            Content::Untyped(value, problem)
        }
        (Some(_), None) => Content::Untyped(value, "not a Kubernetes object: no kind".to_owned()),
        (None, None) => Content::Other("not a Kubernetes object: neither apiVersion nor kind".to_owned()),
    }
}

#[cfg(test)]
mod tests {

    use manifest::Position;

    use super::*;
    use crate::input::Origin;

    fn chunk(text: &str, line: u64) -> Chunk {
        let at = Position { line, column: 1 };
        Chunk { origin: Origin::file("f"), text: text.to_owned(), at, list: None, is_envelope: false }
    }

    #[test]
    fn lists_are_flattened() {
        let text = "kind: PodList\napiVersion: v1\nitems:\n- metadata: {name: a}\n---\n\
                    kind: List\nitems:\n- [{apiVersion: v1, kind: Pod, metadata: {name: b}}]\n- {kind: x}\n- 1\n---\n\
                    {apiVersion: v1, kind: Service}\n---\nrequest: {}\n---\na: b\n";
        let entries = read(&chunk(text, 1)).unwrap().entries;
        let shown: Vec<String> = entries
            .iter()
            .map(|Entry { document, steps, content }| {
                let steps: Vec<Step<&str>> = steps.iter().map(Step::borrowed).collect();
                let content = match content {
                    Content::Object(object) => object["kind"].as_str().unwrap(),
                    Content::Review(_) => "review",
                    Content::Untyped(_, problem) | Content::Other(problem) => problem,
                };
                format!("{document}:{} {content}", text::Path(&steps))
            })
            .collect();
        assert_eq!(
            shown,
            [
                "0:items[0] Pod",
                "1:items[0][0] Pod",
                "1:items[1] not a Kubernetes object: a x without apiVersion",
                "1:items[2] a number is not a Kubernetes object",
                "2: Service",
                "3: review",
                "4: not a Kubernetes object: neither apiVersion nor kind",
            ]
        );
    }

    #[test]
    fn problems_have_their_place_in_the_file() {
        let problem = read(&chunk("b: 1\na: [\nb", 7)).unwrap_err();
        assert!(problem.to_string().starts_with("line 8, "), "{problem}");
        let duplicate = read(&chunk("a: 1\na: 2", 7)).unwrap().duplicate.unwrap();
        assert!(duplicate.to_string().starts_with("line 8, column 1: "), "{duplicate}");
    }
}
