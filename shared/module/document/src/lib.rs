//! JSON documents: scanned once, kept by shape, read through a cursor that knows its path.
//!
//! A policy looks at a few fields of a large object. What it looks at is declared as a [`Shape`];
//! [`Document`] keeps that and skips the rest; rules read it through [`Node`], which gives the value, the
//! path for the message and the place of an edit, so that the three cannot drift apart. What cannot
//! be read is a [`Fault`], never an absence.
//!
//! # What this crate does not do
//! It knows no Kubernetes, no policy and no host.

mod document;
mod fault;
#[cfg(debug_assertions)]
mod guard;
mod json;
mod node;
mod peek;
mod shape;
mod walk;

pub use document::Document;
pub use fault::{Fault, Origin, Place};
pub use node::Node;
pub use peek::peek;
pub use shape::Shape;
pub use walk::{Below, Key, Walk};
