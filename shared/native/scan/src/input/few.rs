//! Pieces that are kept in memory to be evaluated again.

use std::collections::VecDeque;

use super::chunk::{Chunk, Unreadable};
use super::files::Input;

/// The bytes that are kept in memory.
const MOST: usize = 8 * 1024 * 1024;

/// Pieces of an input, as long as they are few.
#[derive(Debug, Default)]
pub(crate) struct Few {
    pieces: VecDeque<Chunk>,
    bytes: usize,
}

impl Few {
    /// Adds a piece; returns `None` if they are too many.
    pub(crate) fn and(mut self, piece: Chunk) -> Option<Self> {
        self.bytes += piece.text.len();
        self.pieces.push_back(piece);
        (self.bytes <= MOST).then_some(self)
    }
}

impl Input for Few {
    /// Returns the next piece, which is then no longer kept.
    fn next(&mut self) -> Option<Result<Chunk, Unreadable>> {
        self.pieces.pop_front().map(Ok)
    }

    fn rewind(&mut self) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::{List, Origin};

    #[test]
    fn pieces_are_kept_as_long_as_they_are_few() {
        let piece = |length| Chunk::live(Origin::file("f"), "x".repeat(length), List::of("v1", "Pod"));
        let mut few = Few::default().and(piece(1)).and_then(|few| few.and(piece(MOST - 1))).unwrap();
        let lengths: Vec<usize> =
            std::iter::from_fn(|| few.next()).map(|piece| piece.unwrap().text.len()).collect();
        assert_eq!(lengths, [1, MOST - 1]);
        assert!(Few::default().and(piece(MOST)).and_then(|few| few.and(piece(1))).is_none());
    }
}
