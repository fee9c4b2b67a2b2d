//! `v1` Node.

use admission::{Node, Shape};

use super::Metadata;

/// A Node; called so as the cursor is a `Node`, too.
#[derive(Clone, Copy, Debug)]
pub struct ClusterNode<'d>(Node<'d>);

impl<'d> ClusterNode<'d> {
    /// What is read of a Node under review.
    pub const REVIEWED: Shape<'static> =
        Shape::Fields(&[("metadata", Shape::Fields(&[("labels", Shape::ALL), ("name", Shape::ALL)]))]);

    /// What is read of the Node that asks.
    pub const IDENTIFIED: Shape<'static> =
        Shape::Fields(&[("metadata", Shape::Fields(&[("labels", Shape::ALL), ("uid", Shape::ALL)]))]);

    /// The view of an object, present or not.
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
