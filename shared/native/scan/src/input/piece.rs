//! A piece of a text.

use std::sync::Arc;

use manifest::Position;

use super::chunk::List;

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
