//! The kind Namespace of `v1`.

use admission::{Node, Shape};

use super::Metadata;

/// A Namespace that was looked up.
#[derive(Clone, Copy, Debug)]
pub struct Namespace<'d>(Node<'d>);

impl<'d> Namespace<'d> {
    /// The fields to read for the annotations.
    pub const ANNOTATED: Shape<'static> =
        Shape::Fields(&[("metadata", Shape::Fields(&[("annotations", Shape::ALL)]))]);

    /// The fields to read for the labels.
    pub const LABELLED: Shape<'static> =
        Shape::Fields(&[("metadata", Shape::Fields(&[("labels", Shape::ALL)]))]);

    /// The fields to read for annotations and labels.
    pub const DESCRIBED: Shape<'static> =
        Shape::Fields(&[("metadata", Shape::Fields(&[("annotations", Shape::ALL), ("labels", Shape::ALL)]))]);

    /// The fields to read of all Namespaces of the cluster, to compare one with the others.
    pub const OTHERS: Shape<'static> =
        Shape::Fields(&[("metadata", Shape::Fields(&[("annotations", Shape::ALL), ("name", Shape::ALL)]))]);

    /// The fields to read of all Namespaces of the cluster for their names and labels.
    pub const NAMED_AND_LABELLED: Shape<'static> =
        Shape::Fields(&[("metadata", Shape::Fields(&[("labels", Shape::ALL), ("name", Shape::ALL)]))]);

    /// The fields to read of all Namespaces of the cluster for their names.
    pub const NAMED: Shape<'static> = Shape::Fields(&[("metadata", Shape::Fields(&[("name", Shape::ALL)]))]);

    /// Creates the view of an object.
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
