//! `v1` Namespace.

use admission::{Node, Shape};

use super::Metadata;

/// A Namespace that was looked up.
#[derive(Clone, Copy, Debug)]
pub struct Namespace<'d>(Node<'d>);

impl<'d> Namespace<'d> {
    /// What is read of its annotations.
    pub const ANNOTATED: Shape<'static> =
        Shape::Fields(&[("metadata", Shape::Fields(&[("annotations", Shape::ALL)]))]);

    /// What is read of its labels.
    pub const LABELLED: Shape<'static> =
        Shape::Fields(&[("metadata", Shape::Fields(&[("labels", Shape::ALL)]))]);

    /// What is read of both.
    pub const DESCRIBED: Shape<'static> =
        Shape::Fields(&[("metadata", Shape::Fields(&[("annotations", Shape::ALL), ("labels", Shape::ALL)]))]);

    /// What is read of those that others are compared with.
    pub const OTHERS: Shape<'static> =
        Shape::Fields(&[("metadata", Shape::Fields(&[("annotations", Shape::ALL), ("name", Shape::ALL)]))]);

    /// The view of an object.
    #[must_use]
    pub fn of(object: Node<'d>) -> Self {
        Self(object)
    }

    /// `metadata`.
    #[must_use]
    pub fn metadata(&self) -> Metadata<'d> {
        Metadata::of(self.0)
    }
}
