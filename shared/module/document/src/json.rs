//! A strict scanner for JSON text (RFC 8259).
//!
//! It needs about half the instructions of a serde visitor and avoids the code that serde adds to a
//! module for every type it visits; DESIGN.md has the figures. It accepts the text that it reads
//! exactly as `serde_json` does, with which the host reads requests; tests compare the two. Objects
//! and arrays of no interest are skipped by their structure alone: see [`structure`].

use std::ops::Range;

use text::{Unpaired, plain_end, unescape};

use crate::structure;

/// The depth at which nesting is rejected, as by the host.
const DEEPEST: u8 = 128;

/// A syntax error, named after what the text lacks at the position of the scanner. It is one byte
/// so that results stay in registers.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum SyntaxError {
    Value,
    Key,
    Colon,
    More,
    Element,
    End,
    Quote,
    Escape,
    HexDigits,
    Surrogate,
    Control,
    Digit,
    Literal,
    Depth,
    Utf8,
    /// The document has more values than can be kept.
    Fewer,
    /// An object has a duplicate key; the builder knows which.
    Unique,
    /// The reader of a list rejects an item; the builder has the fault.
    Item,
}

impl SyntaxError {
    /// Returns the message, with line and column. It repeats no part of the text.
    #[cold]
    pub(crate) fn describe(self, text: &[u8], at: usize) -> String {
        let expected = match self {
            SyntaxError::Value => "a value",
            SyntaxError::Key => "a key",
            SyntaxError::Colon => "a colon",
            SyntaxError::More => "a comma or the end of the object or array",
            SyntaxError::Element => "another element",
            SyntaxError::End => "the end",
            SyntaxError::Quote => "the end of the string",
            SyntaxError::Escape => "an escape",
            SyntaxError::HexDigits => "four hexadecimal digits",
            SyntaxError::Surrogate => "a pair of surrogates",
            SyntaxError::Control => "an escape instead of a control character",
            SyntaxError::Digit => "a digit",
            SyntaxError::Literal => "true, false or null",
            SyntaxError::Depth => "less nesting",
            SyntaxError::Utf8 => "UTF-8",
            SyntaxError::Fewer => "at most 524288 values that this policy reads",
            SyntaxError::Unique => "each key once",
            SyntaxError::Item => "another item",
        };
        let before = text.get(..at).unwrap_or(text);
        let line_start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at.saturating_add(1));
        let line = before.split(|byte| *byte == b'\n').count();
        let column = at.saturating_sub(line_start).saturating_add(1);
        let what = if matches!(self, SyntaxError::Fewer) { "too large" } else { "not JSON" };
        [what, ": expected ", expected, " at line ", &line.to_string(), " column ", &column.to_string()]
            .concat()
    }
}

/// The type of a value, as its first byte shows it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Start {
    Object,
    Array,
    String,
    Number,
    True,
    False,
    Null,
}

/// A number, as far as rules read it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Number {
    Integer(i64),
    /// A fraction, an exponent, or more than 18 digits.
    Other,
}

#[derive(Debug)]
pub(crate) struct Scanner<'t> {
    text: &'t [u8],
    at: usize,
    depth: u8,
    /// The bytes between the quotes of the last key or string, and whether they have escapes. They
    /// are stored here because only results that fit into a register are cheap.
    last: &'t [u8],
    escaped: bool,
}

impl<'t> Scanner<'t> {
    pub(crate) fn new(text: &'t [u8]) -> Self {
        Self { text, at: 0, depth: 0, last: &[], escaped: false }
    }

    /// Returns the position of the next value, after white space.
    pub(crate) fn position(&mut self) -> usize {
        self.peek();
        self.at
    }

    pub(crate) fn since(&self, start: usize) -> Range<usize> {
        start..self.at
    }

    /// Returns the type of the next value, without passing it.
    pub(crate) fn start(&mut self) -> Result<Start, SyntaxError> {
        match self.peek() {
            Some(b'"') => Ok(Start::String),
            Some(b'{') => Ok(Start::Object),
            Some(b'[') => Ok(Start::Array),
            Some(b'-' | b'0'..=b'9') => Ok(Start::Number),
            Some(b't') => Ok(Start::True),
            Some(b'f') => Ok(Start::False),
            Some(b'n') => Ok(Start::Null),
            _ => Err(SyntaxError::Value),
        }
    }

    /// Enters an object or array whose type [`start`](Self::start) returned.
    pub(crate) fn enter(&mut self) -> Result<(), SyntaxError> {
        self.depth = self.depth.saturating_add(1);
        if self.depth >= DEEPEST {
            return Err(SyntaxError::Depth);
        }
        self.advance(1);
        Ok(())
    }

