//! The notices about texts that cannot be read, with their places.

use manifest::{Position, Problem};
use report::{Level, Notice, Place, Span};

use super::chunk::{Chunk, Origin, Unreadable};
use super::spelling::may_be_object;
use crate::spot::position;

impl Chunk {
    /// Returns the notice that the piece cannot be read.
    pub(crate) fn unreadable(&self, problem: &Problem) -> Notice {
        let is_template = self.text.contains("{{") && !self.origin.is_rendered;
        let (level, advice) = match self.origin.of_templates {
            None if self.list.is_some() && problem.message().ends_with("unknown anchor") => (
                Level::Error,
                "; in a list longer than 256 KiB, an item has only its own anchors: write the value out",
            ),
            None if is_template => (Level::Error, "; if it is a template of Helm, scan what it renders"),
            None => (Level::Error, ""),
            Some(_) if self.list.is_none() && !may_be_object(self.text.as_bytes()) => {
                (Level::Note, "; it is skipped, because it has neither apiVersion nor kind")
            }
            Some(level) if problem.is_template() => {
                (level, "; it is skipped as a template: scan what it renders, or exclude it")
            }
            Some(_) => (Level::Error, "; correct it, or exclude it"),
        };
        Notice {
            level,
            place: Some(self.place_of(problem.at)),
            message: message_at(&self.origin, problem.at, &format!("{}{advice}", problem.message())),
        }
    }

    /// Returns a place in a piece, whose position is that in the file.
    pub(crate) fn place_of(&self, at: Option<Position>) -> Place {
        place(&self.origin, Some(at.unwrap_or(self.at)), at.is_some())
    }
}

impl Unreadable {
    /// Returns the error for users.
    #[must_use]
    pub fn notice(&self) -> Notice {
        let Self { origin, problem, level } = self;
        Notice {
            level: *level,
            place: Some(place(origin, problem.at, problem.at.is_some())),
            message: message_at(origin, problem.at, &problem.message()),
        }
    }
}

/// Returns a place in a file. The lines of what a program rendered are in no file.
fn place(origin: &Origin, at: Option<Position>, is_exact: bool) -> Place {
    let at = at.filter(|_| !origin.is_rendered).map(position);
    Place {
        file: origin.name.clone(),
        span: at.map(|at| Span { start: at, end: at }),
        is_exact: at.is_some() && is_exact,
    }
}

/// Returns a message about a position. If a program rendered the text, the message names the
/// position in what it rendered.
fn message_at(origin: &Origin, at: Option<Position>, message: &str) -> String {
    match at.filter(|_| origin.is_rendered) {
        Some(Position { line, column }) => {
            format!("line {line}, column {column} of what is rendered: {message}")
        }
        None => message.to_owned(),
    }
}
