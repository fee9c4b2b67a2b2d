//! `ObjectMeta`, which all kinds share.

use admission::{Fault, Node, Shape};

/// The metadata of an object.
#[derive(Clone, Copy, Debug)]
pub struct Metadata<'d>(Node<'d>);

impl<'d> Metadata<'d> {
    pub(super) const OWNERS: Shape<'static> = Shape::Fields(&[
        ("apiVersion", Shape::ALL),
        ("blockOwnerDeletion", Shape::ALL),
        ("controller", Shape::ALL),
        ("kind", Shape::ALL),
        ("name", Shape::ALL),
        ("uid", Shape::ALL),
    ]);

    /// The fields to read of an object for its owners.
    pub const OWNED: Shape<'static> =
        Shape::Fields(&[("metadata", Shape::Fields(&[("ownerReferences", Self::OWNERS)]))]);

    /// Creates the view of the metadata of an object; either may be absent.
    pub(super) fn of(object: Node<'d>) -> Self {
        Self(object.at("metadata"))
    }

    /// `metadata.name`.
    #[must_use]
    pub fn name(&self) -> Node<'d> {
        self.0.at("name")
    }

    pub(crate) fn generate_name(&self) -> Node<'d> {
        self.0.at("generateName")
    }

    /// `metadata.namespace`.
    #[must_use]
    pub fn namespace(&self) -> Node<'d> {
        self.0.at("namespace")
    }

    /// `metadata.uid`.
    #[must_use]
    pub fn uid(&self) -> Node<'d> {
        self.0.at("uid")
    }

    /// `metadata.labels`.
    #[must_use]
    pub fn labels(&self) -> Node<'d> {
        self.0.at("labels")
    }

    /// `metadata.annotations`.
    #[must_use]
    pub fn annotations(&self) -> Node<'d> {
        self.0.at("annotations")
    }

    pub(crate) fn deletion_timestamp(&self) -> Node<'d> {
        self.0.at("deletionTimestamp")
    }

    /// `metadata.ownerReferences`.
    #[must_use]
    pub fn owner_references(&self) -> Node<'d> {
        self.0.at("ownerReferences")
    }

    /// Returns the owner reference of the controller, if there is one.
    ///
    /// # Errors
    /// Returns a fault if the references are not a list of objects or a field has the wrong type.
    pub fn controller(&self) -> Result<Option<OwnerReference<'d>>, Fault> {
        for item in self.owner_references().items()? {
            let owner = OwnerReference::of(item)?;
            if owner.controller.boolean()? == Some(true) {
                return Ok(Some(owner));
            }
        }
        Ok(None)
    }
}

/// An element of `metadata.ownerReferences`.
#[derive(Clone, Copy, Debug)]
pub struct OwnerReference<'d> {
    /// `apiVersion`.
    pub api_version: Node<'d>,
    /// `kind`.
    pub kind: Node<'d>,
    /// `name`.
    pub name: Node<'d>,
    /// `uid`.
    pub uid: Node<'d>,
    /// `controller`.
    pub controller: Node<'d>,
    /// `blockOwnerDeletion`.
    pub block_owner_deletion: Node<'d>,
}

impl<'d> OwnerReference<'d> {
    /// Creates the view of an element of the list.
    ///
    /// # Errors
    /// Returns a fault if the element is not an object.
    pub fn of(item: Node<'d>) -> Result<Self, Fault> {
        if !item.object()? {
            return Err(item.fault("expected an object, found null"));
        }
        Ok(Self {
            api_version: item.at("apiVersion"),
            kind: item.at("kind"),
            name: item.at("name"),
            uid: item.at("uid"),
            controller: item.at("controller"),
            block_owner_deletion: item.at("blockOwnerDeletion"),
        })
    }

    /// Returns whether two references are equal. Absent and empty strings are equal; an absent flag
    /// differs from `false`.
    ///
    /// # Errors
    /// Returns a fault if a field has the wrong type.
    pub fn is(&self, other: &Self) -> Result<bool, Fault> {
        let texts = |one: &Self| [one.api_version, one.kind, one.name, one.uid];
        let flags = |one: &Self| [one.controller, one.block_owner_deletion];
        let mut same = true;
        for (one, other) in texts(self).into_iter().zip(texts(other)) {
            same &= one.filled_text()? == other.filled_text()?;
        }
        for (one, other) in flags(self).into_iter().zip(flags(other)) {
            same &= one.boolean()? == other.boolean()?;
        }
        Ok(same)
    }
    /// Returns whether two lists of references are equal. An absent list equals an empty one.
    ///
    /// # Errors
    /// Returns a fault if a list is not an array of references.
    pub fn are_equal(old: Node<'_>, new: Node<'_>) -> Result<bool, Fault> {
        let (mut old, mut new) = (old.items()?, new.items()?);
        loop {
            match (old.next(), new.next()) {
                (None, None) => return Ok(true),
                (Some(old), Some(new)) if OwnerReference::of(old)?.is(&OwnerReference::of(new)?)? => {}
                _ => return Ok(false),
            }
        }
    }
}
