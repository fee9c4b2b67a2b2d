//! The objects of a dump, read with the cursor that the rules use to read requests.

use std::fmt;

use admission::{Document, Fault, Node, Shape};
use document::Origin;
use kubernetes::objects::Objects;
use serde_json::Value;

use crate::audit::AuditError;

/// The objects of a cluster.
#[derive(Clone, Debug)]
pub struct Dump {
    objects: Objects,
}

/// An object of a dump.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct DumpObject {
    /// The namespace, empty for cluster-wide kinds.
    pub namespace: String,
    /// The name.
    pub name: String,
    /// The whole object, as JSON.
    pub json: String,
    /// The kind.
    pub kind: String,
}

/// `Pod shop/web`, `Node cp-1`.
impl fmt::Display for DumpObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { namespace, name, kind, .. } = self;
        if namespace.is_empty() { write!(f, "{kind} {name}") } else { write!(f, "{kind} {namespace}/{name}") }
    }
}

impl Dump {
    /// A dump with these objects.
    #[must_use]
    pub fn new(objects: Objects) -> Self {
        Self { objects }
    }

    /// The objects, as the cluster that a policy queries.
    #[must_use]
    pub fn objects(&self) -> &Objects {
        &self.objects
    }

    /// Returns the objects of a kind, ordered by namespace and name.
    ///
    /// # Errors
    /// Objects that cannot be listed.
    pub fn objects_of_kind<'d>(
        &'d self,
        api_version: &str,
        kind: &str,
    ) -> Result<impl Iterator<Item = DumpObject> + use<'d>, AuditError> {
        let kind = kind.to_owned();
        let text = |item: &Value, pointer: &str| {
            item.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        Ok(self.objects.each(api_version, &kind)?.map(move |item| DumpObject {
            namespace: text(&item, "/metadata/namespace"),
            name: text(&item, "/metadata/name"),
            json: item.to_string(),
            kind: kind.clone(),
        }))
    }

    /// Visits the objects of a kind of the core group, ordered by namespace and name, and returns
    /// their number.
    ///
    /// # Errors
    /// Objects that cannot be listed, and an object that `visit` cannot read.
    pub fn visit_all(
        &self,
        kind: &str,
        mut visit: impl FnMut(&DumpObject, Node<'_>) -> Result<(), Fault>,
    ) -> Result<usize, AuditError> {
        let mut count = 0_usize;
        for object in self.objects_of_kind("v1", kind)? {
            object.visit(|root| visit(&object, root))?;
            count += 1;
        }
        Ok(count)
    }

    /// Visits the objects of a kind as [`visit_all`](Self::visit_all) does, but requires that the
    /// dump has at least one.
    ///
    /// # Errors
    /// As [`visit_all`](Self::visit_all), and a dump without such objects, with the command that
    /// creates a suitable one.
    pub fn visit_some(
        &self,
        kind: &str,
        command: &str,
        visit: impl FnMut(&DumpObject, Node<'_>) -> Result<(), Fault>,
    ) -> Result<(), AuditError> {
        match self.visit_all(kind, visit)? {
            0 => Err(AuditError::no_objects(kind, command)),
            _ => Ok(()),
        }
    }
}

impl DumpObject {
    /// Reads the object.
    ///
    /// # Errors
    /// The fault that `visit` returns, with the name of the object in its path.
    pub fn visit<T>(&self, visit: impl FnOnce(Node<'_>) -> Result<T, Fault>) -> Result<T, Fault> {
        let name = self.to_string();
        let document = Document::parse(self.json.as_bytes(), Shape::ALL, Origin::Lookup(&name))?;
        visit(document.root())
    }
}
