//! Small building blocks for modules: text for messages, JSON text, suggestions and look-up tables.
//!
//! The standard library and the usual crates provide all of them, but add several times as much
//! code to every module; DESIGN.md has the figures. This is a separate crate so that it is compiled
//! for size, while `document`, which reads every byte of a request, is compiled for speed. Only
//! native crates use [`percent_encoded`].

// A module that panics cannot report why.
#![deny(clippy::arithmetic_side_effects, clippy::expect_used, clippy::indexing_slicing)]

mod escape;
mod find;
mod nearest;
mod path;
mod percent;
mod plain;
mod quote;
mod sort;
mod write;

pub use escape::{Unpaired, unescape};
pub use find::contains;
pub use nearest::nearest;
pub use path::{Path, Step};
pub use percent::percent_encoded;
pub use plain::plain_end;
#[cfg(target_feature = "simd128")]
pub use plain::vector;
pub use quote::{Quoted, is_printable};
pub use sort::{Lookup, duplicate, sorted};
pub use write::{Json, ObjectWriter};
