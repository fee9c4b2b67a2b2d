//! The cursor through which rules read documents.

use std::fmt;

use text::{Quoted, Step};

use crate::document::{Children, Document, Id, Name, Value};
#[cfg(debug_assertions)]
use crate::guard;
use crate::shape::same;
use crate::{Fault, Place};

/// A place in a document, with or without a value. It knows its path.
///
/// * A step never fails: an absent field is a place without a value, and `null` equals absent, as
///   for the API server.
/// * A read of a place whose value, or the value of an ancestor, has another type is a [`Fault`]
///   with the path and both types. A malformed object can therefore never look like an empty one.
///
/// # Example
/// ```
/// use document::{Document, Fault, Origin, Shape};
///
/// let payload = br#"{"request": {"object": {"spec": {"externalIPs": ["192.0.2.1"], "type": 7}}}}"#;
/// let document = Document::parse(payload, Shape::ALL, Origin::Payload)?;
/// let spec = document.root().at("request").at("object").at("spec");
/// let first = spec.at("externalIPs").items()?.next().unwrap();
/// assert_eq!(first.text()?, Some("192.0.2.1"));
/// assert_eq!(first.path(), "spec.externalIPs[0]");
/// assert_eq!(spec.at("clusterIP").text()?, None);
/// assert_eq!(spec.at("type").text().unwrap_err().to_string(), "spec.type: expected a string, found a number");
/// # Ok::<(), Fault>(())
/// ```
#[derive(Clone, Copy)]
pub struct Node<'d> {
    document: &'d Document<'d>,
    id: Id,
}

impl<'d> Node<'d> {
    pub(crate) fn new(document: &'d Document<'d>, id: Id) -> Self {
        Self { document, id }
    }

    /// Returns the place of a field.
    ///
    /// # Panics
    /// Panics in debug builds if the shape of the document does not keep the field.
    #[must_use]
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn at(&self, name: &'static str) -> Self {
        #[cfg(debug_assertions)]
        guard::keeps_field(self.document, self.id, name);
        let id = self.child(name).unwrap_or_else(|| self.document.add_missing(self.id, name));
        Self { id, ..*self }
    }

