//! The input of a scan: texts, cut into pieces that fit into memory.

mod chunk;
mod few;
mod files;
mod json;
mod notices;
mod piece;
mod pieces;
mod spelling;
mod spool;
mod window;
mod yaml;

#[cfg(test)]
mod tests;

pub(crate) use chunk::within;
pub use chunk::{Chunk, List, Origin, Unreadable};
pub(crate) use few::Few;
pub use files::{Files, Input, is_object_file, with_colon};
pub(crate) use files::{cannot_be_read, file_name};
pub(crate) use piece::Piece;
pub(crate) use pieces::Pieces;
pub(crate) use spelling::may_spell;
pub(crate) use spool::Spool;
