//! The pieces of a text.

use std::io::Read;

use manifest::Problem;
use serde::de::IgnoredAny;

use super::json::JsonPieces;
use super::piece::{BEGINNING, Piece, is_json};
use super::window::Window;
use super::yaml::YamlPieces;

/// The pieces of a text: YAML, JSON, or JSON with documents of YAML behind it, as tools print that
/// join files.
#[derive(Debug)]
pub(crate) enum Pieces<R> {
    Json(JsonPieces<R>),
    Yaml(YamlPieces<R>),
    Over,
}

impl<R: Read> Pieces<R> {
    pub(crate) fn new(reader: R) -> Result<Self, Problem> {
        let mut window = Window::new(reader);
        // Some editors write a byte order mark.
        if window.peek(3)? == b"\xef\xbb\xbf" {
            window.skip(3);
        }
        Ok(if is_json(window.peek(BEGINNING)?) {
            Self::Json(JsonPieces::new(window))
        } else {
            Self::Yaml(YamlPieces::new(window))
        })
    }

    pub(crate) fn next(&mut self) -> Option<Result<Piece, Problem>> {
        let piece = match self {
            Self::Json(pieces) => pieces.next().map(|piece| piece.and_then(checked)),
            Self::Yaml(pieces) => pieces.next(),
            Self::Over => None,
        };
        if piece.is_none()
            && let Self::Json(pieces) = std::mem::replace(self, Self::Over)
            && let Some(window) = pieces.before_yaml()
        {
            *self = Self::Yaml(YamlPieces::new(window));
            return self.next();
        }
        piece
    }
}

/// Checks that a piece of JSON is no YAML.
fn checked(piece: Piece) -> Result<Piece, Problem> {
    if manifest::is_json(&piece.text) {
        return Ok(piece);
    }
    match serde_json::from_str::<IgnoredAny>(&piece.text) {
        Ok(_) => Ok(piece),
        Err(error) => Err(Problem::new(Some(piece.at), format!("invalid JSON: {error}"))),
    }
}
