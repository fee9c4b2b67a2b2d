//! The documents of YAML in a stream, and the items of long lists one by one.

use std::collections::VecDeque;
use std::io::Read;
use std::ops::Range;
use std::sync::Arc;

use manifest::{Position, Problem};
use serde_json::Value;

use super::chunk::{LIMIT, List, SPLIT, too_long, utf8};
use super::piece::Piece;
use super::window::Window;

/// Splits YAML into documents at the lines that separate them, which no scalar can contain. A
/// document that is longer than [`SPLIT`] and a list, as `kubectl get -o yaml` writes it, is split
/// into its items: lines with the indentation of the list that begin with `- `.
#[derive(Debug)]
pub(crate) struct YamlPieces<R> {
    window: Window<R>,
    document: usize,
    content: Content,
    list: Option<Items>,
    is_dropping: bool,
    /// A line that was read and belongs to what follows.
    ahead: Option<Range<usize>>,
    is_over: bool,
}

#[derive(Clone, Copy, Debug, Default, Eq, Ord, PartialEq, PartialOrd)]
enum Content {
    #[default]
    Nothing,
    /// Nothing but directives, which need a document.
    Directive,
    Values,
}

#[derive(Debug)]
struct Items {
    start: usize,
    /// The number of spaces before each item; `None` before the first one.
    indentation: Option<usize>,
    item: usize,
    /// The complete items that are not given out.
    complete: VecDeque<Range<usize>>,
    /// The place behind the last item, if the list is complete.
    end: Option<usize>,
    split: Option<Head>,
}

#[derive(Debug)]
struct Head {
    text: Vec<u8>,
    at: Position,
    list: Arc<List>,
}

impl<R: Read> YamlPieces<R> {
    pub(crate) fn new(window: Window<R>) -> Self {
        let document = window.place();
        Self {
            window,
            document,
            content: Content::Nothing,
            list: None,
            is_dropping: false,
            ahead: None,
            is_over: false,
        }
    }

    pub(crate) fn next(&mut self) -> Option<Result<Piece, Problem>> {
        loop {
            if let Some(item) = self.split_item() {
                return Some(item);
            }
            if self.is_over {
                return None;
            }
            if let Some(problem) = self.check_length() {
                return Some(Err(problem));
            }
            let line = match self.ahead.take().map_or_else(|| self.window.pass_line(), |line| Ok(Some(line)))
            {
                Ok(line) => line,
                Err(problem) => {
                    self.is_over = true;
                    return Some(Err(problem));
                }
            };
            let Some(line) = line else {
                if self.end_items(self.window.place()) {
                    continue;
                }
                self.is_over = true;
                return self.document(self.window.place());
            };
            if is_separator(self.window.bytes(&line))
                && (self.content == Content::Values || self.list.is_some())
            {
                if self.end_items(line.start) {
                    self.ahead = Some(line);
                    continue;
                }
                let document = self.document(line.start);
                self.document = line.start;
                if document.is_some() {
                    self.ahead = Some(line);
                    return document;
                }
            }
            self.line(&line);
        }
    }

    /// Ends the current list, if it is split, and returns whether items remain to be given out.
    fn end_items(&mut self, here: usize) -> bool {
        self.end_of_list(here);
        self.list.as_ref().is_some_and(|items| items.split.is_some() && !items.complete.is_empty())
    }

    fn line(&mut self, line: &Range<usize>) {
        let text = self.window.bytes(line);
        let spaces = text.iter().take_while(|byte| **byte == b' ').count();
        let rest = trimmed(text.get(spaces..).unwrap_or_default());
        // A directive, such as `%YAML 1.2`, belongs to the document that follows.
        let is_directive = text.starts_with(b"%");
        let is_blank = rest.is_empty() || is_comment(rest) || is_directive;
        let is_item = rest == b"-" || rest.starts_with(b"- ");
        let is_empty = |rest: &[u8]| rest.is_empty() || is_comment(rest);
        let has_values = !is_blank && !behind_separator(text).is_some_and(is_empty);
        let found = if has_values { Content::Values } else { Content::Directive };
        if has_values || is_directive {
            self.content = self.content.max(found);
        }
        if self.list.is_none() && spaces == 0 && rest == b"items:" {
            let start = line.end;
            self.list = Some(Items {
                start,
                indentation: None,
                item: start,
                complete: VecDeque::new(),
                end: None,
                split: None,
            });
            return;
        }
        let Some(items) = self.list.as_mut().filter(|items| items.end.is_none()) else { return };
        if is_blank {
            return;
        }
        match items.indentation {
            None if is_item => {
                items.indentation = Some(spaces);
                items.start = line.start;
                items.item = line.start;
            }
            // Not a list of several lines.
            None => self.list = None,
            Some(indentation) if spaces == indentation && is_item => {
                items.complete.push_back(items.item..line.start);
                items.item = line.start;
                if std::mem::take(&mut self.is_dropping) {
                    items.complete.clear();
                    self.window.keep_from(line.start);
                }
            }
            Some(indentation) if spaces > indentation => {}
            Some(_) => self.end_of_list(line.start),
        }
    }

