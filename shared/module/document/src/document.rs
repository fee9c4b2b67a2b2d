//! A JSON document, reduced to a shape and parsed once.
//!
//! The values are in one vector in document order, and each knows its parent. A cursor is a
//! reference and an index. The path of a value is found by walking up, only when a message needs
//! it.

use std::cell::Cell;
use std::fmt;

use text::{Quoted, Step, duplicate};

use crate::fault::{BorrowedPlace, Origin, Place};
#[cfg(debug_assertions)]
use crate::guard;
use crate::json::{Number, Scanner, Start, SyntaxError};
use crate::node::Node;
use crate::shape::Search;
use crate::{Fault, Shape};

/// A parsed document, which is read from its [`root`](Document::root).
pub struct Document<'d> {
    entries: Vec<Entry<'d>>,
    unescaped: Vec<Vec<u8>>,
    /// The absent fields that were read: their places need paths, too.
    missing: Cell<Vec<Missing>>,
    origin: Origin<&'d str>,
}

#[derive(Clone, Copy)]
pub(crate) struct Missing {
    pub(crate) parent: Id,
    pub(crate) name: &'static str,
    /// The ancestor whose value is not an object, if there is one.
    pub(crate) obstacle: Option<Id>,
}

/// The index of a value, or of the place of an absent one.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Id(u32);

/// The bit that marks the id of an absent field. The other bits are its index in `missing`.
const MISSING: u32 = 1 << 31;

/// The maximum number of values that are kept, so that no request exhausts the memory of an
/// instance. Every object that fits into a cluster has fewer.
const MAX_VALUES: usize = 1 << 19;

pub(crate) struct Entry<'d> {
    parent: Id,
    /// The index of the first later entry that is not below this one.
    end: u32,
    name: Name<'d>,
    pub(crate) value: Value<'d>,
    /// The shape that the value was reduced to, for the guard.
    #[cfg(debug_assertions)]
    pub(crate) shape: Shape<'d>,
}

#[derive(Clone, Copy)]
pub(crate) enum Name<'d> {
    Root,
    Field(&'d str),
    /// A field whose name has escapes: the index among the unescaped strings of the document.
    Escaped(u32),
    Index(u32),
}

/// A string: a slice of the document or, in the rare case that it has escapes, its unescaped text.
#[derive(Clone, Copy)]
pub(crate) enum Text<'d> {
    Plain(&'d [u8]),
    /// The index among the unescaped strings of the document.
    Unescaped(u32),
}

/// A JSON value. Numbers other than integers of up to 18 digits keep only their type, as no rule
/// reads them.
pub(crate) enum Value<'d> {
    Null,
    Bool(bool),
    Integer(i64),
    Number,
    Text(Text<'d>),
    Array,
    Object,
}

impl Value<'_> {
    pub(crate) fn type_name(&self) -> &'static str {
        match self {
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Integer(_) | Value::Number => "a number",
            Value::Text(_) => "a string",
            Value::Array => "an array",
            Value::Object => "an object",
        }
    }
}

impl<'d> Document<'d> {
    /// Parses `text` and keeps the values that `shape` names.
    ///
    /// # Errors
    /// Returns a fault if the text is not JSON, if too many values would be kept, or if an object
    /// has a duplicate key among those that are kept, because readers differ in which of the two
    /// values they use.
    pub fn parse(text: &'d [u8], shape: Shape<'d>, origin: Origin<&'d str>) -> Result<Self, Fault> {
        Builder::new(text, shape, origin).build(shape)
    }

