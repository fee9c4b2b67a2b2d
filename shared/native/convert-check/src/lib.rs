//! Comparison of converted manifests with a model of their source.
//!
//! A [`Model`] says how a source judges the creation of an object; it shares no code with the
//! conversion. A [`Comparer`] asks the manifests through the scanner, and the model, about the same
//! objects, and lists every difference. It keeps no object.
//!
//! # What this crate does not do
//! It reads no files, asks no cluster and prints nothing.

mod compare;
mod kyverno;
mod object;
mod psa;

use std::fmt;

pub use compare::{Comparer, Comparison, Difference};
pub use kyverno::KyvernoModel;
pub use object::{Kind, Namespaces, Object};
pub use psa::PsaModel;

/// The verdict on the creation of an object.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Verdict {
    /// There is no violation.
    Passes,
    /// There is a violation, for this reason, whatever follows from it.
    Violates(String),
    /// The verdict is unknown, for this reason.
    Unknown(String),
}

/// A model of a source of manifests.
pub trait Model: fmt::Debug {
    /// Returns the kinds of the objects that the source can deny. Other objects are not compared.
    fn kinds(&self) -> Vec<Kind>;

    /// Returns the verdict of the source on the creation of an object by an ordinary user.
    fn judge(&self, object: &Object, namespaces: &Namespaces) -> Verdict;
}
