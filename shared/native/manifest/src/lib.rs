//! JSON and YAML as kubectl reads them, and where in the text a value stands.
//!
//! [`documents`] reads a text; [`Places`] finds the line of a path.
//!
//! # What this crate does not do
//! It reads no files and knows no Kubernetes.

mod places;
mod problem;
mod read;
mod strict;

pub use places::{Place, Places, Position};
pub use problem::Problem;
pub use read::{documents, found, own_documents, write};
pub use text::Step;
