//! JSON values of a stream, and the items of long lists one by one.

use std::collections::VecDeque;
use std::io::Read;
use std::ops::Range;
use std::sync::Arc;

use document::OpenValue;
use manifest::{Position, Problem};
use serde_json::Value;

use super::chunk::{LIMIT, List, SPLIT, too_long, utf8};
use super::piece::{BEGINNING, Piece, is_json};
use super::window::Window;

/// Splits JSON into values. A list that is longer than [`SPLIT`] is split into its items. Nothing
/// is parsed: only strings and brackets are recognized.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own about the text")]
pub(crate) struct JsonPieces<R> {
    window: Window<R>,
    /// The number of open brackets: 1 within a value, 2 within its items.
    depth: usize,
    /// The object or array within them that is being read, whose text does not matter.
    nested: Option<OpenValue>,
    value: usize,
    /// The place of the key that is being read, at depth 1.
    key: Option<Range<usize>>,
    /// Whether the next string at depth 1 is a key.
    expects_key: bool,
    list: Option<Items>,
    /// Whether the current value or item is too long, so that its bytes are dropped.
    is_dropping: bool,
    /// Whether the current value has ended and is not given out.
    has_ended: bool,
    is_over: bool,
    /// Whether the text goes on as YAML.
    is_before_yaml: bool,
}

#[derive(Debug)]
struct Items {
    depth: usize,
    /// The place behind the opening bracket.
    start: usize,
    item: Option<usize>,
    has_any: bool,
    /// Whether an item ended, and no comma follows yet.
    expects_comma: bool,
    is_closed: bool,
    /// The complete items that are not given out.
    complete: VecDeque<Range<usize>>,
    /// The beginning of the list, once its items are given out one by one.
    split: Option<Head>,
}

/// The text of a list before its items.
#[derive(Debug)]
struct Head {
    text: Vec<u8>,
    at: Position,
    list: Arc<List>,
    /// The place behind the last item.
    behind: usize,
}

/// The end of a step of the search.
enum Found {
    Item(Range<usize>),
    Value,
    Nothing,
    End,
}

impl<R: Read> JsonPieces<R> {
    pub(crate) fn new(window: Window<R>) -> Self {
        Self {
            window,
            depth: 0,
            nested: None,
            value: 0,
            key: None,
            expects_key: false,
            list: None,
            is_dropping: false,
            has_ended: false,
            is_over: false,
            is_before_yaml: false,
        }
    }

    /// Returns the rest of the text if it is YAML.
    pub(crate) fn before_yaml(self) -> Option<Window<R>> {
        self.is_before_yaml.then_some(self.window)
    }

    pub(crate) fn next(&mut self) -> Option<Result<Piece, Problem>> {
        loop {
            if self.is_over {
                return None;
            }
            if let Some(item) = self.split_item() {
                return Some(item);
            }
            if std::mem::take(&mut self.has_ended) {
                if let Some(piece) = self.value() {
                    return Some(piece);
                }
                continue;
            }
            if let Some(problem) = self.check_length() {
                return Some(Err(problem));
            }
            match self.step() {
                Ok(Found::Nothing) => {}
                Ok(Found::Item(item)) => self.item(item),
                // The last item of a split list comes before the rest of the list.
                Ok(Found::Value) => self.has_ended = true,
                Ok(Found::End) => {
                    self.is_over = true;
                    let message = "invalid JSON: the text ends within a value; is it truncated?";
                    return (self.depth > 0).then(|| Err(self.window.problem(message)));
                }
                Err(problem) => {
                    self.is_over = true;
                    return Some(Err(problem));
                }
            }
        }
    }

    /// Passes more of the value that is being read, or the byte at the current place.
    fn step(&mut self) -> Result<Found, Problem> {
        if let Some(nested) = &mut self.nested {
            return Ok(match self.window.pass_value(nested)? {
                None => Found::End,
                Some(false) => Found::Nothing,
                Some(true) => {
                    self.nested = None;
                    self.end_of_item(self.window.place()).map_or(Found::Nothing, Found::Item)
                }
            });
        }
        let Some(byte) = self.window.byte()? else { return Ok(Found::End) };
        let here = self.window.place();
        match byte {
            b'"' => {
                let is_key = self.depth == 1 && self.expects_key;
                self.begin(here)?;
                self.window.pass_string()?;
                if is_key {
                    self.expects_key = false;
                    self.key = Some(here..self.window.place());
                }
            }
            b'{' | b'[' => {
                if self.depth == 0 {
                    self.value = here;
                    self.key = None;
                    self.expects_key = byte == b'{';
                    self.window.keep_from(here);
                }
                self.begin(here)?;
                let is_list = byte == b'[' && (self.depth == 0 || self.depth == 1 && self.is_items());
                if self.depth > 0 && !(is_list && self.list.is_none()) {
                    self.nested = Some(OpenValue::default());
                    return Ok(Found::Nothing);
                }
                self.depth += 1;
                self.window.pass();
                if is_list {
                    self.list = Some(Items {
                        depth: self.depth,
                        start: self.window.place(),
                        item: None,
                        has_any: false,
                        expects_comma: false,
                        is_closed: false,
                        complete: VecDeque::new(),
                        split: None,
                    });
                }
            }
            b'}' | b']' => {
                if self.depth == 0 {
                    return Err(self.window.problem("invalid JSON: expected value"));
                }
                // A scalar can be an item itself.
                if let Some(item) = self.end_of_item(here) {
                    self.item(item);
                }
                if let Some(items) = self.list.as_mut().filter(|items| items.depth == self.depth) {
                    items.is_closed = true;
                }
                self.depth = self.depth.saturating_sub(1);
                self.window.pass();
                return Ok(if self.depth == 0 { Found::Value } else { Found::Nothing });
            }
            b',' if self.depth > 0 => {
                let item = self.end_of_item(here);
                if let Some(items) = self.list.as_mut().filter(|items| items.depth == self.depth) {
                    items.expects_comma = false;
                }
                self.expects_key = self.depth == 1;
                self.window.pass();
                return Ok(item.map_or(Found::Nothing, Found::Item));
            }
            b' ' | b'\t' | b'\r' | b'\n' => self.window.pass(),
            b':' if self.depth > 0 => self.window.pass(),
            b'-' if self.depth == 0 && self.window.passes_separator()? => {
                let behind = self.window.peek(BEGINNING)?;
                let is_end = behind.len() < BEGINNING && behind.trim_ascii().is_empty();
                if !is_end && !is_json(behind) {
                    self.is_before_yaml = true;
                    self.is_over = true;
                    self.window.keep_from(self.window.place());
                }
            }
            _ => {
                self.begin(here)?;
                self.window.pass();
            }
        }
        Ok(Found::Nothing)
    }

