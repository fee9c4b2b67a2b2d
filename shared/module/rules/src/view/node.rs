//! The kind Node of `v1`.

use admission::{Fault, Node, Shape};

use super::Metadata;

/// A Node of the cluster, as opposed to the place in a document, [`Node`].
#[derive(Clone, Copy, Debug)]
pub struct ClusterNode<'d>(Node<'d>);

impl<'d> ClusterNode<'d> {
    /// The fields to read of the Node in a request.
    pub const REVIEWED: Shape<'static> = Shape::Fields(&[
        (
            "metadata",
            Shape::Fields(&[
                ("labels", Shape::ALL),
                ("name", Shape::ALL),
                ("ownerReferences", Metadata::OWNERS),
            ]),
        ),
        ("spec", Shape::Fields(&[("configSource", Shape::ALL), ("taints", Taint::FIELDS)])),
    ]);

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

    /// `spec.taints`.
    #[must_use]
    pub fn taints(&self) -> Node<'d> {
        self.0.at("spec").at("taints")
    }

    /// The dynamic configuration of kubelets before Kubernetes 1.24.
    pub(crate) fn config_source(&self) -> Node<'d> {
        self.0.at("spec").at("configSource")
    }
}

/// An element of `spec.taints`.
#[derive(Clone, Copy, Debug)]
pub struct Taint<'d>(Node<'d>);

impl<'d> Taint<'d> {
    const FIELDS: Shape<'static> = Shape::Fields(&[
        ("effect", Shape::ALL),
        ("key", Shape::ALL),
        ("timeAdded", Shape::ALL),
        ("value", Shape::ALL),
    ]);

    /// Creates the view of an element of the list.
    ///
    /// # Errors
    /// Returns a fault if the element is not an object.
    pub fn of(item: Node<'d>) -> Result<Self, Fault> {
        if item.object()? { Ok(Self(item)) } else { Err(item.fault("expected an object, found null")) }
    }

    /// Returns the place of the taint.
    #[must_use]
    pub fn place(&self) -> Node<'d> {
        self.0
    }

    /// Returns `key`, empty if it is absent.
    ///
    /// # Errors
    /// Returns a fault if it is not a string.
    pub fn key(&self) -> Result<&'d str, Fault> {
        Ok(self.0.at("key").text()?.unwrap_or_default())
    }

    /// Returns whether two taints are equal. Absent and empty strings are equal.
    ///
    /// # Errors
    /// Returns a fault if a field is not a string.
    pub fn is(&self, other: &Self) -> Result<bool, Fault> {
        for name in ["effect", "key", "timeAdded", "value"] {
            if self.0.at(name).filled_text()? != other.0.at(name).filled_text()? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
