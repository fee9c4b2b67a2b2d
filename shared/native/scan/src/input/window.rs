//! A window into a stream of bytes.

use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::ops::Range;
use std::sync::Arc;

use document::{OpenValue, Passed};
use manifest::{Position, Problem};

use super::chunk::{Cursor, LIMIT, List, too_long, utf8};
use super::piece::Piece;

/// The number of bytes that are read at once.
const BLOCK: usize = 64 * 1024;

/// The bytes of a stream from a place that is kept to the current one. Places are numbers of bytes
/// from the beginning of the stream.
#[derive(Debug)]
pub(crate) struct Window<R> {
    reader: BufReader<R>,
    buffer: Vec<u8>,
    /// The place of the first byte of the buffer.
    base: usize,
    /// The place of the first byte that is needed.
    kept: usize,
    /// The position of the first byte that is needed.
    cursor: Cursor,
    place: usize,
}

impl<R: Read> Window<R> {
    pub(crate) fn new(reader: R) -> Self {
        let reader = BufReader::with_capacity(BLOCK, reader);
        Self { reader, buffer: Vec::new(), base: 0, kept: 0, cursor: Cursor::START, place: 0 }
    }

    pub(crate) fn place(&self) -> usize {
        self.place
    }

    /// Returns the byte at the current place; `None` at the end.
    pub(crate) fn byte(&mut self) -> Result<Option<u8>, Problem> {
        let index = self.place.saturating_sub(self.base);
        if let Some(byte) = self.buffer.get(index) {
            return Ok(Some(*byte));
        }
        Ok(if self.fill()? { self.buffer.get(self.place.saturating_sub(self.base)).copied() } else { None })
    }

    pub(crate) fn pass(&mut self) {
        self.place += 1;
    }

    /// Passes more of an object or array. Returns whether it has ended; `None` at the end of the
    /// stream.
    pub(crate) fn pass_value(&mut self, value: &mut OpenValue) -> Result<Option<bool>, Problem> {
        let is_last = self.peek(OpenValue::BLOCK)?.len() < OpenValue::BLOCK;
        let (length, has_ended) = match value.pass(self.rest(), is_last) {
            Passed::Whole(length) => (length, Some(true)),
            Passed::Part(length) => (length, (!is_last).then_some(false)),
        };
        self.place += length;
        Ok(has_ended)
    }

    /// Returns the bytes that are read and not passed.
    fn rest(&self) -> &[u8] {
        self.buffer.get(self.place.saturating_sub(self.base)..).unwrap_or_default()
    }

    /// Passes bytes that are not part of the text.
    pub(crate) fn skip(&mut self, count: usize) {
        self.place += count;
        self.kept = self.place;
    }

    /// Passes a string, whose opening quote is at the current place.
    pub(crate) fn pass_string(&mut self) -> Result<(), Problem> {
        self.pass();
        loop {
            let rest = self.rest();
            let Some(offset) = memchr::memchr2(b'"', b'\\', rest) else {
                self.place += rest.len();
                if self.fill()? {
                    continue;
                }
                return Ok(());
            };
            self.place += offset;
            let is_escape = self.byte()? == Some(b'\\');
            self.pass();
            if !is_escape {
                return Ok(());
            }
            self.byte()?;
            self.pass();
        }
    }

    /// Passes a line that separates documents of YAML, if one is here.
    pub(crate) fn passes_separator(&mut self) -> Result<bool, Problem> {
        let start = self.place;
        let mut count = 0_usize;
        while self.byte()? == Some(b'-') {
            self.pass();
            count += 1;
        }
        if count == 3 && matches!(self.byte()?, None | Some(b' ' | b'\t' | b'\r' | b'\n')) {
            return Ok(true);
        }
        self.place = start;
        Ok(false)
    }

    pub(crate) fn bytes(&self, range: &Range<usize>) -> &[u8] {
        let index = |place: usize| place.saturating_sub(self.base);
        self.buffer.get(index(range.start)..index(range.end)).unwrap_or_default()
    }

    /// Forgets the bytes before a place.
    pub(crate) fn keep_from(&mut self, place: usize) {
        let mut cursor = self.cursor;
        cursor.pass(self.bytes(&(self.kept..place)));
        self.cursor = cursor;
        self.kept = place;
    }

    /// Returns a range of the text as a piece: a document, or an item of a list.
    pub(super) fn piece(&self, range: &Range<usize>, list: Option<Arc<List>>) -> Result<Piece, Problem> {
        let at = self.position(range.start);
        if range.len() > LIMIT {
            return Err(too_long(at));
        }
        let text = utf8(self.bytes(range).to_vec(), at)?;
        Ok(Piece { text, at, list, is_envelope: false })
    }

    pub(crate) fn position(&self, place: usize) -> Position {
        let mut cursor = self.cursor;
        cursor.pass(self.bytes(&(self.kept..place)));
        cursor.0
    }

    pub(crate) fn problem(&self, message: impl Into<String>) -> Problem {
        Problem::new(Some(self.position(self.place)), message)
    }

    /// Reads more bytes; returns whether there were any.
    pub(crate) fn fill(&mut self) -> Result<bool, Problem> {
        self.buffer.drain(..self.kept.saturating_sub(self.base).min(self.buffer.len()));
        self.base = self.kept;
        let read = loop {
            match self.reader.fill_buf() {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                other => break other,
            }
        };
        let count = read.map(|bytes| {
            self.buffer.extend_from_slice(bytes);
            bytes.len()
        });
        let count = count.map_err(|error| self.problem(format!("cannot be read: {error}")))?;
        self.reader.consume(count);
        Ok(count > 0)
    }

    /// Returns the bytes of the stream that are not passed, without passing them, up to a number.
    pub(crate) fn peek(&mut self, count: usize) -> Result<&[u8], Problem> {
        let wanted = self.place + count;
        while self.base.saturating_add(self.buffer.len()) < wanted && self.fill()? {}
        let end = wanted.min(self.base + self.buffer.len());
        Ok(self.bytes(&(self.place..end)))
    }

    /// Passes the rest of a line with its end, and returns its place; `None` at the end.
    pub(crate) fn pass_line(&mut self) -> Result<Option<Range<usize>>, Problem> {
        let start = self.place;
        loop {
            let rest = self.rest();
            if let Some(offset) = memchr::memchr(b'\n', rest) {
                self.place = self.place.saturating_add(offset) + 1;
                return Ok(Some(start..self.place));
            }
            self.place += rest.len();
            if !self.fill()? {
                return Ok((self.place > start).then_some(start..self.place));
            }
        }
    }
}
