//! Questions to the cluster.

use document::Origin;

use crate::{Document, Fault, Quoted, Shape};

/// Where objects of the cluster come from: host calls in a module, a set of objects in tests and tools.
///
/// Answers are JSON, so that the same code reads them wherever they come from.
pub trait Cluster {
    /// One object, by name; `None` if the cluster does not have it.
    ///
    /// # Errors
    /// When the cluster cannot be asked.
    fn get(&self, wanted: &Get<'_>) -> Result<Option<Vec<u8>>, Unreachable>;

    /// Objects of a kind: a Kubernetes list with `items`, in no particular order.
    ///
    /// # Errors
    /// When the cluster cannot be asked.
    fn list(&self, wanted: &List<'_>) -> Result<Vec<u8>, Unreachable>;
}

/// Asks for one object.
#[derive(Clone, Copy, Debug)]
pub struct Get<'a> {
    /// `v1`, `apps/v1`.
    pub api_version: &'a str,
    /// `Namespace`.
    pub kind: &'a str,
    /// The namespace of the object; `None` for cluster-wide kinds.
    pub namespace: Option<&'a str>,
    /// The name of the object.
    pub name: &'a str,
    /// What is read of it: the host cuts the rest away.
    pub shape: Shape<'a>,
}

/// Asks for all objects of a kind.
#[derive(Clone, Copy, Debug)]
pub struct List<'a> {
    /// `v1`, `apps/v1`.
    pub api_version: &'a str,
    /// `Service`.
    pub kind: &'a str,
    /// Those of one namespace; `None` for all.
    pub namespace: Option<&'a str>,
    /// What is read of each: the host cuts the rest away.
    pub shape: Shape<'a>,
}

/// The cluster could not be asked; the text says why.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Unreachable(pub String);

/// The answer to a question; [`document`](LookupAnswer::document) reads it.
#[derive(Debug)]
pub struct LookupAnswer<'a> {
    json: Vec<u8>,
    name: String,
    /// The shape of each item, by the name that a list has for them.
    items: [(&'static str, Shape<'a>); 1],
    list: bool,
}

impl<'a> Get<'a> {
    /// Asks the cluster.
    ///
    /// # Errors
    /// When the cluster cannot be asked.
    pub fn ask(&self, cluster: &dyn Cluster) -> Result<Option<LookupAnswer<'a>>, Fault> {
        let answer = cluster.get(self).map_err(|why| self.fault(&why))?;
        Ok(answer.map(|json| LookupAnswer::new(json, self.to_string(), self.shape, false)))
    }

    fn fault(&self, why: &Unreachable) -> Fault {
        Fault::in_lookup(self.to_string(), format!("look-up failed: {}", one_line(&why.0)))
    }
}

impl std::fmt::Display for Get<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.kind, Quoted(self.name))
    }
}

impl<'a> List<'a> {
    /// Asks the cluster.
    ///
    /// # Errors
    /// When the cluster cannot be asked.
    pub fn ask(&self, cluster: &dyn Cluster) -> Result<LookupAnswer<'a>, Fault> {
        let name = format!("list of {}s", self.kind);
        match cluster.list(self) {
            Ok(json) => Ok(LookupAnswer::new(json, name, self.shape, true)),
            Err(why) => Err(Fault::in_lookup(name, format!("look-up failed: {}", one_line(&why.0)))),
        }
    }
}

impl<'a> LookupAnswer<'a> {
    fn new(json: Vec<u8>, name: String, shape: Shape<'a>, list: bool) -> Self {
        Self { json, name, items: [("items", shape)], list }
    }

    /// Parses the answer; of a list, the root is the list.
    ///
    /// # Errors
    /// What is not JSON.
    pub fn document(&self) -> Result<Document<'_>, Fault> {
        let origin = Origin::Lookup(self.name.as_str());
        let [(_, item)] = self.items;
        let shape = if self.list { Shape::Fields(&self.items) } else { item };
        Document::parse(&self.json, shape, origin)
    }
}

/// The host's own words, on one line and not longer than a message needs.
#[cold]
fn one_line(text: &str) -> String {
    const LIMIT: usize = 300;
    text.chars().take(LIMIT).map(|c| if c.is_control() { ' ' } else { c }).collect()
}