    /// Returns whether the object or array has another element, and leaves it if not. `first` is
    /// true right after [`enter`](Self::enter).
    pub(crate) fn more(&mut self, first: bool, close: u8) -> Result<bool, SyntaxError> {
        match self.peek() {
            Some(byte) if byte == close => {
                self.advance(1);
                self.depth = self.depth.saturating_sub(1);
                Ok(false)
            }
            Some(b',') if !first => {
                self.advance(1);
                if self.peek() == Some(close) { Err(SyntaxError::Element) } else { Ok(true) }
            }
            Some(_) if first => Ok(true),
            _ => Err(SyntaxError::More),
        }
    }

    /// Passes the key of the next field and the colon after it, or leaves the object and returns
    /// `false` if it has no more fields. `first` is true right after [`enter`](Self::enter).
    /// [`raw`](Self::raw) returns the key.
    #[expect(clippy::inline_always, reason = "a call returns through memory; see string_end")]
    #[inline(always)]
    pub(crate) fn field(&mut self, first: bool) -> Result<bool, SyntaxError> {
        if self.compact_key(first) { Ok(true) } else { self.any_field(first) }
    }

    #[inline(never)]
    fn any_field(&mut self, first: bool) -> Result<bool, SyntaxError> {
        let more = self.more(first, b'}')?;
        if more {
            self.key()?;
        }
        Ok(more)
    }

    /// Passes a key and the colon after it.
    pub(crate) fn key(&mut self) -> Result<(), SyntaxError> {
        if self.peek() != Some(b'"') {
            return Err(SyntaxError::Key);
        }
        self.string()?;
        if self.peek() != Some(b':') {
            return Err(SyntaxError::Colon);
        }
        self.advance(1);
        Ok(())
    }

    /// Passes a key without white space and escapes, with the comma before it and the colon after
    /// it. The host writes nearly all keys this way, and this takes a fifth of the instructions.
    /// Passes nothing and returns `false` for any other text.
    #[expect(clippy::inline_always, reason = "a call returns through memory; see string_end")]
    #[inline(always)]
    fn compact_key(&mut self, first: bool) -> bool {
        let start = match self.text.get(self.at..) {
            Some([b'"', ..]) if first => self.at.wrapping_add(1),
            Some([b',', b'"', ..]) if !first => self.at.wrapping_add(2),
            _ => return false,
        };
        let end = plain_end(self.text, start);
        let Some([b'"', b':', ..]) = self.text.get(end..) else { return false };
        self.last = self.text.get(start..end).unwrap_or_default();
        self.escaped = false;
        self.at = end.wrapping_add(2);
        true
    }

    /// Passes a string, which [`raw`](Self::raw) returns.
    pub(crate) fn string(&mut self) -> Result<(), SyntaxError> {
        let start = self.at.wrapping_add(1);
        self.escaped = false;
        let end = string_end(self.text, start, &mut self.escaped);
        self.at = end.at;
        self.last = self.text.get(start..end.at.wrapping_sub(1)).unwrap_or_default();
        end.error.map_or(Ok(()), Err)
    }

