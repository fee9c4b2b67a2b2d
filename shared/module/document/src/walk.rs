//! Going through JSON text, to copy it with changes.

use std::borrow::Cow;

use crate::Fault;
use crate::json::{Scanner, Start, SyntaxError};

/// The name of a field, and its text with the colon.
#[derive(Debug)]
pub struct Key<'t> {
    name: Cow<'t, [u8]>,
    text: &'t str,
}

impl<'t> Key<'t> {
    /// Whether it is a name.
    #[must_use]
    pub fn is(&self, name: &str) -> bool {
        *self.name == *name.as_bytes()
    }

    /// The text of the key and the colon.
    #[must_use]
    pub fn text(&self) -> &'t str {
        self.text
    }
}

/// What a value has below it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Below {
    /// Fields.
    Fields,
    /// Elements.
    Elements,
    /// Nothing.
    Nothing,
}

/// A position in JSON text: before a value, or between the members of an object or array that was entered.
///
/// Each byte is passed once, whatever is done on the way: what is entered need not be skipped over first.
///
/// # Example
/// ```
/// use document::{Below, Walk};
///
/// let mut walk = Walk::of(r#"{"a":1.50,"b":[]}"#);
/// assert_eq!(walk.below()?, Below::Fields);
/// walk.enter()?;
/// assert!(walk.next(Below::Fields, true)?.unwrap().is("a"));
/// assert_eq!(walk.skip()?, "1.50");
/// assert!(walk.next(Below::Fields, false)?.unwrap().is("b"));
/// assert_eq!(walk.skip()?, "[]");
/// assert!(walk.next(Below::Fields, false)?.is_none());
/// # Ok::<(), document::Fault>(())
/// ```
#[derive(Debug)]
pub struct Walk<'t> {
    text: &'t str,
    scanner: Scanner<'t>,
}

impl<'t> Walk<'t> {
    /// At the beginning of a text.
    #[must_use]
    pub fn of(text: &'t str) -> Self {
        Self { text, scanner: Scanner::new(text.as_bytes()) }
    }

    /// What the next value has below it.
    ///
    /// # Errors
    /// What is no JSON.
    pub fn below(&mut self) -> Result<Below, Fault> {
        Ok(match self.scanner.start().map_err(unreadable)? {
            Start::Object => Below::Fields,
            Start::Array => Below::Elements,
            _ => Below::Nothing,
        })
    }

    /// Goes into an object or array.
    ///
    /// # Errors
    /// What is nested too deeply.
    pub fn enter(&mut self) -> Result<(), Fault> {
        self.scanner.enter().map_err(unreadable)
    }

    /// Goes to the value of the first or the next field, or to an element, which has an empty key; out of the object or
    /// array if there is none.
    ///
    /// # Errors
    /// What is no JSON.
    pub fn next(&mut self, below: Below, is_first: bool) -> Result<Option<Key<'t>>, Fault> {
        self.step(below, is_first).map_err(unreadable)
    }

    /// Goes behind the next value, whose text it is.
    ///
    /// # Errors
    /// What is no JSON.
    pub fn skip(&mut self) -> Result<&'t str, Fault> {
        let start = self.position();
        self.scanner.skip().map_err(unreadable)?;
        Ok(self.since(start))
    }

    /// Where the next value starts.
    pub fn position(&mut self) -> usize {
        self.scanner.position()
    }

    /// The text from a position up to here.
    #[must_use]
    pub fn since(&self, start: usize) -> &'t str {
        self.text.get(self.scanner.since(start)).unwrap_or_default()
    }

    fn step(&mut self, below: Below, is_first: bool) -> Result<Option<Key<'t>>, SyntaxError> {
        let is_element = below == Below::Elements;
        if !self.scanner.more(is_first, if is_element { b']' } else { b'}' })? {
            return Ok(None);
        }
        if is_element {
            return Ok(Some(Key { name: Cow::Borrowed(&[]), text: "" }));
        }
        let start = self.scanner.position();
        let escaped = self.scanner.key()?;
        let raw = self.scanner.raw();
        let name = if escaped { Cow::Owned(self.scanner.unescaped()?) } else { Cow::Borrowed(raw) };
        Ok(Some(Key { name, text: self.since(start) }))
    }
}

#[cold]
fn unreadable(_: SyntaxError) -> Fault {
    Fault::in_payload(&[], "not JSON")
}
