//! Pieces of a text.

use std::io::Read;
use std::sync::Arc;

use manifest::{Position, Problem};
use serde::de::IgnoredAny;

use super::chunk::List;
use super::json::JsonPieces;
use super::window::Window;
use super::yaml::YamlPieces;

/// The number of bytes by which JSON and YAML are told apart.
pub(super) const BEGINNING: usize = 1024;

#[derive(Debug)]
pub(crate) struct Piece {
    pub(crate) text: String,
    pub(crate) at: Position,
    pub(crate) list: Option<Arc<List>>,
    /// Whether the piece is a list without its items, which were given out before.
    pub(crate) is_envelope: bool,
}

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

/// Returns whether a text begins like JSON. `{level: baseline}` is YAML.
pub(super) fn is_json(text: &[u8]) -> bool {
    let is_outer = |byte: &u8| matches!(byte, b'{' | b'[') || byte.is_ascii_whitespace();
    let text = text.trim_ascii_start();
    let inner: &[u8] =
        text.iter().position(|byte| !is_outer(byte)).map_or(b"", |at| text.get(at..).unwrap_or_default());
    text.starts_with(b"{") && matches!(inner.first(), None | Some(b'"' | b'}'))
        || text.starts_with(b"[")
            && (matches!(inner.first(), None | Some(b'"' | b'}' | b']' | b'-' | b'0'..=b'9'))
                || [&b"true"[..], b"false", b"null"].iter().any(|name| inner.starts_with(name)))
}