    /// Parses `text`, a Kubernetes list, and passes each of its `items` to `read`, reduced to
    /// `shape`. Only one item is kept at a time.
    ///
    /// # Errors
    /// Returns the fault of `read`, or a fault if `text` is not a list or if [`parse`](Self::parse)
    /// fails for an item.
    ///
    /// # Example
    /// ```
    /// use document::{Document, Fault, Origin, Shape};
    ///
    /// let list = br#"{"kind": "List", "items": [{"name": "a"}, {"name": 7}]}"#;
    /// let mut names = Vec::new();
    /// let shape = Shape::Fields(&[("name", Shape::ALL)]);
    /// let read = Document::each_item(list, shape, Origin::Lookup("list"), &mut |item| {
    ///     names.extend(item.at("name").text()?.map(str::to_owned));
    ///     Ok(())
    /// });
    /// assert_eq!(names, ["a"]);
    /// let fault = read.unwrap_err().to_string();
    /// assert_eq!(fault, "list: items[1].name: expected a string, found a number");
    /// ```
    pub fn each_item(
        text: &'d [u8],
        shape: Shape<'d>,
        origin: Origin<&'d str>,
        read: ItemReader<'_>,
    ) -> Result<(), Fault> {
        let fields = [(ITEMS, shape)];
        let shape = Shape::Fields(&fields);
        let mut builder = Builder::new(text, shape, origin);
        builder.read = Some(read);
        builder.pass_items = Some(Builder::pass_items);
        let list = builder.build(shape)?;
        let items = list.root().at(ITEMS);
        if !items.is_present()? {
            return Err(items.fault("expected an array, found nothing"));
        }
        items.items().map(|_| ())
    }

    /// Returns the cursor at the root.
    #[must_use]
    pub fn root(&'d self) -> Node<'d> {
        Node::new(self, Id(0))
    }

    pub(crate) fn entry(&'d self, id: Id) -> Option<&'d Entry<'d>> {
        self.entries.get(usize::try_from(id.0).ok()?)
    }

    /// Returns whether two values are equal in everything that is kept of them, with fields in the
    /// same order. Null equals absent. A number whose value is not kept does not equal any other.
    pub(crate) fn is_same(&'d self, one: Id, other: Id) -> bool {
        match (self.value(one), self.value(other)) {
            (Value::Null, Value::Null) => true,
            (Value::Bool(one), Value::Bool(other)) => one == other,
            (Value::Integer(one), Value::Integer(other)) => one == other,
            (Value::Text(one), Value::Text(other)) => self.bytes(*one) == self.bytes(*other),
            (Value::Array, Value::Array) | (Value::Object, Value::Object) => {
                let (mut ours, mut theirs) = (self.values(one), self.values(other));
                loop {
                    match (ours.next(), theirs.next()) {
                        (None, None) => return true,
                        (Some((a, _)), Some((b, _))) if self.key(a) != self.key(b) => return false,
                        (Some((_, one)), Some((_, other))) if self.is_same(one, other) => {}
                        _ => return false,
                    }
                }
            }
            _ => false,
        }
    }

    /// Returns the entries directly below `id`, without null fields.
    fn values(&'d self, id: Id) -> impl Iterator<Item = (&'d Name<'d>, Id)> {
        self.children(id)
            .filter(|(name, id)| matches!(name, Name::Index(_)) || !matches!(self.value(*id), Value::Null))
    }

    /// Returns a value; null for an absent one.
    fn value(&'d self, id: Id) -> &'d Value<'d> {
        self.entry(id).map_or(&Value::Null, |entry| &entry.value)
    }

    pub(crate) fn bytes(&'d self, text: Text<'d>) -> &'d [u8] {
        match text {
            Text::Plain(bytes) => bytes,
            Text::Unescaped(index) => usize::try_from(index)
                .ok()
                .and_then(|index| self.unescaped.get(index))
                .map_or(&[], Vec::as_slice),
        }
    }

