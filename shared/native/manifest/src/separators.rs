//! The characters that kubectl reads differently from editors, reviewers and YAML 1.2.
//!
//! A line, and so a comment, ends for kubectl at the separators U+0085, U+2028 and U+2029
//! (`is_break` in go-yaml v2): a comment can hide fields. The byte order mark U+FEFF is part of a
//! key for kubectl unless the text begins with it.

use std::ops::Range;

use crate::{Position, lines};

/// The beginning of a line that separates documents of YAML.
pub(crate) const SEPARATOR: &str = "\n---";

const SEPARATORS: [char; 4] = ['\u{85}', '\u{2028}', '\u{2029}', '\u{feff}'];

/// The characters but the line feed that end a line, and so a comment, for kubectl.
pub const LINE_ENDS: [char; 4] = ['\r', '\u{85}', '\u{2028}', '\u{2029}'];

/// The separators of a text, in the order of the text.
#[derive(Clone, Debug)]
pub(crate) struct Separators<'t> {
    text: &'t str,
    /// The offset of the next one.
    next: Option<usize>,
}

impl<'t> Separators<'t> {
    pub(crate) fn of(text: &'t str) -> Self {
        let mark = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Self { text, next: find(text, mark) }
    }

    /// Passes a string in double quotes. Returns the position of the first separator before it, or
    /// in it with another meaning to kubectl: it folds U+0085, and white space next to the others.
    pub(crate) fn pass(&mut self, string: &Range<usize>) -> Option<Position> {
        while let Some(at) = self.next.filter(|at| *at < string.end) {
            if at < string.start || !self.is_text(at) {
                return Some(position(self.text, at));
            }
            // All separators that pass have this length.
            self.next = find(self.text, at + '\u{2028}'.len_utf8());
        }
        None
    }

    pub(crate) fn rest(&self) -> Option<Position> {
        self.next.map(|at| position(self.text, at))
    }

    /// Returns whether a separator in double quotes is a character of the string.
    fn is_text(&self, at: usize) -> bool {
        let is_space = |c: char| matches!(c, ' ' | '\t' | '\r' | '\n') || SEPARATORS.contains(&c);
        let Some((before, rest)) = self.text.split_at_checked(at) else { return false };
        let mut behind = rest.chars();
        let is_folded = behind.next() == Some('\u{85}');
        !is_folded && !before.ends_with(is_space) && !behind.as_str().starts_with(is_space)
    }
}

fn find(text: &str, from: usize) -> Option<usize> {
    let rest = text.get(from..)?;
    rest.find(SEPARATORS).map(|at| at.saturating_add(from))
}

pub(crate) fn position(text: &str, offset: usize) -> Position {
    let before = text.get(..offset).unwrap_or_default();
    let number = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
    let (mut count, mut last) = (0_usize, "");
    for line in lines(before) {
        count += 1;
        last = line;
    }
    Position { line: number(count), column: number(last.chars().count() + 1) }
}
