//! Look-ups of Namespaces.

use admission::{Cluster, Fault, Get, LookupAnswer, Shape};

use crate::view::Namespace;

/// Looks up the Namespace and reads the fields of `shape`. Returns `None` if the cluster does not
/// have it.
pub(crate) fn find<'a>(
    name: &'a str,
    cluster: &dyn Cluster,
    shape: Shape<'static>,
) -> Result<Option<LookupAnswer<'a>>, Fault> {
    get(name, shape).ask(cluster)
}

/// Looks up the Namespace of a request, as [`find`] does. Without a name, or if the cluster does
/// not have it, this is a fault.
pub(crate) fn require<'a>(
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
pub(crate) struct NamespaceLookup<'a> {
    /// `None` if the request has none.
    pub(crate) name: Option<&'a str>,
    cluster: &'a dyn Cluster,
    shape: Shape<'static>,
    answer: Option<Result<LookupAnswer<'a>, Fault>>,
    /// The Namespace itself, if it need not be looked up.
    known: Option<Namespace<'a>>,
}

impl<'a> NamespaceLookup<'a> {
    pub(crate) fn new(name: Option<&'a str>, cluster: &'a dyn Cluster, shape: Shape<'static>) -> Self {
        Self { name, cluster, shape, answer: None, known: None }
    }

    pub(crate) fn with(mut self, known: Namespace<'a>) -> Self {
        self.known = Some(known);
        self
    }

    /// Passes the Namespace to `read` and returns the result. A fault of [`require`] is the same
    /// one on every call.
    pub(crate) fn namespace<T>(
        &mut self,
        read: &dyn Fn(Namespace<'_>) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
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