    /// Returns the name of a field; `None` for an element.
    pub(crate) fn key(&'d self, name: &Name<'d>) -> Option<&'d str> {
        match name {
            Name::Field(name) => Some(name),
            Name::Escaped(index) => Some(self.unescaped(*index)),
            Name::Root | Name::Index(_) => None,
        }
    }

    #[cold]
    #[inline(never)]
    fn unescaped(&'d self, index: u32) -> &'d str {
        self.text(Text::Unescaped(index))
    }

    /// Returns the text of a string that has been read.
    pub(crate) fn text(&'d self, text: Text<'d>) -> &'d str {
        std::str::from_utf8(self.bytes(text)).unwrap_or_default()
    }

    /// Returns the entries directly below `id`, in document order.
    pub(crate) fn children(&'d self, id: Id) -> Children<'d> {
        let end = self.entry(id).map_or(0, |entry| entry.end);
        Children { document: self, next: id.0.saturating_add(1), end }
    }

    pub(crate) fn add_missing(&self, parent: Id, name: &'static str) -> Id {
        let obstacle = match self.entry(parent) {
            Some(Entry { value: Value::Object | Value::Null, .. }) => None,
            Some(_) => Some(parent),
            None => self.missing_place(parent).and_then(|missing| missing.obstacle),
        };
        let mut missing = self.missing.take();
        if missing.capacity() == 0 {
            missing.reserve(32);
        }
        // Rules read a bounded number of absent fields: far fewer than 2^31.
        let id = u32::try_from(missing.len()).unwrap_or(u32::MAX) | MISSING;
        missing.push(Missing { parent, name, obstacle });
        self.missing.set(missing);
        Id(id)
    }

    /// Returns the absent field of a place; `None` if the place has a value.
    pub(crate) fn missing_place(&self, id: Id) -> Option<Missing> {
        let index = usize::try_from(id.0.checked_sub(MISSING)?).ok()?;
        let missing = self.missing.take();
        let place = missing.get(index).copied();
        self.missing.set(missing);
        place
    }

    pub(crate) fn steps(&'d self, id: Id) -> Vec<Step<&'d str>> {
        // The depth of most fields of a pod.
        let mut steps = Vec::with_capacity(8);
        let mut at = id;
        loop {
            if let Some(Missing { parent, name, .. }) = self.missing_place(at) {
                steps.push(Step::Field(name));
                at = parent;
            } else if let Some(entry) = self.entry(at) {
                match (&entry.name, self.key(&entry.name)) {
                    (Name::Index(index), _) => steps.push(Step::Index(*index)),
                    (_, Some(name)) => steps.push(Step::Field(name)),
                    _ => break,
                }
                at = entry.parent;
            } else {
                break;
            }
        }
        steps.reverse();
        steps
    }

    /// Returns the path of a place, as messages show it.
    #[cold]
    pub(crate) fn path(&'d self, id: Id) -> String {
        BorrowedPlace { origin: self.origin, steps: self.steps(id) }.to_string()
    }

    /// Returns a place that outlives the document.
    #[cold]
    pub(crate) fn place(&'d self, id: Id) -> Place {
        let mut steps = Vec::new();
        for step in self.steps(id) {
            steps.push(step.owned());
        }
        Place { origin: self.origin.owned(), steps }
    }
}

impl fmt::Debug for Document<'_> {
    /// Omits the content, which may be secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Document").field("values", &self.entries.len()).finish_non_exhaustive()
    }
}

pub(crate) struct Children<'d> {
    document: &'d Document<'d>,
    next: u32,
    end: u32,
}

impl<'d> Iterator for Children<'d> {
    type Item = (&'d Name<'d>, Id);

    fn next(&mut self) -> Option<Self::Item> {
        if self.next >= self.end {
            return None;
        }
        let id = Id(self.next);
        let entry = self.document.entry(id)?;
        self.next = entry.end;
        Some((&entry.name, id))
    }
}

