//! The fields of Kubernetes kinds and their types, and the mistakes of an object.
//!
//! The API server ignores a misspelt field or reports it as a warning: a manifest with
//! `privilegd: true` is valid. It refuses a value of another type, such as `value: true` of a
//! variable. [`mistakes`] finds both, and suggests the name that was probably meant. [`fields_of`]
//! returns the fields of a kind; tests check that it has every field that a policy reads.
//!
//! The table, `fields.txt`, covers every kind that Kubernetes 1.37 serves, in each of its versions.
//! It is generated from the types of `k8s-openapi`, which are generated from the `OpenAPI`
//! specification of Kubernetes. `tests/known_fields` compares it with those types, and
//! `./justw bless` rewrites it.
//!
//! # What this module does not do
//! It checks the types of values and not the rest, such as ranges and required fields, and it does
//! not know custom resources.

mod format;
mod kinds;
mod mistake;
mod table;
mod types;

pub use kinds::{fields_of, kinds};
pub use mistake::{Mistake, Problem, mistakes};
pub(crate) use table::type_of;
pub use types::{Fields, Type};