    /// Returns whether another place of the same document has an equal value, in everything that is
    /// kept of the two.
    ///
    /// # Example
    /// ```
    /// use document::{Document, Origin, Shape};
    ///
    /// let text = br#"{"a": [{"b": 1}], "c": [{"b": 1}], "d": [{"b": 2}]}"#;
    /// let document = Document::parse(text, Shape::ALL, Origin::Settings).unwrap();
    /// let at = |name| document.root().at(name);
    /// assert!(at("a").is_same(&at("c")) && !at("a").is_same(&at("d")) && !at("a").is_same(&at("e")));
    /// ```
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        self.document.is_same(self.id, other.id)
    }

    /// Returns a field of an object whose names are data, such as labels; `None` if it is absent or
    /// null.
    ///
    /// # Errors
    /// Returns a fault if the value is not an object.
    ///
    /// # Panics
    /// Panics like [`at`](Self::at).
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn entry(&self, key: &str) -> Result<Option<Self>, Fault> {
        #[cfg(debug_assertions)]
        guard::keeps_field(self.document, self.id, key);
        match self.document.entry(self.id).map(|entry| &entry.value) {
            // By far the most frequent case.
            Some(Value::Object) => Ok(self.child(key).map(|id| Self { id, ..*self }).filter(Node::has_value)),
            _ => self.object().map(|_| None),
        }
    }

    /// Returns the string; `None` if it is absent.
    ///
    /// # Errors
    /// Returns a fault if the value has another type or is not UTF-8.
    pub fn text(&self) -> Result<Option<&'d str>, Fault> {
        match self.value()? {
            Some(Value::Text(text)) => match std::str::from_utf8(self.document.bytes(*text)) {
                Ok(text) => Ok(Some(text)),
                Err(_) => Err(self.fault("expected a string, found bytes that are not UTF-8")),
            },
            None => Ok(None),
            Some(other) => Err(self.mistyped("a string", other)),
        }
    }

    /// Returns the string; `None` if it is absent or empty. In the fields that are read with this
    /// method, the API server treats an empty string as absent.
    ///
    /// # Errors
    /// Returns a fault in the same cases as [`text`](Self::text).
    pub fn filled_text(&self) -> Result<Option<&'d str>, Fault> {
        Ok(self.text()?.filter(|text| !text.is_empty()))
    }

    /// Returns the boolean; `None` if it is absent.
    ///
    /// # Errors
    /// Returns a fault if the value has another type.
    pub fn boolean(&self) -> Result<Option<bool>, Fault> {
        match self.value()? {
            Some(Value::Bool(value)) => Ok(Some(*value)),
            None => Ok(None),
            Some(other) => Err(self.mistyped("a boolean", other)),
        }
    }

    /// Returns the integer; `None` if it is absent.
    ///
    /// # Errors
    /// Returns a fault if the value is not an integer of up to 18 digits.
    pub fn integer(&self) -> Result<Option<i64>, Fault> {
        match self.value()? {
            Some(Value::Integer(value)) => Ok(Some(*value)),
            None => Ok(None),
            Some(other) => Err(self.mistyped("an integer", other)),
        }
    }

    /// Returns the elements of an array; none if it is absent.
    ///
    /// # Errors
    /// Returns a fault if the value has another type.
    pub fn items(&self) -> Result<impl Iterator<Item = Node<'d>> + use<'d>, Fault> {
        let children = match self.value()? {
            Some(Value::Array) => self.document.children(self.id),
            None => self.document.children(Id::NOWHERE),
            Some(other) => return Err(self.mistyped("an array", other)),
        };
        Ok(children.map({
            let document = self.document;
            move |(_, id)| Node { document, id }
        }))
    }

    /// Returns a string that must be present.
    ///
    /// # Errors
    /// Returns a fault if the value has another type or is absent.
    pub fn required_text(&self) -> Result<&'d str, Fault> {
        match self.text()? {
            Some(text) => Ok(text),
            None => Err(self.fault("expected a string, found null")),
        }
    }

    /// Returns the strings of an array with their places; none if it is absent.
    ///
    /// # Errors
    /// Returns a fault if the value has another type, or if an element is not a string.
    pub fn texts(&self) -> Result<Vec<(Node<'d>, &'d str)>, Fault> {
        let mut texts = Vec::new();
        for item in self.items()? {
            texts.push((item, item.required_text()?));
        }
        Ok(texts)
    }

    /// Returns the fields of an object whose names are data, in document order; none if it is
    /// absent.
    ///
    /// # Errors
    /// Returns a fault if the value has another type.
    ///
    /// # Panics
    /// Panics in debug builds if the shape of the document names fields of the object, because
    /// other fields are not kept.
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn fields(&self) -> Result<impl Iterator<Item = (&'d str, Node<'d>)> + use<'d>, Fault> {
        #[cfg(debug_assertions)]
        guard::keeps_all_fields(self.document, self.id);
        let present = self.object()?;
        let children: Children<'d> = self.document.children(if present { self.id } else { Id::NOWHERE });
        let document = self.document;
        Ok(children.filter_map(move |(name, id)| Some((document.key(name)?, Node { document, id }))))
    }

    /// Returns whether there is an object, with or without fields.
    ///
    /// # Errors
    /// Returns a fault if the value has another type.
    pub fn object(&self) -> Result<bool, Fault> {
        match self.value()? {
            Some(Value::Object) => Ok(true),
            None => Ok(false),
            Some(other) => Err(self.mistyped("an object", other)),
        }
    }

    /// Returns whether there is a value of any type.
    ///
    /// # Errors
    /// Returns a fault if the value of an ancestor is not an object.
    pub fn is_present(&self) -> Result<bool, Fault> {
        Ok(self.value()?.is_some())
    }

    /// Returns the path, as messages show it.
    #[must_use]
    #[cold]
    pub fn path(&self) -> String {
        self.document.path(self.id)
    }

    /// Returns the place, which outlives the document.
    #[must_use]
    #[cold]
    pub fn place(&self) -> Place {
        self.document.place(self.id)
    }

    /// Returns a fault at this place.
    #[must_use]
    #[cold]
    pub fn fault(&self, problem: impl Into<String>) -> Fault {
        Fault::new(self.place(), problem)
    }

    /// Returns the type of the value in words, such as `a string`.
    #[must_use]
    pub fn type_name(&self) -> &'static str {
        self.document.entry(self.id).map_or("nothing", |entry| entry.value.type_name())
    }

    /// Returns the steps from the root of the document.
    #[must_use]
    pub fn steps(&self) -> Vec<Step<&'d str>> {
        self.document.steps(self.id)
    }

    /// Returns the value as messages show it: strings, integers and booleans as JSON, other values
    /// by type.
    #[cold]
    #[must_use]
    pub fn shown(&self) -> String {
        match self.document.entry(self.id).map(|entry| &entry.value) {
            Some(Value::Text(text)) => Quoted(self.document.text(*text)).to_string(),
            Some(Value::Integer(value)) => value.to_string(),
            Some(Value::Bool(value)) => value.to_string(),
            Some(other) => other.type_name().to_owned(),
            None => "null".to_owned(),
        }
    }

    #[expect(clippy::inline_always, reason = "every read of a field calls it, from two places")]
    #[inline(always)]
    fn child(&self, key: &str) -> Option<Id> {
        self.document
            .children(self.id)
            .find(|(name, _)| match name {
                Name::Field(name) => same(name.as_bytes(), key.as_bytes()),
                name => self.document.key(name) == Some(key),
            })
            .map(|(_, id)| id)
    }

    fn has_value(&self) -> bool {
        self.document.entry(self.id).is_some_and(|entry| !matches!(entry.value, Value::Null))
    }

    /// Returns the value; `None` if it is absent or null.
    fn value(&self) -> Result<Option<&'d Value<'d>>, Fault> {
        if let Some(entry) = self.document.entry(self.id) {
            return Ok(match &entry.value {
                Value::Null => None,
                value => Some(value),
            });
        }
        self.absent()
    }

    /// Returns `None` for an absent value, or a fault if the value of an ancestor is not an object.
    #[inline(never)]
    fn absent(&self) -> Result<Option<&'d Value<'d>>, Fault> {
        let obstacle = self.document.missing_place(self.id).and_then(|missing| missing.obstacle);
        match obstacle.and_then(|id| Some((id, self.document.entry(id)?))) {
            None => Ok(None),
            Some((id, entry)) => Err(Node { id, ..*self }.mistyped("an object", &entry.value)),
        }
    }

    #[cold]
    #[inline(never)]
    fn mistyped(&self, expected: &str, found: &Value<'_>) -> Fault {
        self.fault(["expected ", expected, ", found ", found.type_name()].concat())
    }
}

impl fmt::Debug for Node<'_> {
    /// Writes the path and the type, not the value, which may be secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Node({}: {})", self.path(), self.type_name())
    }
}
