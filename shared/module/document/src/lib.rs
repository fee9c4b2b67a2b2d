//! JSON documents: parsed once, reduced to a shape, read through a cursor that knows its path.
//!
//! A policy reads a few fields of a large object and declares them as a [`Shape`]. [`Document`]
//! keeps these fields and skips the rest. Rules read them through [`Node`], which provides the
//! value, the path for messages and the place for edits, so that the three cannot diverge. Input
//! that cannot be read is a [`Fault`], never an absent value.
//!
//! # What this crate does not do
//! It does not know Kubernetes, policies or hosts.

// A module that panics cannot report why.
#![deny(clippy::arithmetic_side_effects, clippy::expect_used, clippy::indexing_slicing)]

mod document;
mod fault;
#[cfg(debug_assertions)]
mod guard;
mod json;
mod node;
mod peek;
mod shape;
mod structure;
mod walk;

pub use document::{Document, ItemReader};
pub use fault::{Fault, Origin, Place};
pub use node::Node;
pub use peek::peek;
pub use shape::Shape;
pub use structure::{OpenValue, Passed};
pub use walk::{Key, Members, Walk};