    /// Returns the bytes between the quotes of the last key or string. Whether they are UTF-8 is
    /// checked where they are read.
    pub(crate) fn raw(&self) -> &'t [u8] {
        self.last
    }

    /// Returns whether the last key or string has escapes.
    pub(crate) fn is_escaped(&self) -> bool {
        self.escaped
    }

    /// Returns the text of the last key or string, which has escapes.
    #[inline(never)]
    pub(crate) fn unescaped(&self) -> Result<Vec<u8>, SyntaxError> {
        unescape(self.raw()).map_err(|Unpaired| SyntaxError::Surrogate)
    }

    pub(crate) fn number(&mut self) -> Result<Number, SyntaxError> {
        /// Integers of up to this many digits fit into an `i64`.
        const DIGITS: usize = 18;
        let start = self.at;
        let integer = self.skip_number()?;
        let text = self.text.get(self.since(start)).unwrap_or_default();
        let (negative, digits) = match text {
            [b'-', digits @ ..] => (true, digits),
            digits => (false, digits),
        };
        if !integer || digits.len() > DIGITS {
            return Ok(Number::Other);
        }
        let value = digits.iter().fold(0_i64, |value, digit| {
            value.wrapping_mul(10).wrapping_add(i64::from(digit.wrapping_sub(b'0')))
        });
        Ok(Number::Integer(if negative { value.wrapping_neg() } else { value }))
    }

    /// Passes a number and returns whether it is an integer, without a fraction or an exponent.
    fn skip_number(&mut self) -> Result<bool, SyntaxError> {
        if self.byte() == Some(b'-') {
            self.advance(1);
        }
        if self.byte() == Some(b'0') {
            self.advance(1);
        } else {
            self.digits()?;
        }
        let mut integer = true;
        if self.byte() == Some(b'.') {
            integer = false;
            self.advance(1);
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.byte() {
            integer = false;
            self.advance(1);
            if let Some(b'+' | b'-') = self.byte() {
                self.advance(1);
            }
            self.digits()?;
        }
        Ok(integer)
    }

    /// Passes `true`, `false` or `null`.
    pub(crate) fn literal(&mut self, literal: &'static str) -> Result<(), SyntaxError> {
        if self.text.get(self.at..).is_some_and(|rest| rest.starts_with(literal.as_bytes())) {
            self.advance(literal.len());
            Ok(())
        } else {
            Err(SyntaxError::Literal)
        }
    }

    /// Passes a value of any type, without validating the inside of an object or array.
    pub(crate) fn skip(&mut self) -> Result<(), SyntaxError> {
        match self.peek() {
            Some(b'"') => self.string(),
            Some(b'{' | b'[') => {
                let end = structure::end(self.text, self.at);
                self.at = end.unwrap_or(self.text.len());
                end.map(|_| ()).ok_or(SyntaxError::More)
            }
            _ => self.skip_scalar(),
        }
    }

    fn skip_scalar(&mut self) -> Result<(), SyntaxError> {
        match self.start()? {
            Start::Number => self.skip_number().map(|_| ()),
            Start::True => self.literal("true"),
            Start::False => self.literal("false"),
            Start::Null => self.literal("null"),
            Start::String | Start::Object | Start::Array => Err(SyntaxError::Value),
        }
    }

    /// Checks that the text ends.
    pub(crate) fn end(&mut self) -> Result<(), SyntaxError> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(SyntaxError::End),
        }
    }

    /// Passes one or more digits.
    fn digits(&mut self) -> Result<(), SyntaxError> {
        let start = self.at;
        let mut at = start;
        while self.text.get(at).is_some_and(u8::is_ascii_digit) {
            at = at.wrapping_add(1);
        }
        self.at = at;
        if at == start { Err(SyntaxError::Digit) } else { Ok(()) }
    }

    /// Returns the next byte that is not white space.
    #[inline]
    fn peek(&mut self) -> Option<u8> {
        self.at = past_space(self.text, self.at);
        self.byte()
    }

    #[inline]
    fn byte(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    #[inline]
    fn advance(&mut self, bytes: usize) {
        // At most a literal past the end, so this cannot overflow.
        self.at = self.at.wrapping_add(bytes);
    }

    pub(crate) fn text(&self) -> &'t [u8] {
        self.text
    }

    pub(crate) fn at(&self) -> usize {
        self.at
    }
}

/// The end of a string, and the error there, if any.
struct End {
    at: usize,
    error: Option<SyntaxError>,
}

#[inline]
fn past_space(bytes: &[u8], mut at: usize) -> usize {
    while let Some(byte) = bytes.get(at)
        && *byte <= b' '
        && matches!(byte, b' ' | b'\n' | b'\t' | b'\r')
    {
        at = past_indentation(bytes, at.wrapping_add(1));
    }
    at
}

/// Passes spaces, up to the last seven of the text. Much of the text that `kubectl` writes is
/// indentation.
#[cfg(not(target_feature = "simd128"))]
#[inline]
fn past_indentation(bytes: &[u8], mut at: usize) -> usize {
    const SPACES: u64 = u64::from_le_bytes([b' '; 8]);
    while let Some(word) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        let others = u64::from_le_bytes(*word) ^ SPACES;
        let spaces = (others.trailing_zeros() / u8::BITS) as usize;
        at = at.wrapping_add(spaces);
        if others != 0 {
            break;
        }
    }
    at
}

/// Passes nothing: a host sends no indentation.
#[cfg(target_feature = "simd128")]
#[inline]
fn past_indentation(_: &[u8], at: usize) -> usize {
    at
}

/// Returns the position after the closing quote of a string whose text starts at `at`. Sets
/// `escaped` if the string has escapes, which it validates.
#[expect(
    clippy::inline_always,
    reason = "saves a tenth of all instructions, as a call returns through memory"
)]
#[inline(always)]
fn string_end(bytes: &[u8], mut at: usize, escaped: &mut bool) -> End {
    let error = loop {
        at = plain_end(bytes, at);
        match bytes.get(at) {
            Some(b'"') => return End { at: at.wrapping_add(1), error: None },
            Some(b'\\') => {
                *escaped = true;
                match escape_length(bytes.get(at..).unwrap_or_default()) {
                    Ok(length) => at = at.wrapping_add(length),
                    Err(error) => break error,
                }
            }
            Some(_) => break SyntaxError::Control,
            None => break SyntaxError::Quote,
        }
    };
    End { at, error: Some(error) }
}

/// Returns the length of the escape at the start of a text, in bytes.
fn escape_length(text: &[u8]) -> Result<usize, SyntaxError> {
    match text {
        [_, b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't', ..] => Ok(2),
        [_, b'u', a, b, c, d, ..] if [a, b, c, d].into_iter().all(u8::is_ascii_hexdigit) => Ok(6),
        [_, b'u', ..] => Err(SyntaxError::HexDigits),
        _ => Err(SyntaxError::Escape),
    }
}

#[cfg(test)]
mod tests;
