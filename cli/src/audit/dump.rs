//! A dump of a cluster, read with the cursor that the rules read requests with: what cannot be read is named.

use std::fmt;

use admission::{Document, Fault, Node, Shape};
use cluster_objects::{Listing, Objects};
use document::Origin;
use serde_json::Value;

use crate::args::DumpArgs;
use crate::cluster;
use crate::failure::Failure;
use crate::source::{Name, Reader};

/// The objects of a dump.
#[derive(Debug)]
pub(crate) struct Dump {
    objects: Objects,
    /// What messages call it.
    name: String,
}

/// An object of a dump.
#[derive(Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) struct Item {
    /// Empty for cluster-wide kinds.
    pub(crate) namespace: String,
    pub(crate) name: String,
    pub(crate) json: String,
    pub(crate) kind: String,
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { namespace, name, kind, .. } = self;
        if namespace.is_empty() { write!(f, "{kind} {name}") } else { write!(f, "{kind} {namespace}/{name}") }
    }
}

impl Dump {
    /// The objects of some files and directories.
    ///
    /// # Errors
    /// The first file that cannot be read, and what is no set of Kubernetes objects.
    pub(crate) fn read(args: &DumpArgs) -> Result<Self, Failure> {
        Self::of(&args.dump, &mut Reader::default())
    }

    /// The same, where something else is read besides.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub(crate) fn of(files: &[String], reader: &mut Reader) -> Result<Self, Failure> {
        let objects = cluster::read(files, reader)?;
        let names: Vec<String> = files.iter().map(|file| Name::of_argument(file).to_string()).collect();
        Ok(Self { objects, name: names.join(", ") })
    }

    /// The objects, as the cluster that a policy asks.
    pub(crate) fn objects(&self) -> &Objects {
        &self.objects
    }

    /// Visits the objects of a kind of the core group by namespace and name; how many there are.
    ///
    /// # Errors
    /// What `visit` cannot read, with the name of the object.
    pub(crate) fn each(
        &self,
        kind: &str,
        mut visit: impl FnMut(&str, &str, Node<'_>) -> Result<(), Fault>,
    ) -> Result<usize, Failure> {
        let items = self.items("v1", kind)?;
        for item in &items {
            self.visit(item, |object| visit(&item.namespace, &item.name, object))?;
        }
        Ok(items.len())
    }

    /// The objects of a kind by namespace and name.
    ///
    /// # Errors
    /// When the dump cannot be asked.
    pub(crate) fn items(&self, api_version: &str, kind: &str) -> Result<Vec<Item>, Failure> {
        let wanted = Listing {
            api_version,
            kind,
            namespace: None,
            label_selector: None,
            field_selector: None,
            field_masks: &[],
        };
        let list = self.objects.list(&wanted).map_err(|failure| Failure::about(&self.name, failure))?;
        let items = list.get("items").and_then(Value::as_array).into_iter().flatten();
        let text = |item: &Value, pointer: &str| {
            item.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let mut named: Vec<Item> = items
            .map(|item| Item {
                namespace: text(item, "/metadata/namespace"),
                name: text(item, "/metadata/name"),
                json: item.to_string(),
                kind: kind.to_owned(),
            })
            .collect();
        named.sort();
        Ok(named)
    }

    /// Reads an object.
    ///
    /// # Errors
    /// What `visit` cannot read, with the name of the object.
    pub(crate) fn visit<T>(
        &self,
        item: &Item,
        visit: impl FnOnce(Node<'_>) -> Result<T, Fault>,
    ) -> Result<T, Failure> {
        Document::parse(item.json.as_bytes(), Shape::ALL, Origin::Lookup(&item.to_string()))
            .and_then(|document| visit(document.root()))
            .map_err(|fault| Failure::about(&self.name, fault))
    }

    /// The same, where a dump without such objects is one of something else.
    ///
    /// # Errors
    /// As [`each`](Self::each), and a dump without such objects.
    pub(crate) fn each_of_some(
        &self,
        kind: &str,
        command: &str,
        visit: impl FnMut(&str, &str, Node<'_>) -> Result<(), Fault>,
    ) -> Result<usize, Failure> {
        match self.each(kind, visit)? {
            0 => {
                let problem = format!("has no v1 {kind}; make the dump with {command} -o json");
                Err(Failure::about(&self.name, problem))
            }
            count => Ok(count),
        }
    }
}
