//! The input of a scan: texts, cut into pieces that fit into memory.

mod chunk;
mod few;
mod files;
mod json;
mod piece;
mod spool;
mod window;
mod yaml;

#[cfg(test)]
mod tests;

pub(crate) use chunk::within;
pub use chunk::{Chunk, List, Origin, Unreadable};
pub(crate) use few::Few;
pub use files::{Files, Input};
pub(crate) use files::{cannot_be_read, file_name, is_object_file, may_be_object, may_spell};
pub(crate) use piece::{Piece, Pieces};
pub(crate) use spool::Spool;
