//! JSON and YAML as kubectl reads them, and the places of values in the text.
//!
//! [`documents`] parses a text; [`Places`] finds the line of a path.
//!
//! # What this crate does not do
//! It does not read files and does not know Kubernetes.

mod compose;
mod cursor;
mod division;
mod json_places;
mod mistake;
mod part;
mod paths;
mod places;
mod position;
mod problem;
mod read;
mod scalar;
mod separators;
mod strict;
mod template;
mod tree;

pub use cursor::{Cursor, Source};
pub use mistake::Mistake;
pub use paths::{child, path, remove, value_at_mut};
pub use places::{Place, Places};
pub use position::{Position, lines};
pub use problem::Problem;
pub use read::{documents, documents_with_duplicates, found, is_json, own_documents, write};
pub use separators::LINE_ENDS;
pub use text::Step;
