//! The kind Node of `v1`.

use admission::{Node, Shape};

use super::Metadata;

/// A Node of the cluster, as opposed to the place in a document, [`Node`].
#[derive(Clone, Copy, Debug)]
pub struct ClusterNode<'d>(Node<'d>);

impl<'d> ClusterNode<'d> {
    /// The fields to read of the Node in a request.
    pub const REVIEWED: Shape<'static> =
        Shape::Fields(&[("metadata", Shape::Fields(&[("labels", Shape::ALL), ("name", Shape::ALL)]))]);

    /// The fields to read of the Node of the requesting user.
    pub const IDENTIFIED: Shape<'static> =
        Shape::Fields(&[("metadata", Shape::Fields(&[("labels", Shape::ALL), ("uid", Shape::ALL)]))]);

    /// Creates the view of an object, which may be absent.
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
