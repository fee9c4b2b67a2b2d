//! The members of an object or array, as text.

use std::borrow::Cow;

use crate::Fault;
use crate::json::{Lack, Scanner, Start};

/// A field of an object or an element of an array, as text.
#[derive(Debug)]
pub struct Member<'t> {
    place: Place<'t>,
    value: &'t str,
}

#[derive(Debug)]
enum Place<'t> {
    /// What the key means, and the text of the key and the colon.
    Field(Cow<'t, [u8]>, &'t str),
    Index(usize),
}

impl<'t> Member<'t> {
    /// Whether it is the field with a name.
    #[must_use]
    pub fn is(&self, field: &str) -> bool {
        matches!(&self.place, Place::Field(name, _) if **name == *field.as_bytes())
    }

    /// The position of an element.
    #[must_use]
    pub fn index(&self) -> Option<usize> {
        match self.place {
            Place::Field(..) => None,
            Place::Index(index) => Some(index),
        }
    }

    /// The text of the key and the colon of a field; empty of an element.
    #[must_use]
    pub fn key(&self) -> &'t str {
        match self.place {
            Place::Field(_, key) => key,
            Place::Index(_) => "",
        }
    }

    /// The text of the value.
    #[must_use]
    pub fn value(&self) -> &'t str {
        self.value
    }
}

/// Goes through the members of an object or array; through none of any other value.
///
/// # Example
/// ```
/// use document::Members;
///
/// let mut members = Members::of(r#"{"a":1.50,"b":[]}"#)?;
/// let first = members.next()?.unwrap();
/// assert_eq!((first.is("a"), first.value()), (true, "1.50"));
/// # Ok::<(), document::Fault>(())
/// ```
#[derive(Debug)]
pub struct Members<'t> {
    text: &'t str,
    scanner: Scanner<'t>,
    /// What ends the object or array, if it is one.
    close: Option<u8>,
    index: usize,
}

impl<'t> Members<'t> {
    /// The members of a JSON text.
    ///
    /// # Errors
    /// What is no JSON.
    pub fn of(text: &'t str) -> Result<Self, Fault> {
        let mut scanner = Scanner::new(text.as_bytes());
        let close = match scanner.start().map_err(unreadable)? {
            Start::Object => Some(b'}'),
            Start::Array => Some(b']'),
            _ => None,
        };
        if close.is_some() {
            scanner.enter().map_err(unreadable)?;
        }
        Ok(Self { text, scanner, close, index: 0 })
    }

    /// Whether they are the elements of an array.
    #[must_use]
    pub fn are_elements(&self) -> bool {
        self.close == Some(b']')
    }

    /// The next one.
    ///
    /// # Errors
    /// What is no JSON.
    #[expect(clippy::should_implement_trait, reason = "no iterator: it ends at the first error")]
    pub fn next(&mut self) -> Result<Option<Member<'t>>, Fault> {
        self.step().map_err(unreadable)
    }

    fn step(&mut self) -> Result<Option<Member<'t>>, Lack> {
        let Some(close) = self.close else { return Ok(None) };
        let index = self.index;
        if !self.scanner.more(index == 0, close)? {
            return Ok(None);
        }
        self.index = index.saturating_add(1);
        let start = self.scanner.position();
        let place = if close == b'}' {
            let escaped = self.scanner.key()?;
            let raw = self.scanner.raw();
            let name = if escaped { Cow::Owned(self.scanner.unescaped()?) } else { Cow::Borrowed(raw) };
            Place::Field(name, self.since(start))
        } else {
            Place::Index(index)
        };
        let start = self.scanner.position();
        self.scanner.skip()?;
        Ok(Some(Member { place, value: self.since(start) }))
    }

    /// The text from a position up to here, cut at ASCII characters.
    fn since(&self, start: usize) -> &'t str {
        self.text.get(self.scanner.since(start)).unwrap_or_default()
    }
}

#[cold]
fn unreadable(_: Lack) -> Fault {
    Fault::new("payload", "not JSON")
}
