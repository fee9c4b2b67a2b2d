//! A dump of a cluster, read with the cursor that the rules read requests with: what cannot be read is named.

use admission::{Document, Fault, Node, Shape};
use document::Origin;
use objects::{Listing, Objects};
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

impl Dump {
    /// The objects of some files and directories.
    ///
    /// # Errors
    /// The first file that cannot be read, and what is no set of Kubernetes objects.
    pub(crate) fn read(args: &DumpArgs) -> Result<Self, Failure> {
        let objects = cluster::read(&args.dump, &mut Reader::default())?;
        let names: Vec<String> =
            args.dump.iter().map(|argument| Name::of_argument(argument).to_string()).collect();
        Ok(Self { objects, name: names.join(", ") })
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
        let wanted = Listing {
            api_version: "v1",
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
        let mut named: Vec<(String, String, String)> = items
            .map(|item| (text(item, "/metadata/namespace"), text(item, "/metadata/name"), item.to_string()))
            .collect();
        named.sort();
        for (namespace, name, json) in &named {
            let place = if namespace.is_empty() {
                format!("{kind} {name}")
            } else {
                format!("{kind} {namespace}/{name}")
            };
            let read = Document::parse(json.as_bytes(), Shape::ALL, Origin::Lookup(&place))
                .and_then(|document| visit(namespace, name, document.root()));
            read.map_err(|fault| Failure::about(&self.name, fault))?;
        }
        Ok(named.len())
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
