//! What every module needs and should pay little for: text for messages, JSON text, suggestions, looking up.
//!
//! The standard library and the usual crates have all of it, and each would bring a multiple of the code into
//! every module; DESIGN.md has the figures. It is a crate of its own so that it is compiled for size, while
//! `document`, which every byte of a request goes through, is compiled for speed.

mod escape;
mod nearest;
mod path;
mod quote;
mod sort;
mod write;

pub use escape::{Unpaired, unescape};
pub use nearest::nearest;
pub use path::{Path, Step};
pub use quote::{Quoted, is_printable};
pub use sort::{Lookup, sorted};
pub use write::{Json, ObjectWriter};
