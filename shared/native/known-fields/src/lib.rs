//! The fields of Kubernetes kinds, and the fields of an object that Kubernetes does not know.
//!
//! The API server ignores a misspelt field or reports it as a warning: a manifest with
//! `privilegd: true` is valid. [`unknown_fields`] finds such fields and suggests the name that was
//! probably meant. [`fields_of`] returns the fields of a kind; tests check that it has every field
//! that a policy reads.
//!
//! The table covers the kinds that policies judge. It is generated from the types of `k8s-openapi`,
//! which are generated from the `OpenAPI` specification of Kubernetes. `tests/known_fields`
//! compares it with those types, and `./justw bless` rewrites it.
//!
//! # What this crate does not do
//! It does not check types or values, and it does not know custom resources.

mod fields;
mod kinds;
#[rustfmt::skip]
mod table;
mod unknown;

pub use fields::{Fields, Type};
pub use kinds::{fields_of, kinds};
pub use unknown::{UnknownField, unknown_fields};