type PassItems<'d, 'r> = fn(&mut Builder<'d, 'r>, Shape<'d>, Id) -> Result<(), SyntaxError>;

struct Builder<'d, 'r> {
    document: Document<'d>,
    scanner: Scanner<'d>,
    /// The fault in text that is valid JSON.
    fault: Option<Fault>,
    /// The reader of the items, if the document is a list.
    read: Option<ItemReader<'r>>,
    /// [`Self::pass_items`] if there is a reader. Modules that read no lists have no code for it.
    pass_items: Option<PassItems<'d, 'r>>,
    /// The shape of the value that is being kept.
    #[cfg(debug_assertions)]
    shape: Shape<'d>,
}

/// A function that reads the items of a list.
pub type ItemReader<'r> = &'r mut dyn FnMut(Node<'_>) -> Result<(), Fault>;

const ITEMS: &str = "items";

impl<'d> Builder<'d, '_> {
    fn new(text: &'d [u8], shape: Shape<'d>, origin: Origin<&'d str>) -> Self {
        #[cfg(debug_assertions)]
        guard::is_sorted(shape);
        #[cfg(not(debug_assertions))]
        let _ = shape;
        let (entries, unescaped) = (Vec::with_capacity(64), Vec::new());
        Self {
            document: Document { entries, unescaped, missing: Cell::default(), origin },
            scanner: Scanner::new(text),
            fault: None,
            read: None,
            pass_items: None,
            #[cfg(debug_assertions)]
            shape,
        }
    }

    fn build(mut self, shape: Shape<'d>) -> Result<Document<'d>, Fault> {
        if let Err(error) = self.keep(shape, Id(0), Name::Root).and_then(|()| self.scanner.end()) {
            return Err(self.refuse(error));
        }
        let entries = &mut self.document.entries;
        if entries.len() > 4096 {
            entries.shrink_to_fit();
        }
        Ok(self.document)
    }

    #[cold]
    #[inline(never)]
    fn refuse(self, error: SyntaxError) -> Fault {
        let Self { document, scanner, fault, .. } = self;
        fault.unwrap_or_else(|| {
            let place = Place { origin: document.origin.owned(), steps: Vec::new() };
            Fault::new(place, error.describe(scanner.text(), scanner.at()))
        })
    }

    fn keep(&mut self, shape: Shape<'d>, parent: Id, name: Name<'d>) -> Result<(), SyntaxError> {
        #[cfg(debug_assertions)]
        {
            self.shape = shape;
        }
        match self.scanner.start()? {
            Start::Object => {
                let id = self.push(parent, name, Value::Object)?;
                self.scanner.enter()?;
                self.keep_fields(shape, id)?;
            }
            Start::Array => {
                let id = self.push(parent, name, Value::Array)?;
                self.scanner.enter()?;
                // The array of items is the only array directly below the root; the root's own
                // parent is itself.
                if let Some(pass_items) = self.pass_items
                    && parent == Id(0)
                    && id != parent
                {
                    pass_items(self, shape, id)?;
                } else {
                    let mut index = 0_u32;
                    while self.scanner.more(index == 0, b']')? {
                        self.keep(shape, id, Name::Index(index))?;
                        index = index.saturating_add(1);
                    }
                }
                self.close(id);
            }
            Start::String => {
                self.scanner.string()?;
                let text = self.last_string()?;
                self.push(parent, name, Value::Text(text))?;
            }
            Start::Number => {
                let value = match self.scanner.number()? {
                    Number::Integer(value) => Value::Integer(value),
                    Number::Other => Value::Number,
                };
                self.push(parent, name, value)?;
            }
            Start::True => {
                self.scanner.literal("true")?;
                self.push(parent, name, Value::Bool(true))?;
            }
            Start::False => {
                self.scanner.literal("false")?;
                self.push(parent, name, Value::Bool(false))?;
            }
            Start::Null => {
                self.scanner.literal("null")?;
                self.push(parent, name, Value::Null)?;
            }
        }
        Ok(())
    }

    /// Passes the items of a list to the reader, and keeps one of them at a time.
    fn pass_items(&mut self, shape: Shape<'d>, list: Id) -> Result<(), SyntaxError> {
        let (entries, unescaped) = (self.document.entries.len(), self.document.unescaped.len());
        let item = Id(list.0.saturating_add(1));
        let mut index = 0_u32;
        while self.scanner.more(index == 0, b']')? {
            self.document.entries.truncate(entries);
            self.document.unescaped.truncate(unescaped);
            self.document.missing.get_mut().clear();
            self.keep(shape, list, Name::Index(index))?;
            let Self { document, read: Some(read), .. } = self else { break };
            if let Err(fault) = read(Node::new(document, item)) {
                self.fault = Some(fault);
                return Err(SyntaxError::Item);
            }
            index = index.saturating_add(1);
        }
        Ok(())
    }

    /// Keeps the fields of an object that the shape names.
    fn keep_fields(&mut self, shape: Shape<'d>, object: Id) -> Result<(), SyntaxError> {
        let mut first = true;
        // The keys that are kept ascend strictly if they come from a host, which sorts them. They
        // are compared with each other only if they do not.
        let mut ascending = true;
        let mut last: &[u8] = &[];
        let mut search = Search::default();
        while self.scanner.field(first)? {
            let name = self.last_string()?;
            let bytes = match name {
                Text::Plain(bytes) => bytes,
                Text::Unescaped(_) => self.document.unescaped.last().map_or(&[][..], Vec::as_slice),
            };
            let kept = match shape {
                Shape::Fields(fields) => {
                    search.find(fields, bytes).map(|(name, shape)| (Name::Field(name), *shape))
                }
                Shape::Each(each) => {
                    let shape = each.copied().unwrap_or(shape);
                    let raw = self.scanner.raw();
                    ascending &= !self.scanner.is_escaped() && (first || last < raw);
                    last = raw;
                    // Names in a shape are text; any other key is validated here.
                    let name = match name {
                        Text::Plain(bytes) => std::str::from_utf8(bytes).map(Name::Field),
                        Text::Unescaped(index) => std::str::from_utf8(bytes).map(|_| Name::Escaped(index)),
                    };
                    Some((name.map_err(|_| SyntaxError::Utf8)?, shape))
                }
            };
            first = false;
            match kept {
                Some((name, shape)) => self.keep(shape, object, name)?,
                None => self.scanner.skip()?,
            }
        }
        self.close(object);
        if ascending && search.is_ascending() { Ok(()) } else { self.reject_duplicate_keys(object) }
    }

    fn last_string(&mut self) -> Result<Text<'d>, SyntaxError> {
        if self.scanner.is_escaped() { self.unescape_last() } else { Ok(Text::Plain(self.scanner.raw())) }
    }

    #[cold]
    #[inline(never)]
    fn unescape_last(&mut self) -> Result<Text<'d>, SyntaxError> {
        let index = u32::try_from(self.document.unescaped.len()).unwrap_or(u32::MAX);
        self.document.unescaped.push(self.scanner.unescaped()?);
        Ok(Text::Unescaped(index))
    }

    fn push(&mut self, parent: Id, name: Name<'d>, value: Value<'d>) -> Result<Id, SyntaxError> {
        let entries = &mut self.document.entries;
        if entries.len() >= MAX_VALUES {
            return Err(SyntaxError::Fewer);
        }
        let id = Id(u32::try_from(entries.len()).unwrap_or(u32::MAX));
        entries.push(Entry {
            parent,
            end: id.0.saturating_add(1),
            name,
            value,
            #[cfg(debug_assertions)]
            shape: self.shape,
        });
        Ok(id)
    }

    /// Closes an array or object: everything pushed since is below it.
    fn close(&mut self, id: Id) {
        let end = u32::try_from(self.document.entries.len()).unwrap_or(u32::MAX);
        if let Ok(index) = usize::try_from(id.0)
            && let Some(entry) = self.document.entries.get_mut(index)
        {
            entry.end = end;
        }
    }

    #[cold]
    fn reject_duplicate_keys(&mut self, object: Id) -> Result<(), SyntaxError> {
        let names = self.document.children(object).filter_map(|(name, _)| self.document.key(name));
        let Some(duplicated) = duplicate(&names.collect::<Vec<_>>()) else { return Ok(()) };
        let problem = ["duplicate key ", &Quoted(duplicated).to_string()].concat();
        self.fault = Some(Fault::new(self.document.place(object), problem));
        Err(SyntaxError::Unique)
    }
}

impl Id {
    /// The id of an entry that no document has.
    pub(crate) const NOWHERE: Id = Id(MISSING - 1);
}

#[cfg(test)]
mod tests;
