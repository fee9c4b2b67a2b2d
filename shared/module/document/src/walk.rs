//! A walk through JSON text that copies it with changes.

use std::borrow::Cow;

use crate::Fault;
use crate::json::{Scanner, Start, SyntaxError};

/// The name of a field, and its text with the colon; both are empty for an element.
#[derive(Debug)]
pub struct Key<'t> {
    name: Cow<'t, [u8]>,
    text: &'t str,
}

impl<'t> Key<'t> {
    /// Returns whether the key has this name.
    #[must_use]
    pub fn is(&self, name: &str) -> bool {
        *self.name == *name.as_bytes()
    }

    /// Returns the text of the key with the colon.
    #[must_use]
    pub fn text(&self) -> &'t str {
        self.text
    }

    /// Returns the name, without escapes.
    #[must_use]
    pub fn into_name(self) -> Cow<'t, [u8]> {
        self.name
    }
}

/// The members of a value.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Members {
    /// The fields of an object.
    Fields,
    /// The elements of an array.
    Elements,
    /// The value is a scalar and has no members.
    None,
}

/// A position in JSON text: before a value, or between the members of an object or array that was
/// entered.
///
/// Each byte is passed once: an object or array that is entered is not skipped first.
///
/// # Example
/// ```
/// use document::{Members, Walk};
///
/// let mut walk = Walk::of(r#"{"a":1.50,"b":[]}"#);
/// assert_eq!(walk.members()?, Members::Fields);
/// walk.enter()?;
/// assert!(walk.next(Members::Fields, true)?.unwrap().is("a"));
/// assert_eq!(walk.skip()?, "1.50");
/// assert!(walk.next(Members::Fields, false)?.unwrap().is("b"));
/// assert_eq!(walk.skip()?, "[]");
/// assert!(walk.next(Members::Fields, false)?.is_none());
/// # Ok::<(), document::Fault>(())
/// ```
#[derive(Debug)]
pub struct Walk<'t> {
    text: &'t str,
    scanner: Scanner<'t>,
}

impl<'t> Walk<'t> {
    /// Creates a walk at the beginning of a text.
    #[must_use]
    pub fn of(text: &'t str) -> Self {
        Self { text, scanner: Scanner::new(text.as_bytes()) }
    }

    /// Returns the kind of members that the next value has.
    ///
    /// # Errors
    /// Returns a fault if the text is not JSON.
    pub fn members(&mut self) -> Result<Members, Fault> {
        Ok(match self.scanner.start().map_err(unreadable)? {
            Start::Object => Members::Fields,
            Start::Array => Members::Elements,
            _ => Members::None,
        })
    }

    /// Enters an object or array.
    ///
    /// # Errors
    /// Returns a fault if the text is nested too deeply.
    pub fn enter(&mut self) -> Result<(), Fault> {
        self.scanner.enter().map_err(unreadable)
    }

    /// Moves to the value of the next field or element and returns its key. After the last one,
    /// leaves the object or array and returns `None`. `is_first` is true right after
    /// [`enter`](Self::enter).
    ///
    /// # Errors
    /// Returns a fault if the text is not JSON.
    pub fn next(&mut self, members: Members, is_first: bool) -> Result<Option<Key<'t>>, Fault> {
        self.step(members, is_first).map_err(unreadable)
    }

    /// Skips the next value and returns its text.
    ///
    /// # Errors
    /// Returns a fault if the text is not JSON.
    pub fn skip(&mut self) -> Result<&'t str, Fault> {
        let start = self.position();
        self.scanner.skip().map_err(unreadable)?;
        Ok(self.since(start))
    }

    /// Checks that the text ends.
    ///
    /// # Errors
    /// Returns a fault if it does not.
    pub fn end(&mut self) -> Result<(), Fault> {
        self.scanner.end().map_err(unreadable)
    }

    /// Returns the position of the next value.
    pub fn position(&mut self) -> usize {
        self.scanner.position()
    }

    /// Returns the text from a position to the current one.
    #[must_use]
    pub fn since(&self, start: usize) -> &'t str {
        self.text.get(self.scanner.since(start)).unwrap_or_default()
    }

    fn step(&mut self, members: Members, is_first: bool) -> Result<Option<Key<'t>>, SyntaxError> {
        let is_element = members == Members::Elements;
        if !self.scanner.more(is_first, if is_element { b']' } else { b'}' })? {
            return Ok(None);
        }
        if is_element {
            return Ok(Some(Key { name: Cow::Borrowed(&[]), text: "" }));
        }
        let start = self.scanner.position();
        self.scanner.key()?;
        let raw = self.scanner.raw();
        let name = if self.scanner.is_escaped() {
            Cow::Owned(self.scanner.unescaped()?)
        } else {
            Cow::Borrowed(raw)
        };
        Ok(Some(Key { name, text: self.since(start) }))
    }
}

#[cold]
fn unreadable(_: SyntaxError) -> Fault {
    Fault::in_payload(&[], "not JSON")
}
