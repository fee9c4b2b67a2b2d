//! JSON and YAML as kubectl reads them, and where in the text a value stands.
//!
//! [`documents`] reads a text; [`Places`] finds the line of a path that a message names, which [`steps`] takes apart.
//!
//! # What this crate does not do
//! It reads no files and knows no Kubernetes.

mod path;
mod places;
mod problem;
mod read;
mod strict;

pub use path::{Step, steps};
pub use places::{Place, Places, Position};
pub use problem::Problem;
pub use read::{documents, found, own_documents, write};
