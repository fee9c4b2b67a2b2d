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
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    fn reads(text: &[u8]) -> Result<(), SyntaxError> {
        let mut scanner = Scanner::new(text);
        read(&mut scanner)?;
        scanner.end()
    }

    /// Passes a value by reading all of it, as a document does that keeps everything.
    fn read(scanner: &mut Scanner<'_>) -> Result<(), SyntaxError> {
        let mut first = true;
        match scanner.start()? {
            Start::Object => {
                scanner.enter()?;
                while scanner.field(std::mem::take(&mut first))? {
                    read(scanner)?;
                }
                Ok(())
            }
            Start::Array => {
                scanner.enter()?;
                while scanner.more(std::mem::take(&mut first), b']')? {
                    read(scanner)?;
                }
                Ok(())
            }
            Start::String => scanner.string(),
            Start::Number | Start::True | Start::False | Start::Null => scanner.skip_scalar(),
        }
    }

    /// Checks that a value which can be read is skipped up to the same place, and that a skip of
    /// any other text ends within it.
    fn check_skip(text: &[u8]) {
        let (mut reading, mut skipping) = (Scanner::new(text), Scanner::new(text));
        let (is_read, is_skipped) = (read(&mut reading), skipping.skip());
        if is_read.is_ok() {
            assert_eq!((is_skipped, skipping.at), (Ok(()), reading.at), "{}", text.escape_ascii());
        }
        assert!(skipping.at <= text.len(), "{}", text.escape_ascii());
    }

    /// Returns whether `serde_json` accepts a text whose value is ignored: it would otherwise also
    /// reject numbers out of range, unpaired surrogates and invalid UTF-8, which are not errors of
    /// syntax.
    fn serde_accepts(text: &[u8]) -> bool {
        serde_json::from_slice::<serde::de::IgnoredAny>(text).is_ok()
    }

    #[test]
    fn agrees_with_serde_json_on_corner_cases() {
        let short = [
            "", " ", "1", "-1", "-", "+1", "01", "-01", "1.", "1.0", ".5", "1e5", "1E+5", "1e", "1e+", "0x1",
            "1 2", "\"\"", "\"", "\"a", "\"\\\"", "\"\\\"\"", "\"\\x\"", "true", "tru", "truee", "false",
            "null", "nul", "True", "[]", "[", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "[1,2]", "[[]]", "[}",
            "[1}", "[[]}", "{}", "{", "{\"a\"", "{\"a\":", "{\"a\":1", "{,}", "{a:1}", "{1:1}", "{1}",
            "{[]}", "{{}}", "]", "\u{a0}1", "nan", "[1,2]]",
        ];
        let long = [
            "\"ä€😀\"",
            "\"\\u12\"",
            "\"\\u12gh\"",
            "\"\\u0041\"",
            "\"\u{1}\"",
            "\"\u{7f}\"",
            "\"tab\there\"",
            "{\"a\":1,",
            "{\"a\":1,}",
            "{\"a\" 1}",
            "{\"a\":1,2}",
            "{\"a\":1,\"b\":[{}]}",
            "{\"a\":1]",
            " { \"a\" : [ 1 , 2 ] } ",
            "\t\r\n1\n",
            "\u{feff}1",
            "{\"ä\":1}",
        ];
        for text in short.into_iter().chain(long) {
            assert_eq!(reads(text.as_bytes()).is_ok(), serde_accepts(text.as_bytes()), "{text:?}");
            check_skip(text.as_bytes());
        }
    }

    #[test]
    fn limits_nesting_like_the_host() {
        for depth in [1_usize, 126, 127, 128, 129, 100_000] {
            let text = [vec![b'['; depth], vec![b']'; depth]].concat();
            let host: Result<Value, _> = serde_json::from_slice(&text);
            assert_eq!(reads(&text).is_ok(), host.is_ok(), "{depth}");
        }
    }

    #[test]
    fn messages_have_line_and_column_and_no_text() {
        let text = b"{\n  \"password\": hunter2}";
        let mut scanner = Scanner::new(text);
        let error = read(&mut scanner).unwrap_err();
        assert_eq!(error.describe(text, scanner.at()), "not JSON: expected a value at line 2 column 15");
    }

    #[test]
    fn reads_integers_of_up_to_18_digits() {
        let number = |text: &str| {
            let mut scanner = Scanner::new(text.as_bytes());
            scanner.number().unwrap()
        };
        assert_eq!(number("0"), Number::Integer(0));
        assert_eq!(number("-443"), Number::Integer(-443));
        assert_eq!(number("999999999999999999"), Number::Integer(999_999_999_999_999_999));
        for other in ["9999999999999999999", "1.0", "1e2", "-0.5"] {
            assert_eq!(number(other), Number::Other, "{other}");
        }
    }

    proptest! {
        #[test]
        fn accepts_what_serde_json_writes(text in json(), pretty: bool) {
            let value: Value = serde_json::from_str(&text).unwrap();
            let text = if pretty { serde_json::to_vec_pretty(&value) } else { serde_json::to_vec(&value) };
            let text = text.unwrap();
            prop_assert!(reads(&text).is_ok());
            check_skip(&text);
        }

        #[test]
        fn agrees_with_serde_json_on_a_changed_byte(text in json(), at: prop::sample::Index, byte: u8) {
            let mut text = text.into_bytes();
            let at = at.index(text.len());
            text[at] = byte;
            prop_assert_eq!(reads(&text).is_ok(), serde_accepts(&text));
            check_skip(&text);
        }

        /// The laws about policies cut their input behind tokens alone.
        #[test]
        fn agrees_with_serde_json_on_every_prefix(text in json()) {
            for end in 0..text.len() {
                let prefix = &text.as_bytes()[..end];
                prop_assert_eq!(reads(prefix).is_ok(), serde_accepts(prefix));
                check_skip(prefix);
            }
        }

        #[test]
        fn agrees_with_serde_json_on_any_bytes(text in "[\\[\\]{}:,\"\\\\ntfu0-9eE.+ a-]{0,24}") {
            prop_assert_eq!(reads(text.as_bytes()).is_ok(), serde_accepts(text.as_bytes()));
            check_skip(text.as_bytes());
        }

        #[test]
        fn unescapes_strings_like_serde_json(text: String) {
            let json = serde_json::to_string(&text).unwrap();
            let escaped: String =
                text.encode_utf16().map(|unit| format!("\\u{unit:04X}")).collect::<Vec<_>>().concat();
            for json in [json, format!("\"{escaped}\"")] {
                let mut scanner = Scanner::new(json.as_bytes());
                scanner.string().unwrap();
                let bytes = if scanner.is_escaped() { scanner.unescaped().unwrap() } else { scanner.raw().to_vec() };
                prop_assert_eq!(bytes, text.as_bytes());
            }
        }
    }

    fn json() -> impl Strategy<Value = String> {
        let leaf = prop_oneof![
            Just("null".to_owned()),
            any::<bool>().prop_map(|value| value.to_string()),
            any::<i64>().prop_map(|value| value.to_string()),
            any::<f32>()
                .prop_filter("JSON has no infinity", |value| value.is_finite())
                .prop_map(|v| v.to_string()),
            any::<String>().prop_map(|text| Value::from(text).to_string()),
        ];
        leaf.prop_recursive(4, 32, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(|items| format!("[{}]", items.join(","))),
                prop::collection::vec((any::<String>(), inner), 0..6).prop_map(|fields| {
                    let fields: Vec<String> = fields
                        .into_iter()
                        .map(|(key, value)| format!("{}:{value}", Value::from(key)))
                        .collect();
                    format!("{{{}}}", fields.join(", "))
                }),
            ]
        })
    }
}
