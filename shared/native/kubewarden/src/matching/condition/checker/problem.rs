//! Problems of expressions, with their places.

use cel::common::ast::{IdedExpr, SourceInfo};
use cel::parser::{ParseError, ParseErrors};

/// A reason not to accept an expression.
#[derive(Debug)]
pub(super) struct Problem {
    part: u64,
    text: String,
    is_unknown: bool,
}

#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Refusal {
    Refused(String),
    /// Whether API servers refuse the expression is not known.
    Unknown(String),
}

impl Refusal {
    /// Returns what errors of the parser mean. Its limit for brackets and conditional operators
    /// within each other is lower than that of API servers.
    pub(crate) fn of_parser(errors: &ParseErrors) -> Self {
        if errors.errors.iter().any(|error| error.msg.contains("Recursion limit of ")) {
            return Self::Unknown("is nested too deeply to be read here; shorten it".to_owned());
        }
        // The text of an error shows the line, and panics if that is very long.
        let first = errors.errors.first().map(|ParseError { pos: (line, column), msg, .. }| {
            format!("line {line}, column {column}: {msg}")
        });
        Self::Refused(format!("is not a CEL expression: {}", first.unwrap_or_default()))
    }
}

pub(super) fn refused(part: &IdedExpr, text: String) -> Problem {
    Problem { part: part.id, text, is_unknown: false }
}

pub(super) fn unknown(part: &IdedExpr, text: &str) -> Problem {
    Problem { part: part.id, text: text.to_owned(), is_unknown: true }
}

impl Problem {
    pub(super) fn located(self, source: &SourceInfo) -> Refusal {
        let text = match source.offset_for(self.part) {
            Some((start, _)) => format!("{}: {}", place(&source.source, start), self.text),
            None => self.text,
        };
        if self.is_unknown { Refusal::Unknown(text) } else { Refusal::Refused(text) }
    }
}

/// Returns the line and column of an offset in characters.
fn place(source: &str, offset: u32) -> String {
    let before: String = source.chars().take(usize::try_from(offset).unwrap_or(usize::MAX)).collect();
    let line = before.matches('\n').count().saturating_add(1);
    let column = before.chars().rev().take_while(|one| *one != '\n').count().saturating_add(1);
    if source.contains('\n') { format!("line {line}, column {column}") } else { format!("column {column}") }
}
