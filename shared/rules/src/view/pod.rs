//! `v1` Pod.

use admission::{Node, Shape};

use super::Metadata;

/// A Pod.
#[derive(Clone, Copy, Debug)]
pub struct Pod<'d>(Node<'d>);

impl<'d> Pod<'d> {
    /// What is read of a Pod that a node writes.
    pub const WRITTEN_BY_NODE: Shape<'static> = Shape::Fields(&[
        (
            "metadata",
            Shape::Fields(&[
                ("annotations", Shape::All),
                ("labels", Shape::All),
                ("namespace", Shape::All),
                ("ownerReferences", Metadata::OWNERS),
            ]),
        ),
        ("spec", Shape::Fields(&[("nodeName", Shape::All)])),
    ]);

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

    /// `spec.nodeName`.
    #[must_use]
    pub fn node_name(&self) -> Node<'d> {
        self.0.at("spec").at("nodeName")
    }
}
