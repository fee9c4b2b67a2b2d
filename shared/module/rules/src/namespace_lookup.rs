//! Look-ups of Namespaces.

use admission::{Cluster, Fault, Get, LookupAnswer, Shape};

use crate::view::Namespace;

/// Looks up the Namespace with the given name and reads the fields of `shape`. Returns `None` if
/// the cluster does not have the Namespace.
///
/// # Errors
/// Returns a fault if the look-up fails.
pub fn find<'a>(
    name: &'a str,
    cluster: &dyn Cluster,
    shape: Shape<'static>,
) -> Result<Option<LookupAnswer<'a>>, Fault> {
    get(name, shape).ask(cluster)
}

/// Looks up the Namespace of a request, as [`find`] does.
///
/// # Errors
/// Returns a fault if there is no name, if the look-up fails, or if the cluster does not have the
/// Namespace.
pub fn require<'a>(
    name: Option<&'a str>,
    cluster: &dyn Cluster,
    shape: Shape<'static>,
) -> Result<LookupAnswer<'a>, Fault> {
    let Some(name) = name else {
        return Err(Fault::in_payload(&["request", "namespace"], "expected a string, found nothing"));
    };
    let get = get(name, shape);
    get.ask(cluster)?.ok_or_else(|| Fault::in_lookup(get.to_string(), "not found"))
}

fn get<'a>(name: &'a str, shape: Shape<'static>) -> Get<'a> {
    Get { api_version: "v1", kind: "Namespace", namespace: None, name, shape }
}

/// The Namespace of a request: looked up on first use and cached.
pub struct NamespaceLookup<'a> {
    /// The name of the Namespace; `None` if the request has none.
    pub name: Option<&'a str>,
    cluster: &'a dyn Cluster,
    shape: Shape<'static>,
    answer: Option<Result<LookupAnswer<'a>, Fault>>,
    /// The Namespace itself, if it need not be looked up.
    known: Option<Namespace<'a>>,
}

impl std::fmt::Debug for NamespaceLookup<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NamespaceLookup").field("name", &self.name).finish_non_exhaustive()
    }
}

impl<'a> NamespaceLookup<'a> {
    /// Creates the look-up without asking the cluster. `shape` lists the fields to read.
    #[must_use]
    pub fn new(name: Option<&'a str>, cluster: &'a dyn Cluster, shape: Shape<'static>) -> Self {
        Self { name, cluster, shape, answer: None, known: None }
    }

    /// Uses a Namespace that is known, so that it is not looked up.
    #[must_use]
    pub fn with(mut self, known: Namespace<'a>) -> Self {
        self.known = Some(known);
        self
    }

    /// Passes the Namespace to `read` and returns the result.
    ///
    /// # Errors
    /// Returns the fault of [`require`], the same one on every call, or that of `read`.
    pub fn namespace<T>(&mut self, read: &dyn Fn(Namespace<'_>) -> Result<T, Fault>) -> Result<T, Fault> {
        let mut found = None;
        self.read(&mut |namespace| {
            found = Some(read(namespace)?);
            Ok(())
        })?;
        found.ok_or_else(|| Fault::in_lookup("Namespace".to_owned(), "not read"))
    }

    /// The part of [`namespace`](Self::namespace) that is not generic and so is compiled once.
    fn read(&mut self, read: &mut dyn FnMut(Namespace<'_>) -> Result<(), Fault>) -> Result<(), Fault> {
        if let Some(known) = self.known {
            return read(known);
        }
        let answer = match self.answer.take() {
            Some(answer) => answer,
            None => require(self.name, self.cluster, self.shape),
        };
        let document = self.answer.insert(answer).as_ref().map_err(Clone::clone)?.document()?;
        read(Namespace::of(document.root()))
    }
}