    fn begin(&mut self, here: usize) -> Result<(), Problem> {
        if self.depth == 0 && self.value != here {
            return Err(self
                .window
                .problem("invalid JSON: expected an object, a list, or a line --- before YAML"));
        }
        if let Some(items) = &mut self.list
            && items.depth == self.depth
            && items.item.is_none()
            && !items.is_closed
        {
            if items.expects_comma {
                return Err(self.window.problem("invalid JSON: expected `,` or `]`"));
            }
            items.item = Some(here);
            items.has_any = true;
        }
        Ok(())
    }

    fn end_of_item(&mut self, here: usize) -> Option<Range<usize>> {
        let depth = self.depth;
        let items = self.list.as_mut().filter(|items| items.depth == depth)?;
        let start = items.item.take()?;
        items.expects_comma = true;
        Some(start..here)
    }

    fn is_items(&self) -> bool {
        self.key.as_ref().is_some_and(|key| self.window.bytes(key) == b"\"items\"")
    }

    fn item(&mut self, item: Range<usize>) {
        let Some(items) = &mut self.list else { return };
        match &mut items.split {
            Some(head) if self.is_dropping => {
                self.is_dropping = false;
                head.behind = item.end;
                self.window.keep_from(item.end);
            }
            _ if self.is_dropping => {}
            _ => items.complete.push_back(item),
        }
    }

    fn value(&mut self) -> Option<Result<Piece, Problem>> {
        let end = self.window.place();
        let items = self.list.take();
        let piece = match items.and_then(|items| items.split) {
            Some(Head { mut text, at, list, behind }) => {
                text.extend_from_slice(self.window.bytes(&(behind..end)).trim_ascii_start());
                Some(utf8(text, at).map(|text| Piece { text, at, list: Some(list), is_envelope: true }))
            }
            None if self.is_dropping => None,
            None => Some(self.window.piece(&(self.value..end), None)),
        };
        self.is_dropping = false;
        self.window.keep_from(end);
        piece
    }

    fn split_item(&mut self) -> Option<Result<Piece, Problem>> {
        let items = self.list.as_mut()?;
        let head = items.split.as_mut()?;
        let item = items.complete.pop_front()?;
        head.behind = item.end;
        let list = Arc::clone(&head.list);
        let piece = self.window.piece(&item, Some(list));
        self.window.keep_from(item.end);
        Some(piece)
    }

    /// Splits a list that is long, and drops a value that is too long.
    fn check_length(&mut self) -> Option<Problem> {
        if self.depth == 0 {
            return None;
        }
        let here = self.window.place();
        if self.is_dropping {
            self.window.keep_from(here);
            return None;
        }
        let is_long = here.saturating_sub(self.value) > SPLIT;
        if is_long && self.list.as_ref().is_some_and(|items| items.has_any && items.split.is_none()) {
            self.split();
        }
        let begin = match &self.list {
            Some(Items { split: Some(Head { behind, .. }), item, .. }) => item.unwrap_or(*behind),
            _ => self.value,
        };
        if here.saturating_sub(begin) <= LIMIT {
            return None;
        }
        self.is_dropping = true;
        Some(too_long(self.window.position(begin)))
    }

    /// Begins to give out the items of the current list one by one.
    fn split(&mut self) {
        let Some(items) = &mut self.list else { return };
        let text = self.window.bytes(&(self.value..items.start)).to_vec();
        let mut whole = text.clone();
        whole.extend_from_slice(if items.depth == 1 { b"]" } else { b"]}" });
        let fields = match serde_json::from_slice(&whole) {
            Ok(Value::Object(fields)) => fields,
            _ => serde_json::Map::default(),
        };
        let at = self.window.position(self.value);
        items.split = Some(Head { text, at, list: Arc::new(List { fields }), behind: items.start });
    }
}