    fn end_of_list(&mut self, here: usize) {
        let Some(items) = self.list.as_mut() else { return };
        if items.end.is_some() || items.indentation.is_none() {
            return;
        }
        items.end = Some(here);
        if std::mem::take(&mut self.is_dropping) {
            self.window.keep_from(here);
        } else {
            items.complete.push_back(items.item..here);
        }
    }

    /// Returns the document that ends here; `None` if it is empty.
    fn document(&mut self, end: usize) -> Option<Result<Piece, Problem>> {
        let has_content = std::mem::take(&mut self.content) != Content::Nothing;
        let is_dropped = std::mem::take(&mut self.is_dropping);
        let items = self.list.take();
        let piece = match items.and_then(|items| Some((items.split?, items.end?))) {
            Some((Head { mut text, at, list }, behind)) => {
                text.extend_from_slice(self.window.bytes(&(behind..end)));
                Some(utf8(text, at).map(|text| Piece { text, at, list: Some(list), is_envelope: true }))
            }
            None => (has_content && !is_dropped).then(|| self.window.piece(&(self.document..end), None)),
        };
        self.document = end;
        self.window.keep_from(end);
        piece
    }

    /// Returns the next item of a list that is split. A space takes the place of the hyphen, so
    /// that the item is a document of its own.
    fn split_item(&mut self) -> Option<Result<Piece, Problem>> {
        let items = self.list.as_mut()?;
        let head = items.split.as_ref()?;
        let item = items.complete.pop_front()?;
        let (list, indentation) = (Arc::clone(&head.list), items.indentation.unwrap_or_default());
        let piece = self.window.piece(&item, Some(list)).map(|mut piece| {
            let hyphen = indentation..indentation + 1;
            if piece.text.get(hyphen.clone()) == Some("-") {
                piece.text.replace_range(hyphen, " ");
            }
            piece
        });
        self.window.keep_from(item.end);
        Some(piece)
    }

    /// Splits a list that is long, and drops what is too long.
    fn check_length(&mut self) -> Option<Problem> {
        let here = self.window.place();
        if self.is_dropping {
            self.window.keep_from(here);
            return None;
        }
        let is_long = here.saturating_sub(self.document) > SPLIT;
        if is_long
            && self.list.as_ref().is_some_and(|items| items.indentation.is_some() && items.split.is_none())
        {
            self.split();
        }
        let begin = match &self.list {
            Some(Items { split: Some(_), item, end: None, .. }) => *item,
            Some(Items { split: Some(_), end: Some(end), .. }) => *end,
            _ => self.document,
        };
        if here.saturating_sub(begin) <= LIMIT {
            return None;
        }
        self.is_dropping = true;
        Some(too_long(self.window.position(begin)))
    }

    fn split(&mut self) {
        let Some(items) = &mut self.list else { return };
        let text = self.window.bytes(&(self.document..items.start)).to_vec();
        let fields = std::str::from_utf8(&text).ok().and_then(|text| manifest::documents(text).ok());
        let fields = match fields.and_then(|mut documents| documents.pop()) {
            Some(Value::Object(fields)) => fields,
            _ => serde_json::Map::default(),
        };
        let at = self.window.position(self.document);
        items.split = Some(Head { text, at, list: Arc::new(List { fields }) });
    }
}

fn is_separator(line: &[u8]) -> bool {
    behind_separator(line).is_some()
}

/// Returns what follows the separator of documents in a line; `None` for another line.
fn behind_separator(line: &[u8]) -> Option<&[u8]> {
    let rest = line.strip_prefix(b"---")?;
    rest.first().is_none_or(|byte| is_space(*byte)).then(|| {
        let start = rest.iter().position(|byte| !is_space(*byte)).unwrap_or(rest.len());
        trimmed(rest.get(start..).unwrap_or_default())
    })
}

/// Returns whether a byte is white space of YAML, which a form feed is not.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

fn trimmed(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(|byte| !is_space(*byte)).map_or(0, |last| last.saturating_add(1));
    text.get(..end).unwrap_or_default()
}

/// Returns whether the rest of a line is a comment, in which no line ends: a document may consist
/// of the text behind such an end.
fn is_comment(rest: &[u8]) -> bool {
    rest.starts_with(b"#") && !String::from_utf8_lossy(rest).contains(manifest::LINE_ENDS)
}
